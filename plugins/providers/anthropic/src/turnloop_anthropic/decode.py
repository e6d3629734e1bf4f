"""The events of a stream as deltas. Pure: nothing is read or written here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from turnloop_anthropic.usage import Counts
from turnloop_core.api import (
    CallArguments,
    CallStart,
    Delta,
    End,
    OpaqueData,
    ProviderError,
    ReasoningDelta,
    Speaker,
    SseEvent,
    StopReason,
    TextDelta,
    UsageSoFar,
)

STOPS = {
    "max_tokens": StopReason.MAX_TOKENS,
    "model_context_window_exceeded": StopReason.MAX_TOKENS,
    "refusal": StopReason.REFUSAL,
    "tool_use": StopReason.TOOL_USE,
    # The server rests within its own tools, and wants its blocks back to go on. None of its tools
    # are offered here, and their blocks are not kept: the reply has no end.
    "pause_turn": StopReason.INCOMPLETE,
}


@dataclass(slots=True)
class _Block:
    """A content block that is open.

    Attributes:
        key: of its deltas.
        kind: `text`, `thinking`, `call`, or "" for what is not ours.
        input: the arguments that came with its beginning.
        brought: pieces of arguments came.
        signature: pieces of it.
    """

    key: str
    kind: str
    input: Mapping[str, Any] = field(default_factory=dict)
    brought: bool = False
    signature: list[str] = field(default_factory=list)


class Decoder:
    """Decodes one stream of the messages API, or one whole message.

    Args:
        speaker: makes the errors.

    Attributes:
        done: the last event came.
        raw_stop: why the reply ended, in the word of this wire; "" before that came.
        late_error: an error that came when the reply was whole.
    """

    def __init__(self, speaker: Speaker) -> None:
        self.done = False
        self.raw_stop = ""
        self.late_error: ProviderError | None = None
        self._speaker = speaker
        self._open: dict[int, _Block] = {}
        self._blocks = 0  # that began
        self._calls = 0
        self._counts = Counts()

    def feed(self, event: SseEvent) -> Sequence[Delta]:
        """The deltas of one event; none for events that this version of the protocol lacks.

        Raises:
            BadReplyError: the event is no JSON object.
            ProviderError: the event is an error.
        """
        data = event.data.strip()
        if not data or data == "[DONE]":
            return ()
        value = self._speaker.read(data)
        kind = value.get("type") or event.event
        match kind:
            case "content_block_delta":
                return self._delta(_index(value), _object(value, "delta"))
            case "content_block_start":
                return self._start(_index(value), _object(value, "content_block"))
            case "content_block_stop":
                block = self._open.pop(_index(value), None)
                return _finished(block) if block else ()
            case "message_start":
                return self._begin(_object(value, "message"))
            case "message_delta":
                self._note_end(_object(value, "delta"), value.get("usage"))
            case "message_stop":
                self.done = True
            case "message":
                return self._whole(value)
            case _ if kind == "error" or value.get("error"):
                error = self._speaker.error(value)
                if not self.raw_stop:
                    raise error
                self.late_error = error
        return ()

    def close(self) -> Sequence[Delta]:
        """What is left, and the end.

        Raises:
            StreamCutError: the reason to stop never came.
        """
        if not self.raw_stop:
            raise self._speaker.cut()
        stop = STOPS.get(self.raw_stop, StopReason.END_TURN)
        if stop is StopReason.END_TURN and self._calls:
            stop = StopReason.TOOL_USE  # what was received decides, not the word
        left: list[Delta] = []
        for block in self._open.values():  # their ends never came
            if block.kind != "call" or stop is StopReason.TOOL_USE:
                left += _finished(block)
        self._open.clear()
        return [*left, End(stop, self._counts.usage(), self.raw_stop)]

    def counts(self) -> Mapping[str, int | None]:
        """The counts in the terms of this wire, which keeps the cached tokens apart."""
        return self._counts.told()

    def _begin(self, message: Mapping[str, Any]) -> Sequence[Delta]:
        self._counts.take(message.get("usage"))
        usage = self._counts.usage()
        return (UsageSoFar(usage),) if usage.reported else ()

    def _note_end(self, delta: Mapping[str, Any], usage: Any) -> None:
        stop = delta.get("stop_reason")
        if isinstance(stop, str) and stop:
            self.raw_stop = stop
        self._counts.take(usage)

    def _whole(self, message: Mapping[str, Any]) -> Sequence[Delta]:
        """A message in one piece, from a server that does not stream."""
        deltas: list[Delta] = []
        content = message.get("content")
        for place, block in enumerate(content if isinstance(content, list) else ()):
            if isinstance(block, Mapping):
                deltas += self._start(place, block)
                deltas += _finished(self._open.pop(place))
        self._note_end(message, message.get("usage"))
        self.done = True
        return deltas

    def _start(self, index: int, block: Mapping[str, Any]) -> Sequence[Delta]:
        unfinished = self._open.pop(index, None)
        left = _finished(unfinished) if unfinished else ()
        return [*left, *self._started(index, block)]

    def _started(self, index: int, block: Mapping[str, Any]) -> Sequence[Delta]:
        key = str(self._blocks)  # an index may be left out, or come twice
        self._blocks += 1
        kind = block.get("type")
        if kind == "text":
            self._open[index] = _Block(key, "text")
            return _text(key, block.get("text"))
        if kind == "thinking":
            signature = block.get("signature")
            self._open[index] = _Block(
                key, "thinking", signature=[signature] if isinstance(signature, str) else []
            )
            return _thought(key, block.get("thinking"))
        if kind == "tool_use":
            self._calls += 1
            self._open[index] = _Block(key, "call", _object(block, "input"))
            return (CallStart(key, _string(block.get("name")), _string(block.get("id"))),)
        self._open[index] = _Block(key, "")
        if kind == "redacted_thinking" and (data := _string(block.get("data"))):
            return (OpaqueData(key, {"redacted": data}),)
        return ()

    def _delta(self, index: int, delta: Mapping[str, Any]) -> Sequence[Delta]:
        block = self._open.get(index)
        if block is None:  # its beginning was lost; a call cannot be known by its arguments
            if delta.get("type") not in ("text_delta", "thinking_delta"):
                return ()
            block = self._open[index] = _Block(str(self._blocks), str(delta["type"])[:-6])
            self._blocks += 1
        match delta.get("type"), block.kind:
            case "text_delta", "text":
                return _text(block.key, delta.get("text"))
            case "thinking_delta", "thinking":
                return _thought(block.key, delta.get("thinking"))
            case "signature_delta", "thinking":
                block.signature.append(_string(delta.get("signature")))
            case "input_json_delta", "call":
                piece = _string(delta.get("partial_json"))
                block.brought = block.brought or bool(piece)
                return (CallArguments(block.key, piece),) if piece else ()
        return ()


def _finished(block: _Block) -> Sequence[Delta]:
    """What is left to say of a block at its end."""
    if block.kind == "thinking" and (signature := "".join(block.signature)):
        return (OpaqueData(block.key, {"signature": signature}),)
    if block.kind == "call" and not block.brought:
        return (CallArguments(block.key, json.dumps(block.input, ensure_ascii=False)),)
    return ()


def _text(key: str, text: Any) -> Sequence[Delta]:
    return (TextDelta(text, key),) if isinstance(text, str) and text else ()


def _thought(key: str, text: Any) -> Sequence[Delta]:
    return (ReasoningDelta(text, key),) if isinstance(text, str) and text else ()


def _index(value: Mapping[str, Any]) -> int:
    index = value.get("index")
    return index if isinstance(index, int) else 0


def _object(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = value.get(name)
    return inner if isinstance(inner, Mapping) else {}


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
