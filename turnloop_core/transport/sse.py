"""Server-sent events from bytes, however they are cut."""

from __future__ import annotations

from typing import NamedTuple

from turnloop_core.errors import BadReplyError

LARGEST_EVENT = 32 * 1024 * 1024
LARGEST_STRAY = 64 * 1024
BOM = b"\xef\xbb\xbf"
FIELDS = frozenset((b"data", b"event", b"id", b"retry"))


class SseEvent(NamedTuple):
    """One event. (A named tuple, since one is made for every few bytes of a reply.)

    Attributes:
        event: its type, "" when the stream names none.
        data: the data lines, joined by newlines.
        id: the last id that the stream gave, "" when none.
    """

    event: str
    data: str
    id: str = ""


class SseParser:
    """Bytes in, events out. Lines may end in LF, CR or CRLF, and pieces may be cut anywhere.

    Attributes:
        stray: lines that are no field of an event, newest last, at most 64 KB: some servers put a
            bare JSON error into the stream.
    """

    def __init__(self, largest: int = LARGEST_EVENT) -> None:
        self.stray = b""
        self._largest = largest
        self._parts: list[bytes] = []
        self._size = 0
        self._after_cr = False
        self._line_open = False  # what is buffered does not end in a line end
        self._fresh = True
        self._id = ""

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that `chunk` completes.

        Raises:
            BadReplyError: an event is larger than 32 MB.
        """
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk[1:] if chunk.startswith(b"\n") else chunk
        if not chunk:
            return []
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        ends_event = b"\n\n" in chunk or (not self._line_open and chunk.startswith(b"\n"))
        self._parts.append(chunk)
        self._size += len(chunk)
        self._line_open = not chunk.endswith(b"\n")
        if not ends_event:
            self._check_size()
            return []
        return self._take()

    def close(self) -> list[SseEvent]:
        """The last event, when the stream ended without the blank line after it."""
        rest = self._joined()
        self._keep(b"")
        return self._events(rest)

    def _take(self) -> list[SseEvent]:
        complete, found, rest = self._joined().rpartition(b"\n\n")
        if not found:  # a blank line at the very start
            return []
        self._keep(rest)
        self._check_size()
        return self._events(complete)

    def _joined(self) -> bytes:
        data = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        if self._fresh and len(data) >= len(BOM):
            self._fresh = False
            return data.removeprefix(BOM)
        return data

    def _keep(self, rest: bytes) -> None:
        self._parts = [rest] if rest else []
        self._size = len(rest)
        self._line_open = bool(rest) and not rest.endswith(b"\n")

    def _check_size(self) -> None:
        if self._size > self._largest:
            raise BadReplyError(
                f"one event of the stream is larger than {self._largest:,} bytes",
                hint="the server does not send what it should; check base_url",
            )

    def _events(self, text: bytes) -> list[SseEvent]:
        events: list[SseEvent] = []
        for block in text.split(b"\n\n"):
            if block.startswith(b"data: ") and b"\n" not in block:  # nearly all of them
                events.append(SseEvent("", block[6:].decode("utf-8", "replace"), self._id))
            elif block:
                self._add_by_lines(block, events)
        return events

    def _add_by_lines(self, block: bytes, events: list[SseEvent]) -> None:
        kind = ""
        data: list[bytes] = []
        for line in block.split(b"\n"):
            name, _, value = line.partition(b":")
            if name == b"data":
                data.append(value.removeprefix(b" "))
            elif name == b"event":
                kind = value.removeprefix(b" ").decode("utf-8", "replace")
            elif name == b"id":
                if b"\0" not in value:
                    self._id = value.removeprefix(b" ").decode("utf-8", "replace")
            elif name and name not in FIELDS:
                self.stray = (self.stray + line + b"\n")[-LARGEST_STRAY:]
        if data:
            events.append(SseEvent(kind, b"\n".join(data).decode("utf-8", "replace"), self._id))
