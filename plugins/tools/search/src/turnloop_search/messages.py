"""Reads the answer of a search program line by line, and never holds more than a part of a line.

A file without line ends is one line, and each match in it is told with its place: such a message
may be many times as long as the file. Of a long one only the beginning of the line, its number and
the place of the first match are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import IO

_USUAL = 64 * 1024  # bytes of a message that is taken as it is
_PIECE = 1024 * 1024
_MOST = 16 * 1024 * 1024  # bytes kept of a line
_OVERLAP = 64  # more than a mark has

# In a JSON string a quotation mark has a backslash before it: so these cannot be text of a line.
_NUMBER = re.compile(rb'\},"line_number":(\d+)')
_START = re.compile(rb'"start":(\d+)')


def messages(source: IO[bytes], most: int = _MOST) -> Iterator[bytes]:
    """The messages, each a line of JSON.

    Args:
        source: what the program writes.
        most: bytes that are kept of a matching line; a message that was cut says so.
    """
    while line := source.readline(_USUAL):
        yield line if line.endswith(b"\n") or len(line) < _USUAL else _Long(line, source).take(most)


class _Long:
    """A message that is read piece by piece."""

    def __init__(self, first: bytes, source: IO[bytes]) -> None:
        self._piece = first
        self._source = source

    def take(self, most: int) -> bytes:
        """The message with what is needed of it, and all of it read."""
        head, size, number = self._up_to(_NUMBER, most)
        _, _, start = self._up_to(_START, 0)
        while self._piece and not self._piece.endswith(b"\n"):
            self._piece = self._source.readline(_PIECE)
        if number is None:
            return head  # nothing that is known; whoever reads it will say so
        cut = size > len(head)
        text = _closed(head) if cut else head.decode("utf-8", "replace")
        places = [] if start is None else [{"start": int(start)}]
        more = {"line_number": int(number), "submatches": places, "cut": cut}
        return f"{text}}},{json.dumps(more)[1:]}}}\n".encode("utf-8", "surrogatepass")

    def _up_to(self, mark: re.Pattern[bytes], most: int) -> tuple[bytes, int, bytes | None]:
        """What stands before a mark, at most so much of it; how much it was; the mark's number."""
        kept, size, carried = bytearray(), 0, b""
        while True:
            data = carried + self._piece
            found = mark.search(data)
            ended = not self._piece or self._piece.endswith(b"\n")
            if ended or (found and found.end() < len(data)):  # a number may go on in the next piece
                before = data[: found.start()] if found else data
                kept += before[: most - len(kept)]
                self._piece = data[found.end() :] if found else self._piece
                return bytes(kept), size + len(before), found[1] if found else None
            carried = data[-_OVERLAP:]
            size += len(data) - len(carried)
            kept += data[:-_OVERLAP][: most - len(kept)]
            self._piece = self._source.readline(_PIECE)


def _closed(head: bytes) -> str:
    """A message that was cut within the text of the line, with the text closed."""
    text = head.decode("utf-8", "ignore")
    place = text.rfind("\\", len(text) - 12)
    if place >= 0:  # an escape that may not be whole
        text = text[:place].rstrip("\\")
    at = text.find('},"lines":{"bytes":"')
    if at >= 0:
        begin = text.index('"', at + len('},"lines":{"bytes":')) + 1
        text = text[: len(text) - (len(text) - begin) % 4]
    return f'{text}"'
