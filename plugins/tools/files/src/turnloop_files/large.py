"""Lines of a file that is too large to be held: one pass, bounded memory."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import BinaryIO

_CHUNK = 1 << 20


@dataclass(slots=True)
class Scan:
    """What one pass over a file found.

    Attributes:
        lines: the lines of the range, raw, without their LF; long ones hold only their start.
        lengths: full length of each in bytes.
        total: lines of the whole file.
        digest: hash of all bytes.
        utf8: the whole file is UTF-8.
    """

    lines: list[bytes] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    total: int = 0
    digest: str = ""
    utf8: bool = True


def scan(file: BinaryIO, first: int, count: int, keep: int) -> Scan:
    """Read all of `file`, and keep `count` lines from line `first` on, `keep` bytes of each."""
    found = Scan()
    collector = _Collector(found, first, count, keep)
    digest = blake2b(digest_size=16)
    decoder = codecs.getincrementaldecoder("utf-8")()
    last = b"\n"
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
        collector.feed(chunk)
        last = chunk[-1:]
        if found.utf8:
            found.utf8 = _decodes(decoder, chunk)
    if found.utf8:
        found.utf8 = _decodes(decoder, b"", final=True)
    if last != b"\n":
        collector.end_line()
    found.total = collector.line - 1
    found.digest = digest.hexdigest()
    return found


def _decodes(decoder: codecs.IncrementalDecoder, chunk: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True


class _Collector:
    def __init__(self, found: Scan, first: int, count: int, keep: int) -> None:
        self._found = found
        self._first = first
        self._end = first + count
        self._keep = keep
        self._start = b""
        self._length = 0
        self.line = 1

    def feed(self, chunk: bytes) -> None:
        at = 0
        while at < len(chunk):
            if self.line >= self._end:
                self.line += chunk.count(b"\n", at)
                return
            newline = chunk.find(b"\n", at)
            stop = len(chunk) if newline == -1 else newline
            if self.line >= self._first:
                room = self._keep - len(self._start)
                self._start += chunk[at : min(stop, at + room)]
            self._length += stop - at
            at = stop
            if newline != -1:
                self.end_line()
                at += 1

    def end_line(self) -> None:
        if self._first <= self.line < self._end:
            self._found.lines.append(self._start)
            self._found.lengths.append(self._length)
        self._start = b""
        self._length = 0
        self.line += 1
