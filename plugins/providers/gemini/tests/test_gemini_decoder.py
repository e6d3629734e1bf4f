"""Chunks to deltas: blocks, signatures, ids, ends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.errors import (
    BadReplyError,
    ProviderError,
    ReasoningRefusedError,
    RejectedCallError,
    RequestRefusedError,
    RetryableError,
    StreamCutError,
)
from turnloop_core.testing.loopback import pieces, sse
from turnloop_core.transport.speaker import Speaker
from turnloop_core.transport.sse import SseEvent, SseParser
from turnloop_core.types.deltas import (
    CallArguments,
    CallStart,
    Delta,
    End,
    OpaqueData,
    ReasoningDelta,
    TextDelta,
    UsageSoFar,
)
from turnloop_core.types.items import StopReason
from turnloop_core.types.usage import NO_USAGE, Usage
from turnloop_gemini.decode import Decoder

STOP = {"candidates": [{"finishReason": "STOP"}]}


def chunk(*parts: Any, **candidate: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **candidate}]}


def decode(*chunks: Any, close: bool = True) -> list[Delta]:
    decoder = Decoder(Speaker("p"))
    deltas: list[Delta] = []
    for value in chunks:
        data = value if isinstance(value, str) else json.dumps(value)
        deltas += decoder.feed(SseEvent("", data))
    return [*deltas, *decoder.close()] if close else deltas


def call(name: str = "Read", args: Any = None, **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {"a": 1} if args is None else args}, **more}


def opaque(block: str, target: Any = "reasoning", **data: str) -> OpaqueData:
    return OpaqueData(block, data, target)


def end(stop: StopReason = StopReason.END_TURN, raw: str = "STOP") -> End:
    return End(stop, NO_USAGE, raw)


def test_unsigned_parts_of_one_kind_are_one_block() -> None:
    deltas = decode(
        chunk({"text": "I ", "thought": True}, {"text": "think.", "thought": True}),
        chunk({"text": "So "}),
        chunk({"text": ""}, {"text": "be it."}),
        STOP,
    )
    assert deltas == [
        ReasoningDelta("I ", "reasoning_1"),
        ReasoningDelta("think.", "reasoning_1"),
        TextDelta("So ", "text_2"),
        TextDelta("be it.", "text_2"),
        end(),
    ]


def test_a_signed_part_stands_alone() -> None:
    deltas = decode(
        chunk({"text": "a"}),
        chunk({"text": "b", "thoughtSignature": "S1"}),
        chunk({"text": "c"}),
        chunk({"text": "", "thoughtSignature": "S2"}),
        chunk({"text": "t", "thought": True, "thoughtSignature": "S3"}),
        STOP,
    )
    assert deltas == [
        TextDelta("a", "text_1"),
        TextDelta("b", "text_2"),
        opaque("text_2", "text", thoughtSignature="S1"),
        TextDelta("c", "text_3"),
        opaque("text_4", "text", thoughtSignature="S2"),
        ReasoningDelta("t", "reasoning_5"),
        opaque("reasoning_5", thoughtSignature="S3"),
        end(),
    ]


def test_calls() -> None:
    """The signature of several calls rides on the first; ids are noted where the wire has them."""
    deltas = decode(
        chunk(
            {"text": "Look."},
            call(thoughtSignature="S"),
            call("Glob", {"p": "größe 🙂"}),
            {"functionCall": {"name": "Todo", "id": "id-1"}},
        ),
        chunk({"text": "Then."}),
        STOP,
    )
    assert deltas == [
        TextDelta("Look.", "text_1"),
        CallStart("call_2", "Read"),
        CallArguments("call_2", '{"a":1}'),
        opaque("call_2", thoughtSignature="S"),
        CallStart("call_3", "Glob"),
        CallArguments("call_3", '{"p":"größe 🙂"}'),
        CallStart("call_4", "Todo", "id-1"),
        CallArguments("call_4", "{}"),
        opaque("call_4", id="id-1"),
        TextDelta("Then.", "text_5"),
        end(StopReason.TOOL_USE),
    ]


def test_calls_that_are_none_go_on_as_they_are() -> None:
    """They become error results, not faults of the stream."""
    deltas = decode(chunk({"functionCall": {}}, {"functionCall": {"name": 3, "args": [1]}}), STOP)
    assert deltas == [
        CallStart("call_1", ""),
        CallArguments("call_1", "{}"),
        CallStart("call_2", ""),
        CallArguments("call_2", "[1]"),
        end(StopReason.TOOL_USE),
    ]


def test_parts_of_other_kinds_are_named() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "QQ=="}}
    note = "[The model sent a part of another kind (inlineData), which is left out.]"
    assert decode(
        chunk({"text": "a"}, image, {"text": "b"}, {}, "odd", {"thought": True}), STOP
    ) == [
        TextDelta("a", "text_1"),
        TextDelta(note, "text_2"),
        TextDelta("b", "text_3"),
        end(),
    ]


@pytest.mark.parametrize(
    ("word", "stop"),
    [
        ("STOP", StopReason.END_TURN),
        ("MAX_TOKENS", StopReason.MAX_TOKENS),
        *[
            (word, StopReason.REFUSAL)
            for word in (
                "SAFETY",
                "RECITATION",
                "BLOCKLIST",
                "PROHIBITED_CONTENT",
                "SPII",
                "IMAGE_SAFETY",
                "LANGUAGE",
            )
        ],
        ("OTHER", StopReason.ERROR),
        ("MALFORMED_RESPONSE", StopReason.ERROR),
        ("SOMETHING_NEW", StopReason.ERROR),
    ],
)
def test_finish_reasons(word: str, stop: StopReason) -> None:
    assert decode(chunk({"text": "x"}, finishReason=word))[-1] == End(stop, NO_USAGE, word)


def test_a_call_does_not_turn_another_ending_into_tool_use() -> None:
    """A call of a reply that the output limit cut must not run."""
    for word, stop in (
        ("MAX_TOKENS", StopReason.MAX_TOKENS),
        ("SAFETY", StopReason.REFUSAL),
        ("OTHER", StopReason.ERROR),
    ):
        assert decode(chunk(call(), finishReason=word))[-1] == End(stop, NO_USAGE, word)


def test_the_newest_finish_reason_counts() -> None:
    """Some servers put one on every chunk."""
    deltas = decode(
        chunk({"text": "a"}, finishReason="STOP"),
        chunk({"text": "b"}, finishReason="STOP"),
        chunk(finishReason="MAX_TOKENS"),
    )
    assert deltas == [
        TextDelta("a", "text_1"),
        TextDelta("b", "text_1"),
        end(StopReason.MAX_TOKENS, "MAX_TOKENS"),
    ]


def test_without_a_finish_reason_the_stream_was_cut() -> None:
    """Also after a call that is complete, and when a gateway adds a mark of another wire."""
    for chunks in ([chunk({"text": "x"})], [chunk(call())], [chunk(call()), "[DONE]"], []):
        with pytest.raises(StreamCutError):
            decode(*chunks)


def test_a_blocked_prompt() -> None:
    assert decode({"promptFeedback": {"blockReason": "OTHER"}}) == [
        end(StopReason.REFUSAL, "OTHER")
    ]


@pytest.mark.parametrize(
    "word", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"]
)
def test_a_call_that_the_server_threw_away(word: str) -> None:
    """The usage is told before, since no end will be."""
    decoder = Decoder(Speaker("p"))
    told = {"promptTokenCount": 9, "candidatesTokenCount": 3}
    last = chunk(finishReason=word, finishMessage="print(\n Read(") | {"usageMetadata": told}
    assert list(decoder.feed(SseEvent("", json.dumps(last)))) == [UsageSoFar(Usage(9, 3))]
    with pytest.raises(RejectedCallError, match=rf"^p: the model .*\({word}: print\( Read\(\)$"):
        decoder.close()
    assert decoder.raw_stop == word


def test_a_signature_that_the_server_misses() -> None:
    with pytest.raises(ReasoningRefusedError, match="bears no signature"):
        decode(chunk(finishReason="MISSING_THOUGHT_SIGNATURE"))


def test_usage_is_cumulative() -> None:
    first = {"promptTokenCount": 100, "cachedContentTokenCount": 60, "thoughtsTokenCount": 5}
    last = {"promptTokenCount": 100, "candidatesTokenCount": 7, "toolUsePromptTokenCount": 4}
    deltas = decode(
        chunk({"text": "a"}) | {"usageMetadata": first},
        chunk({"text": "b"}, finishReason="STOP"),
        {"usageMetadata": last | {"thoughtsTokenCount": 9}},
    )
    whole = Usage(44, 16, 60, reasoning=9)
    assert [d for d in deltas if isinstance(d, (UsageSoFar, End))] == [
        UsageSoFar(Usage(40, 5, 60, reasoning=5)),
        UsageSoFar(whole),
        End(StopReason.END_TURN, whole, "STOP"),
    ]


def test_counts_in_the_terms_of_the_wire() -> None:
    decoder = Decoder(Speaker("p"))
    nothing = dict.fromkeys(("input", "output", "cache_read", "cache_write"))
    assert decoder.counts() == nothing
    decoder.feed(SseEvent("", '{"usageMetadata": {"promptTokenCount": 9}}'))
    assert decoder.counts() == nothing | {"input": 9, "output": 0}


def test_other_candidates_are_none_of_ours() -> None:
    other = {"index": 1, "content": {"parts": [{"text": "no"}]}, "finishReason": "SAFETY"}
    both = {"candidates": [other, {"index": 0, "content": {"parts": [{"text": "yes"}]}}]}
    assert decode({"candidates": [other]}, both, STOP) == [TextDelta("yes", "text_1"), end()]


def test_odd_shapes_are_borne() -> None:
    odd = [
        {"candidates": None},
        {"candidates": [None]},
        {"candidates": [{"content": {}}]},
        {"candidates": [{"content": {"role": "model"}}]},
        {"candidates": [{"content": {"parts": None}, "finishReason": None}]},
        {"usageMetadata": None, "promptFeedback": {}},
        {"usageMetadata": {"promptTokenCount": "many"}},
        {},
        "  ",
    ]
    assert [d for d in decode(*odd, STOP) if not isinstance(d, UsageSoFar)] == [
        End(StopReason.END_TURN, Usage(), "STOP")
    ]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 503, "message": "busy", "status": "UNAVAILABLE"}, RetryableError),
        ({"code": 500, "message": "oh", "status": "INTERNAL"}, RetryableError),
        ({"code": 400, "message": "bad", "status": "INVALID_ARGUMENT"}, RequestRefusedError),
        (
            {"code": 400, "message": "Function call is missing a thought_signature in it."},
            ReasoningRefusedError,
        ),
        ({"code": 400, "message": "Corrupted thought signature."}, ReasoningRefusedError),
    ],
)
def test_errors_within_the_stream(error: Any, kind: type[ProviderError]) -> None:
    for event in ({"error": error}, [chunk({"text": "x"}), {"error": error}]):
        with pytest.raises(ProviderError) as raised:
            decode(chunk({"text": "x"}), event)
        assert type(raised.value) is kind


def test_what_is_no_chunk_is_said_so() -> None:
    for data in ("nonsense", "3", '"x"', '{"choices": []}', "[3]"):
        with pytest.raises(BadReplyError, match="not what this protocol says"):
            decode(data)


TEXTS = st.text(max_size=6)
PARTS = st.one_of(
    st.fixed_dictionaries(
        {"text": TEXTS},
        optional={"thought": st.just(True), "thoughtSignature": st.text("AB=", min_size=1)},
    ),
    st.fixed_dictionaries(
        {
            "functionCall": st.fixed_dictionaries(
                {"name": st.just("Read"), "args": st.dictionaries(TEXTS, TEXTS, max_size=2)},
                optional={"id": st.text("xyz", min_size=1, max_size=3)},
            )
        },
        optional={"thoughtSignature": st.text("AB=", min_size=1)},
    ),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(PARTS, max_size=4), max_size=4), st.sampled_from([1, 7, 64]))
def test_pieces_change_nothing_and_nothing_is_lost(chunks: list[list[Any]], size: int) -> None:
    stream = sse(*[chunk(*parts) for parts in chunks], STOP)
    parser, decoder = SseParser(), Decoder(Speaker("p"))
    deltas: list[Delta] = []
    for piece in pieces(stream, size):
        for event in parser.feed(piece):
            deltas += decoder.feed(event)
    deltas += decoder.close()
    assert deltas == decode(*[chunk(*parts) for parts in chunks], STOP)
    parts = [part for parts in chunks for part in parts]
    signed = [p["thoughtSignature"] for p in parts if "thoughtSignature" in p]
    kept = [d.data for d in deltas if isinstance(d, OpaqueData)]
    assert [data["thoughtSignature"] for data in kept if "thoughtSignature" in data] == signed
    for kind, thought in ((TextDelta, False), (ReasoningDelta, True)):
        said = "".join(
            p["text"] for p in parts if "text" in p and bool(p.get("thought")) is thought
        )
        assert "".join(d.text for d in deltas if isinstance(d, kind)) == said
