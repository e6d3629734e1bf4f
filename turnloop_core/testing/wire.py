"""Streams as providers send them, for scripted servers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def sse(*events: str | Mapping[str, Any]) -> bytes:
    """Server-sent events, one for each value: a dict goes out as JSON, a string as it is."""
    return b"".join(
        b"data: %b\n\n" % (event if isinstance(event, str) else _json(event)).encode()
        for event in events
    )


def chat_chunks(
    *,
    text: str = "",
    reasoning: str = "",
    calls: Sequence[tuple[str, str, str]] = (),
    finish: str | None = None,
    usage: tuple[int, int] | None = (10, 5),
    done: bool = True,
    size: int = 8,
) -> list[str | Mapping[str, Any]]:
    """A chat-completions stream, for `sse(*chat_chunks(...))`.

    Args:
        text: the answer, cut into pieces of `size` characters.
        reasoning: thoughts before it, as `reasoning_content`.
        calls: (id, name, arguments as JSON text), the arguments cut likewise.
        finish: the finish reason; None picks `tool_calls` or `stop`, "" leaves it out.
        usage: prompt and completion tokens, in a chunk of their own; None leaves it out.
        done: end with `[DONE]`.
        size: characters in a piece.
    """
    deltas: list[Mapping[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in _cut(reasoning, size)]
    deltas += [{"content": piece} for piece in _cut(text, size)]
    for index, (id_, name, arguments) in enumerate(calls):
        function = {"name": name, "arguments": ""}
        head = {"index": index, "id": id_, "type": "function", "function": function}
        deltas.append({"tool_calls": [head]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            for piece in _cut(arguments, size)
        ]
    chunks: list[str | Mapping[str, Any]] = [_chunk(delta) for delta in deltas]
    if finish is None:
        finish = "tool_calls" if calls else "stop"
    if finish:
        chunks.append(_chunk({}, finish))
    if usage is not None:
        counts = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
        chunks.append({"object": "chat.completion.chunk", "choices": [], "usage": counts})
    return [*chunks, "[DONE]"] if done else chunks


def pieces(data: bytes, size: int) -> list[bytes]:
    """`data` cut into pieces of `size` bytes."""
    return [data[start : start + size] for start in range(0, len(data), size)]


def _chunk(delta: Mapping[str, Any], finish: str | None = None) -> Mapping[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [choice]}


def _cut(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
