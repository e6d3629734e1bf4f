"""Chunks with anything anywhere: a reply that can be logged and sent back, or a provider error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings, strategies as st

from turnloop_core.api import ProviderError, Result, SseEvent, Turn
from turnloop_core.log.jsonl import encode
from turnloop_core.log.records import Record, ReplyRecord
from turnloop_core.loop.assemble import Assembler
from turnloop_core.testing.wire import chat_chunks
from turnloop_core.transport.speaker import Speaker
from turnloop_openai_compat.decode import Decoder
from turnloop_openai_compat.messages import Style, messages_of

DETAILS = [
    {"type": "reasoning.encrypted", "index": 0, "id": "c1", "data": "abc"},
    {"type": "reasoning.text", "index": 0, "text": "hm", "signature": "s"},
]
USAGE = {
    "prompt_tokens": 5,
    "completion_tokens": 5,
    "total_tokens": 20,
    "prompt_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 1},
    "completion_tokens_details": {"reasoning_tokens": 10},
}
CHUNKS: list[Any] = [
    *chat_chunks(
        text="hello",
        reasoning="hm",
        calls=[("c1", "Bash", '{"command": "ls"}'), ("c2", "Read", "{}")],
        done=False,
    ),
    {"choices": [{"index": 0, "delta": {"reasoning_details": DETAILS}}]},
    {"choices": [{"index": 0, "delta": {"content": [{"type": "thinking", "thinking": "x"}]}}]},
    {"choices": [], "usage": USAGE},
]
ERROR = {"error": {"message": "m", "type": "t", "code": "c", "status": 500, "details": [{"a": 1}]}}

# As JSON text, since some of it no Python value gives: NaN, 1e999, a nesting of 5,000.
ANYTHING = st.sampled_from(
    [
        *("null", "true", "0", "-1", "1.5", "1e999", "NaN", "-Infinity", "9" * 30, "9" * 5_000),
        *('""', '"x"', '"\\ud800"', '"\\u0000"', "[]", "[1]", "[null]", "[[]]", "[{}]", "{}"),
        *(
            '{"a": 1}',
            '[{"index": [], "id": {}, "type": {}}]',
            '[{"type": "thinking", "thinking": 5}]',
        ),
        *("[" * 99 + "]" * 99, "[" * 5_000, "[" * 5_000 + "]" * 5_000),
    ]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*path, key))


def replaced(chunk: Any, path: tuple[Any, ...], text: str) -> str:
    """The chunk as JSON, with `text` at `path`."""
    if not path:
        return text
    chunk = json.loads(json.dumps(chunk))
    at = chunk
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = "@here@"
    return json.dumps(chunk).replace('"@here@"', text)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_anything_anywhere(data: st.DataObject) -> None:
    chunks = [*CHUNKS, ERROR] if data.draw(st.booleans()) else CHUNKS
    texts = [json.dumps(chunk) for chunk in chunks]
    for _ in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.integers(0, len(chunks) - 1))
        path = data.draw(st.sampled_from(list(places(chunks[number]))))
        texts[number] = replaced(chunks[number], path, data.draw(ANYTHING))
    decoder, assembler = Decoder(Speaker("p")), Assembler("s")
    try:
        for text in texts:
            for delta in decoder.feed(SseEvent("", text)):
                assembler.feed(delta)
        for delta in decoder.close():
            assembler.feed(delta)
    except ProviderError:
        return
    reply = assembler.reply("p/m")
    encode(Record(1, 1.0, ReplyRecord(reply)))
    turn = Turn(1, reply, tuple(Result.say("done") for _ in reply.calls))
    style = Style("p/m", vision=False, reasoning_field="reasoning_content")
    sent = b",".join(message for _, message in messages_of(turn, style))
    for message in json.loads(b"[" + sent + b"]", parse_constant=lambda _: 1 / 0):
        for call in message.get("tool_calls", ()):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
