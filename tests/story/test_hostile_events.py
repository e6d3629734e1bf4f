"""Anthropic and Gemini streams with anything anywhere, in any order, cut at any byte."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from story.test_hostile_chunks import ANYTHING, ERROR, places, replaced
from turnloop_anthropic.blocks import Look as AnthropicLook
from turnloop_anthropic.encode import Encoder as AnthropicEncoder
from turnloop_anthropic.options import AnthropicOptions
from turnloop_anthropic.thinking import Plan
from turnloop_anthropic.wire import WIRE as ANTHROPIC_WIRE
from turnloop_core.api import (
    Capabilities,
    Prefix,
    Prompt,
    ProviderError,
    Reply,
    Request,
    Result,
    StopReason,
    Turn,
    View,
    WireFormat,
)
from turnloop_core.log.jsonl import decode, encode
from turnloop_core.log.records import Record, ReplyRecord
from turnloop_core.loop.assemble import Assembler
from turnloop_core.transport.recorded import Decoded, decode as decoded
from turnloop_gemini.contents import Look as GeminiLook
from turnloop_gemini.encode import Encoder as GeminiEncoder
from turnloop_gemini.models import traits_of
from turnloop_gemini.wire import WIRE as GEMINI_WIRE

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
RESULT = Result.say("done")


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


def begun(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return event("content_block_start", index=index, content_block=event(kind, **fields))


def piece(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return event("content_block_delta", index=index, delta=event(kind, **fields))


ANTHROPIC: list[Any] = [
    event("message_start", message={"usage": {"input_tokens": 9, "cache_read_input_tokens": 4}}),
    begun(0, "thinking", thinking="", signature=""),
    piece(0, "thinking_delta", thinking="hm"),
    piece(0, "signature_delta", signature="c2ln"),
    event("content_block_stop", index=0),
    begun(1, "redacted_thinking", data="c2VjcmV0"),
    event("content_block_stop", index=1),
    begun(2, "text", text=""),
    piece(2, "text_delta", text="hello"),
    event("content_block_stop", index=2),
    begun(3, "tool_use", id="toolu_1", name="Bash", input={}),
    piece(3, "input_json_delta", partial_json='{"command": '),
    piece(3, "input_json_delta", partial_json='"ls"}'),
    event("content_block_stop", index=3),
    begun(4, "tool_use", id="toolu_2", name="Read", input={"file_path": "a"}),
    event("content_block_stop", index=4),
    event("message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 7}),
    event("message_stop"),
]
WHOLE_MESSAGE = event(
    "message",
    content=[begun(0, "text", text="hi")["content_block"], event("tool_use", name="Read")],
    stop_reason="tool_use",
    usage={"input_tokens": 1},
)


def chunk(*parts: Any, **fields: Any) -> dict[str, Any]:
    content = {"role": "model", "parts": list(parts)}
    return {"candidates": [{"index": 0, "content": content, **fields}]}


COUNTS = {
    "promptTokenCount": 9,
    "cachedContentTokenCount": 4,
    "candidatesTokenCount": 5,
    "thoughtsTokenCount": 2,
}
GEMINI: list[Any] = [
    chunk({"text": "hm", "thought": True}),
    chunk({"text": "hm", "thought": True, "thoughtSignature": "c2ln"}),
    chunk({"text": "hello"}) | {"usageMetadata": COUNTS},
    chunk({"text": "", "thoughtSignature": "c2ln"}, {"inlineData": {"data": "eA=="}}),
    chunk(
        {"functionCall": {"name": "Bash", "args": {"a": "ls"}}, "thoughtSignature": "c2ln"},
        {"functionCall": {"id": "f1", "name": "Read", "args": {"file_path": "a"}}},
    ),
    chunk(finishReason="STOP", finishMessage="m") | {"usageMetadata": COUNTS},
]
BLOCKED = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": COUNTS}


@dataclass(frozen=True)
class Wire:
    """A wire under test.

    Attributes:
        format: how it is read.
        events: one whole reply.
        odd: events that may come as well.
        ends: events from the end of which one says why the reply ended.
        body: the items of a conversation -> a request.
        laws: raises where a server would refuse the messages of that request.
    """

    format: WireFormat
    events: Sequence[Any]
    odd: Sequence[Any]
    ends: int
    body: Callable[[Request], Sequence[bytes]]
    laws: Callable[[Mapping[str, Any]], None]


def anthropic_body(request: Request) -> Sequence[bytes]:
    look = AnthropicLook("p/m", vision=True, carries=True)
    return AnthropicEncoder(AnthropicOptions(kind="anthropic")).body(
        request, look, Plan({}, 9), cache=True
    )


def gemini_body(request: Request) -> Sequence[bytes]:
    look = GeminiLook("p/m", vision=True, signs_calls=True)
    return GeminiEncoder({}).body(request, look, traits_of("m", "", None), Capabilities())


def anthropic_laws(body: Mapping[str, Any]) -> None:
    messages = body["messages"]
    assert [m["role"] for m in messages] == ["user", "assistant", "user"][: len(messages)]
    calls, results = [], []
    for message in messages:
        assert message["content"]
        for block in message["content"]:
            match block["type"]:
                case "text":
                    assert block["text"].strip()
                case "thinking":
                    assert isinstance(block["thinking"], str)
                    assert isinstance(block["signature"], str)
                    assert block["signature"]
                case "redacted_thinking":
                    assert isinstance(block["data"], str)
                    assert block["data"]
                case "tool_use":
                    assert isinstance(block["input"], dict)
                    assert NAME.fullmatch(block["name"])
                    assert NAME.fullmatch(block["id"])
                    calls.append(block["id"])
                case kind:
                    assert kind == "tool_result"
                    results.append(block["tool_use_id"])
    assert calls == results
    assert len(set(calls)) == len(calls)


def gemini_laws(body: Mapping[str, Any]) -> None:
    calls, results = [], []
    for content in body["contents"]:
        assert content["parts"]
        for part in content["parts"]:
            signature = part.get("thoughtSignature", "x")
            assert isinstance(signature, str)
            assert signature
            if (call := part.get("functionCall")) is not None:
                assert isinstance(call["args"], dict)
                assert NAME.fullmatch(call["name"])
                calls.append((call["name"], call.get("id")))
            elif (answer := part.get("functionResponse")) is not None:
                results.append((answer["name"], answer.get("id")))
            else:
                assert part["text"].strip() or "thoughtSignature" in part
    assert calls == results


WIRES = {
    "anthropic": Wire(
        ANTHROPIC_WIRE,
        ANTHROPIC,
        (WHOLE_MESSAGE, event("error", **ERROR), event("ping")),
        2,
        anthropic_body,
        anthropic_laws,
    ),
    "gemini": Wire(GEMINI_WIRE, GEMINI, (BLOCKED, ERROR, [ERROR]), 1, gemini_body, gemini_laws),
}
each_wire = pytest.mark.parametrize("wire", WIRES.values(), ids=list(WIRES))


def stream(texts: Sequence[str]) -> bytes:
    return b"".join(b"data: " + text.encode("utf-8", "replace") + b"\n\n" for text in texts)


def disturbed(data: st.DataObject, events: Sequence[Any], most: int) -> list[str]:
    """The events as JSON, with anything at a few places."""
    texts = [json.dumps(e) for e in events]
    for _ in range(data.draw(st.integers(0, most)) if events else 0):
        number = data.draw(st.integers(0, len(events) - 1))
        path = data.draw(st.sampled_from(list(places(events[number]))))
        texts[number] = replaced(events[number], path, data.draw(ANYTHING))
    return texts


def reply_of(got: Decoded) -> Reply | None:
    """The reply, None where an error came instead; another exception is a failure."""
    assembler = Assembler("s")
    try:
        for delta in got.deltas:
            assembler.feed(delta)
    except ProviderError:
        return None
    return None if assembler.end is None else assembler.reply("p/m")


def check(wire: Wire, got: Decoded) -> None:
    """What came can be logged, read back, and sent back as a legal body."""
    reply = reply_of(got)
    if reply is None:
        assert got.error is not None
        return
    record = Record(1, 1.0, ReplyRecord(reply))
    assert decode(encode(record)) == record
    turn = Turn(2, reply, tuple(RESULT for _ in reply.calls))
    request = Request(View(Prefix(), (Prompt(1, "go"), turn)), "m", 9)
    body = json.loads(b"".join(wire.body(request)), parse_constant=lambda _: 1 / 0)
    wire.laws(body)


@each_wire
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_anything_anywhere(wire: Wire, data: st.DataObject) -> None:
    check(wire, decoded(wire.format, stream(disturbed(data, wire.events, 3))))


@each_wire
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_any_events_in_any_order(wire: Wire, data: st.DataObject) -> None:
    """Lost, doubled and swapped ones, and some that nobody asked for."""
    choice = st.sampled_from([*wire.events, *wire.odd])
    events = data.draw(st.lists(choice, min_size=1, max_size=len(wire.events)))
    check(wire, decoded(wire.format, stream(disturbed(data, [*events, wire.events[-1]], 2))))


@each_wire
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_no_call_runs_before_the_end_came(wire: Wire, data: st.DataObject) -> None:
    """Whatever came, and wherever it broke off: without a reason to stop it is no reply."""
    sent = stream(disturbed(data, wire.events[: -wire.ends], 2))
    sent = sent[: data.draw(st.integers(0, len(sent)))]
    got = decoded(wire.format, sent, chunk=data.draw(st.sampled_from([0, 7, 64])))
    assert got.error is not None
    assert reply_of(got) is None


@each_wire
def test_the_undisturbed_reply_is_whole(wire: Wire) -> None:
    """Otherwise the tests above would prove nothing."""
    got = decoded(wire.format, stream([json.dumps(e) for e in wire.events]))
    check(wire, got)
    reply = reply_of(got)
    assert reply is not None
    assert (reply.stop, len(reply.calls)) == (StopReason.TOOL_USE, 2)
    assert reply.text.startswith("hello")
