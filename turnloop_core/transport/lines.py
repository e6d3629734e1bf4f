"""Answers that stream as lines: newline-delimited JSON, for example."""

from __future__ import annotations

from turnloop_core.errors import BadReplyError
from turnloop_core.transport.sse import BOM, LARGEST_EVENT, SseEvent


class LineParser:
    """Bytes in, lines out, each as the `data` of an event. Blank lines are keep-alives.

    Lines end in LF or CRLF, and pieces may be cut anywhere.

    Attributes:
        stray: always empty: every line is for the decoder.
    """

    def __init__(self, largest: int = LARGEST_EVENT) -> None:
        self.stray = b""
        self._largest = largest
        self._parts: list[bytes] = []
        self._size = 0
        self._fresh = True

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The lines that `chunk` completes.

        Raises:
            BadReplyError: a line is larger than 32 MB.
        """
        complete, found, rest = chunk.rpartition(b"\n")
        if not found:
            self._keep(chunk)
            return []
        whole = b"".join((*self._parts, complete))
        self._parts, self._size = [], 0
        self._keep(rest)
        return self._events(whole)

    def close(self) -> list[SseEvent]:
        """The last line, when the stream ended without a line end."""
        rest, self._parts, self._size = b"".join(self._parts), [], 0
        return self._events(rest)

    def _keep(self, rest: bytes) -> None:
        if rest:
            self._parts.append(rest)
            self._size += len(rest)
        if self._size > self._largest:
            raise BadReplyError(
                f"one line of the answer is larger than {self._largest:,} bytes",
                hint="the server does not send what it should; check base_url",
            )

    def _events(self, text: bytes) -> list[SseEvent]:
        if self._fresh and text:
            self._fresh = False
            text = text.removeprefix(BOM)
        return [
            SseEvent("", line.decode("utf-8", "replace"))
            for raw in text.split(b"\n")
            if (line := raw.removesuffix(b"\r")).strip()
        ]
