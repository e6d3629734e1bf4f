"""Tool calls out of a stream, however the server numbers them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from turnloop_core.api import CallArguments, CallStart, Delta, parse_json


@dataclass(slots=True)
class _Call:
    """A call that has begun. `early` holds arguments that came before the name."""

    block: str
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    started: bool = False


class Calls:
    """Sorts pieces into calls.

    A new id or a new name begins a call; a piece with neither continues the call of its index, or,
    without an index, the one that was begun last. The index alone decides nothing: some servers
    give all calls the same one, some give none.
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._of_index: dict[int, _Call] = {}
        self._listed = False

    @property
    def begun(self) -> bool:
        return bool(self._calls)

    def blocks_by_id(self) -> dict[str, str]:
        """Id of a call -> key of its block."""
        return {call.id: call.block for call in self._calls if call.id}

    def add(self, pieces: Sequence[Any]) -> list[Delta]:
        """Take the `tool_calls` of one chunk."""
        self._listed = True
        deltas: list[Delta] = []
        for piece in pieces:
            if isinstance(piece, Mapping):
                deltas += self._add(piece)
        return deltas

    def add_single(self, call: Mapping[str, Any]) -> list[Delta]:
        """Take the `function_call` of one chunk, as old servers send it: one call, without an id.

        Some servers send both; then the list alone counts.
        """
        return [] if self._listed else self._add({"index": 0, "function": call})

    def close(self) -> list[Delta]:
        """Calls that never got a name: they go on as they are, and become error results."""
        return [delta for call in self._calls if not call.started for delta in _start(call)]

    def _add(self, piece: Mapping[str, Any]) -> list[Delta]:
        function = piece.get("function")
        function = function if isinstance(function, Mapping) else {}
        call_id, name = _text(piece.get("id")), _text(function.get("name"))
        arguments = _json_text(function.get("arguments"))
        call = self._find(piece.get("index"), call_id, name, brings=bool(arguments))
        call.id = call.id or call_id
        call.name = call.name or name
        if arguments:
            call.arguments.append(arguments)
        if call.started:
            return [CallArguments(call.block, arguments)] if arguments else []
        return _start(call) if call.name else []

    def _find(self, index: Any, call_id: str, name: str, *, brings: bool) -> _Call:
        numbered = isinstance(index, int)
        last = self._calls[-1] if self._calls else None
        if numbered:
            call = self._of_index.get(index, None if call_id or name else last)
        else:
            call = next((c for c in self._calls if call_id and c.id == call_id), last)
        if call is None or _is_another(call, call_id, name, numbered=numbered, brings=brings):
            call = _Call(f"call_{len(self._calls)}")
            self._calls.append(call)
        if numbered:
            self._of_index[index] = call
        return call


def _is_another(call: _Call, call_id: str, name: str, *, numbered: bool, brings: bool) -> bool:
    """Whether a piece with this id and name begins a call, rather than going on with `call`.

    Args:
        call: the call that it would go on with.
        call_id: "" when the piece has none.
        name: "" when the piece has none.
        numbered: the piece has an index.
        brings: the piece has arguments.
    """
    if call_id and call.id and call_id != call.id:
        return True
    if name and call.name and name != call.name:
        return True
    known = bool(call_id) and call_id == call.id
    if known or (numbered and not call_id):  # a name that is repeated, or the same tool once more
        return bool(name and call.name) and brings and _is_whole("".join(call.arguments))
    return bool(call_id or (name and call.name)) and call.started


def _start(call: _Call) -> list[Delta]:
    call.started = True
    start = CallStart(call.block, call.name, call.id)
    early = "".join(call.arguments)
    return [start, CallArguments(call.block, early)] if early else [start]


def _is_whole(arguments: str) -> bool:
    try:
        parse_json(arguments)
    except ValueError:
        return False
    return True


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _json_text(value: Any) -> str:
    """Arguments as JSON text; some servers send the object itself."""
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return _text(value)
