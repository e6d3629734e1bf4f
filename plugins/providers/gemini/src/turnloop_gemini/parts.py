"""Parts of a reply to deltas: which of them make one block, and what rides on which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from turnloop_core.api import (
    CallArguments,
    CallStart,
    Delta,
    OpaqueData,
    ReasoningDelta,
    TextDelta,
    dumps,
)

SIGNATURE = "thoughtSignature"
CALL_ID = "id"


class Parts:
    """Sorts the parts of a stream into blocks.

    Parts without a signature that follow each other and are of one kind were one text, cut for the
    stream. A part with a signature is a block of its own, and so is a call: it has to go back as it
    came, and nothing may be joined to it.

    Attributes:
        calls: how many calls there were.
    """

    def __init__(self) -> None:
        self.calls = 0
        self._count = 0
        self._open = ""  # key of the block that the next part may go on with

    def add(self, parts: Sequence[Any]) -> list[Delta]:
        """Take the parts of one chunk."""
        deltas: list[Delta] = []
        for part in parts:
            if isinstance(part, Mapping):
                deltas += self._part(part)
        return deltas

    def _part(self, part: Mapping[str, Any]) -> list[Delta]:
        signature = part.get(SIGNATURE)
        opaque = {SIGNATURE: signature} if isinstance(signature, str) and signature else {}
        call, text = part.get("functionCall"), part.get("text")
        if isinstance(call, Mapping):
            return self._call(call, opaque)
        if isinstance(text, str):
            return self._text(text, opaque, thought=part.get("thought") is True)
        return self._other(part)

    def _call(self, call: Mapping[str, Any], opaque: dict[str, Any]) -> list[Delta]:
        key = self._alone("call")
        self.calls += 1
        name, call_id, arguments = call.get("name"), call.get("id"), call.get("args")
        deltas: list[Delta] = [
            CallStart(key, name if isinstance(name, str) else "", _word(call_id)),
            CallArguments(key, "{}" if arguments is None else dumps(arguments).decode()),
        ]
        if _word(call_id):  # noted, since the loop makes ids that the wire knows nothing of
            opaque[CALL_ID] = call_id
        return [*deltas, OpaqueData(key, opaque)] if opaque else deltas

    def _text(self, text: str, opaque: dict[str, Any], *, thought: bool) -> list[Delta]:
        kind = "reasoning" if thought else "text"
        if not text and not opaque:
            return []
        key = self._alone(kind) if opaque else self._going_on(kind)
        deltas: list[Delta] = []
        if text:
            deltas.append(ReasoningDelta(text, key) if thought else TextDelta(text, key))
        if opaque:
            deltas.append(OpaqueData(key, opaque, "reasoning" if thought else "text"))
        return deltas

    def _other(self, part: Mapping[str, Any]) -> list[Delta]:
        """What nobody asked for: a picture, or code that the server ran."""
        kind = next((name for name in part if name not in (SIGNATURE, "thought")), "")
        if not kind or part.get("thought") is True:
            return []
        note = f"[The model sent a part of another kind ({kind}), which is left out.]"
        return [TextDelta(note, self._alone("text"))]

    def _going_on(self, kind: str) -> str:
        if not self._open.startswith(kind):
            self._open = self._next(kind)
        return self._open

    def _alone(self, kind: str) -> str:
        self._open = ""
        return self._next(kind)

    def _next(self, kind: str) -> str:
        self._count += 1
        return f"{kind}_{self._count}"


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""
