"""Lines of a file that is too large to be held: one pass, bounded memory."""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import BinaryIO

from turnloop_files.document import strays_in

CHUNK = 1 << 20
MOST_SECONDS = 60.0


class StoppedError(Exception):
    """Nobody waits for the lines any more, or finding them took too long."""


@dataclass(slots=True)
class Scan:
    """What one pass over a file found.

    Attributes:
        lines: the lines of the range, raw, without their LF; long ones hold only their start.
        lengths: full length of each in bytes.
        total: lines of the file, as far as it was read.
        digest: hash of all bytes that were read.
        whole: the file was read to its end.
        stray: bytes that are not UTF-8.
        wide: about how many characters beyond ASCII there are, taking it as UTF-8.
        mark: it begins with the byte-order mark of UTF-8.
        crlf: lines that end in CRLF.
        closed: the last line has its end.
    """

    lines: list[bytes] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    total: int = 0
    digest: str = ""
    whole: bool = True
    stray: int = 0
    wide: int = 0
    mark: bool = False
    crlf: int = 0
    closed: bool = True


def scan(
    file: BinaryIO,
    first: int,
    count: int,
    keep: int,
    *,
    most: int | None = None,
    count_all: bool = True,
    stopped: Callable[[], bool] = lambda: False,
) -> Scan:
    """Read `file`, and keep `count` lines from line `first` on.

    Args:
        file: at its start.
        first: number of the first line kept.
        count: number of lines kept.
        keep: bytes kept of each.
        most: bytes to read; a file that grows meanwhile has no end.
        count_all: read on after the range, to count all lines.
        stopped: asked now and then; when it says yes, nobody waits any more.

    Raises:
        StoppedError: after `stopped`, or when the range was not reached in `MOST_SECONDS`.
    """
    found = Scan()
    collector = _Collector(found, first, count, keep)
    content = _Content(found)
    left = most if most is not None else -1
    limit = time.monotonic() + MOST_SECONDS
    while left and (chunk := file.read(CHUNK if left < 0 else min(CHUNK, left))):
        left -= len(chunk) if left > 0 else 0
        content.feed(chunk)
        collector.feed(chunk)
        if not count_all and collector.done:
            found.whole = False
            break
        if stopped() or time.monotonic() > limit:
            raise StoppedError
    content.close()
    found.closed = content.last in (b"", b"\n")
    if not found.closed:
        collector.end_line()
    found.total = collector.line - 1
    return found


class _Content:
    """What holds of all bytes: their hash, whether they are UTF-8, how lines end."""

    def __init__(self, found: Scan) -> None:
        self.last = b""
        self._found = found
        self._digest = blake2b(digest_size=16)
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")

    def feed(self, chunk: bytes) -> None:
        if not self.last:
            self._found.mark = chunk.startswith(codecs.BOM_UTF8)
        self._digest.update(chunk)
        self._found.crlf += chunk.count(b"\r\n") + (self.last == b"\r" and chunk[:1] == b"\n")
        self.last = chunk[-1:]
        self._look_at(self._decoder.decode(chunk))

    def close(self) -> None:
        self._look_at(self._decoder.decode(b"", True))
        self._found.digest = self._digest.hexdigest()

    def _look_at(self, text: str) -> None:
        if text.isascii():
            return
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            self._found.stray += strays_in(text)
            size = len(text.encode("utf-8", "surrogateescape"))
        self._found.wide += size - len(text)


class _Collector:
    def __init__(self, found: Scan, first: int, count: int, keep: int) -> None:
        self._found = found
        self._first = first
        self._end = first + count
        self._keep = keep
        self._start = b""
        self._length = 0
        self.line = 1

    @property
    def done(self) -> bool:
        return self.line >= self._end

    def feed(self, chunk: bytes) -> None:
        at = 0
        while at < len(chunk):
            if self.done:
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
