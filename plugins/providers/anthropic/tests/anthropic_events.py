"""Streams of the messages API as a server sends them, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from turnloop_anthropic.decode import Decoder
from turnloop_core.api import Speaker
from turnloop_core.errors import ProviderError
from turnloop_core.transport.sse import SseParser
from turnloop_core.types.deltas import Delta

Event = Mapping[str, Any]
USAGE = {"input_tokens": 90, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 0}


def stream(*events: Event) -> bytes:
    """Events with their names, the JSON padded as the service pads it."""
    return b"".join(
        _event(event["type"], json.dumps(event, ensure_ascii=False)) for event in events
    )


def _event(name: str, data: str) -> bytes:
    return f"event: {name}\ndata: {data[:-1]}   }}\n\n".encode()


def begin(usage: Mapping[str, Any] | None = None) -> Event:
    counts = {**USAGE, "output_tokens": 1} if usage is None else usage
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
    return {"type": "message_start", "message": {**message, "usage": counts}}


def end(stop: str | None, output: int = 17) -> list[Event]:
    delta = {"stop_reason": stop, "stop_sequence": None}
    usage = {"input_tokens": None, "output_tokens": output}
    return [{"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}]


def start(index: int, **block: Any) -> Event:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **fields: Any) -> Event:
    value = {"type": kind, **fields}
    return {"type": "content_block_delta", "index": index, "delta": value}


def stop(index: int) -> Event:
    return {"type": "content_block_stop", "index": index}


def text(index: int, *pieces: str) -> list[Event]:
    deltas = [delta(index, "text_delta", text=piece) for piece in pieces]
    return [start(index, type="text", text=""), *deltas, stop(index)]


def thinking(index: int, signature: str, *pieces: str) -> list[Event]:
    deltas = [delta(index, "thinking_delta", thinking=piece) for piece in pieces]
    sign = [delta(index, "signature_delta", signature=signature)] if signature else []
    head = start(index, type="thinking", thinking="", signature="")
    return [head, *deltas, *sign, stop(index)]


def call(index: int, call_id: str, name: str, pieces: Sequence[str], *, whole: bool = True) -> Any:
    head = start(index, type="tool_use", id=call_id, name=name, input={})
    deltas = [delta(index, "input_json_delta", partial_json=piece) for piece in ("", *pieces)]
    return [head, *deltas, *([stop(index)] if whole else [])]


def blocks(content: Sequence[Mapping[str, Any]]) -> list[Event]:
    """The events of content blocks as a message holds them."""
    events: list[Event] = []
    for index, block in enumerate(content):
        match block["type"]:
            case "text":
                half = len(block["text"]) // 2
                events += text(index, block["text"][:half], block["text"][half:])
            case "thinking":
                half = len(block["thinking"]) // 2
                pieces = (block["thinking"][:half], block["thinking"][half:])
                events += thinking(index, block["signature"], *pieces)
            case "redacted_thinking":
                events += [start(index, **block), stop(index)]
            case "tool_use":
                arguments = json.dumps(block["input"])
                pieces = (arguments[:5], arguments[5:])
                events += call(index, block["id"], block["name"], pieces)
    return events


def decode(*chunks: bytes) -> tuple[list[Delta], ProviderError | None]:
    parser, decoder = SseParser(), Decoder(Speaker("p"))
    deltas: list[Delta] = []
    try:
        for chunk in chunks:
            for event in parser.feed(chunk):
                deltas += decoder.feed(event)
        for event in parser.close():
            deltas += decoder.feed(event)
        deltas += decoder.close()
    except ProviderError as error:
        return deltas, error
    return deltas, None
