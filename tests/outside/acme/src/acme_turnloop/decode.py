"""The lines of the desk as deltas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from turnloop_core.api import (
    BadReplyError,
    CallArguments,
    CallStart,
    Delta,
    End,
    ReasoningDelta,
    RequestRefusedError,
    SseEvent,
    StopReason,
    StreamCutError,
    TextDelta,
    Usage,
    excerpt,
    parse_wire_json,
)

STOPS = {
    "finished": StopReason.END_TURN,
    "asking": StopReason.TOOL_USE,
    "out of room": StopReason.MAX_TOKENS,
}


class Decoder:
    """Decodes the answer to one request: a line for each piece, `bye` in the last one."""

    def __init__(self, provider: str) -> None:
        self.done = False
        self._provider = provider
        self._end: End | None = None

    def feed(self, event: SseEvent) -> Sequence[Delta]:
        try:
            line = parse_wire_json(event.data)
            return self._piece(line) if isinstance(line, dict) else ()
        except (ValueError, KeyError, TypeError) as error:
            raise BadReplyError(
                f"{self._provider}: no line of a desk: {excerpt(event.data)}",
                hint="check base_url",
            ) from error

    def close(self) -> Sequence[Delta]:
        if self._end is None:
            raise StreamCutError(f"{self._provider}: the desk hung up without a bye")
        return (self._end,)

    def _piece(self, line: dict[str, Any]) -> Sequence[Delta]:
        if "trouble" in line:
            raise RequestRefusedError(f"{self._provider}: the desk says: {line['trouble']}")
        if "bye" in line:
            self._end, self.done = _end(line), True
            return ()
        if "think" in line:
            return (ReasoningDelta(line["think"]),)
        if "say" in line:
            return (TextDelta(line["say"]),)
        if "ask" in line:
            return (CallStart(str(line["slot"]), line["ask"], line["ticket"]),)
        if "with" in line:
            return (CallArguments(str(line["slot"]), line["with"]),)
        return ()  # a later version of the desk may say more


def _end(line: dict[str, Any]) -> End:
    spent = line["spent"]
    usage = Usage(spent["read"], spent["wrote"], cache_read=spent["remembered"])
    return End(STOPS.get(line["bye"], StopReason.ERROR), usage, line["bye"])
