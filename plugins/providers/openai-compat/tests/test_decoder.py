"""The decoder on what servers really send: odd numbering, odd endings, errors in the stream."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from turnloop_core.errors import (
    BadReplyError,
    ProviderError,
    RequestRefusedError,
    RetryableError,
    StreamCutError,
)
from turnloop_core.transport.speaker import Speaker
from turnloop_core.transport.sse import SseEvent
from turnloop_core.types.deltas import (
    CallArguments,
    CallStart,
    Delta,
    End,
    OpaqueData,
    ReasoningDelta,
    TextDelta,
)
from turnloop_core.types.items import StopReason
from turnloop_core.types.usage import NO_USAGE, Usage
from turnloop_openai_compat.decode import Decoder

Piece = Mapping[str, Any]


def decode(*chunks: Any, event: str = "", think_tags: bool = False) -> list[Delta]:
    decoder = Decoder(Speaker("p"), think_tags=think_tags)
    deltas: list[Delta] = []
    for chunk in chunks:
        data = chunk if isinstance(chunk, str) else json.dumps(chunk)
        deltas += decoder.feed(SseEvent(event, data))
    return [*deltas, *decoder.close()]


def chunk(finish: str | None = None, **delta: Any) -> Piece:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def piece(
    index: int | None = None, id_: str | None = None, name: str | None = None, args: Any = None
) -> Piece:
    made: dict[str, Any] = {"function": {}}
    if index is not None:
        made["index"] = index
    if id_ is not None:
        made["id"] = id_
    if name is not None:
        made["function"]["name"] = name
    if args is not None:
        made["function"]["arguments"] = args
    return made


def calls(*pieces: Piece | list[Piece]) -> list[tuple[str, str, str]]:
    """(id, name, arguments) of the calls that come out of some pieces, each a chunk of its own."""
    chunks = [chunk(tool_calls=p if isinstance(p, list) else [p]) for p in pieces]
    deltas = decode(*chunks, chunk("tool_calls"))
    assert isinstance(deltas[-1], End)
    assert deltas[-1].stop is StopReason.TOOL_USE
    return [
        (
            start.id,
            start.name,
            "".join(
                d.fragment
                for d in deltas
                if isinstance(d, CallArguments) and d.block == start.block
            ),
        )
        for start in deltas
        if isinstance(start, CallStart)
    ]


A, B = '{"path": "a.txt"}', '{"path": "b.txt"}'
BOTH = [("x", "read", A), ("y", "read", B)]
NAMELESS = [("", "read", A), ("", "read", B)]


def halves(text: str) -> tuple[str, str]:
    return text[:7], text[7:]


def test_same_index_with_other_ids() -> None:
    """STR-01 a"""
    (a1, a2), (b1, b2) = halves(A), halves(B)
    got = calls(
        piece(0, "x", "read", a1), piece(0, args=a2), piece(0, "y", "read", b1), piece(0, args=b2)
    )
    assert got == BOTH


def test_no_index_and_the_id_once() -> None:
    """STR-01 b"""
    (a1, a2), (b1, b2) = halves(A), halves(B)
    got = calls(
        piece(None, "x", "read", a1),
        piece(args=a2),
        piece(None, "y", "read"),
        piece(args=b1),
        piece(args=b2),
    )
    assert got == BOTH


def test_two_entries_of_one_call_in_one_chunk() -> None:
    """STR-01 c"""
    a1, a2 = halves(A)
    assert calls([piece(0, "x", "read"), piece(0, args=a1)], piece(0, args=a2)) == BOTH[:1]


def test_interleaved_by_index() -> None:
    """STR-01 d"""
    (a1, a2), (b1, b2) = halves(A), halves(B)
    got = calls(
        piece(0, "x", "read"),
        piece(1, "y", "read"),
        piece(0, args=a1),
        piece(1, args=b1),
        piece(1, args=b2),
        piece(0, args=a2),
    )
    assert got == BOTH


def test_whole_calls_without_ids() -> None:
    assert calls([piece(0, None, "read", A), piece(1, None, "read", B)]) == NAMELESS
    assert calls([piece(None, None, "read", A), piece(None, None, "read", B)]) == NAMELESS
    assert calls(piece(0, "", "read", A), piece(0, "", "read", B)) == NAMELESS
    assert calls(piece(0, None, "read", A), piece(0, None, "write", B)) == [
        ("", "read", A),
        ("", "write", B),
    ]


def test_ids_and_names_that_are_repeated_or_empty() -> None:
    a1, a2 = halves(A)
    assert calls(piece(0, "x", "read", a1), piece(0, "x", "read", a2)) == BOTH[:1]
    assert calls(piece(0, "x", "read", a1), piece(0, "", "", a2)) == BOTH[:1]
    assert calls(piece(None, "x", "read", a1), piece(None, "x", "read", a2)) == BOTH[:1]
    assert calls(piece(0, "x", "read", a1), piece(0, None, "read", a2)) == BOTH[:1]
    assert calls(piece(0, "x", "read", A), piece(0, "x", "read", "")) == BOTH[:1]


def test_the_name_after_the_id_or_the_arguments() -> None:
    a1, a2 = halves(A)
    assert calls(piece(0, "x"), piece(0, None, "read"), piece(0, args=A)) == BOTH[:1]
    assert calls(piece(0, "x", None, a1), piece(0, None, "read", a2)) == BOTH[:1]
    assert calls(piece(0, "x", None, A)) == [("x", "", A)]


def test_one_id_for_two_tools() -> None:
    assert calls(piece(None, "x", "read", A), piece(None, "x", "write", B)) == [
        ("x", "read", A),
        ("x", "write", B),
    ]


def test_arguments_as_an_object() -> None:
    assert calls(piece(0, "x", "read", {"path": "a.txt"})) == BOTH[:1]


def test_pieces_that_are_no_calls() -> None:
    deltas = decode(chunk(tool_calls=[None, "x", {"function": None}]), chunk("stop"))
    assert isinstance(deltas[-1], End)
    assert [d for d in deltas if isinstance(d, CallStart) and d.name] == []


def test_chunks_without_choices_or_delta() -> None:
    """STR-02"""
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    deltas = decode(
        {"choices": []},
        chunk(content="hello"),
        {"choices": [{"index": 0, "delta": None}]},
        {"choices": [None]},
        {"choices": None},
        chunk("stop"),
        {"choices": [], "usage": usage},
        "[DONE]",
    )
    assert deltas == [TextDelta("hello"), End(StopReason.END_TURN, Usage(10, 2), "stop")]


@pytest.mark.parametrize(
    "chunks",
    [
        [],
        [chunk(content="a"), chunk(content="b")],
        [chunk(tool_calls=[piece(0, "x", "write", '{"pa')])],
        [chunk(tool_calls=[piece(0, "x", "write", A)])],
    ],
)
def test_no_ending_mark_is_a_cut(chunks: list[Piece]) -> None:
    """STR-03: also when the arguments are complete"""
    with pytest.raises(StreamCutError) as raised:
        decode(*chunks)
    assert raised.value.cause == "closed"


def test_either_mark_is_enough() -> None:
    assert decode(chunk("stop", content="a"))[-1] == End(StopReason.END_TURN, NO_USAGE, "stop")
    unmarked = {"choices": [{"index": 0, "delta": {"content": "a"}}]}
    assert decode(unmarked, " [DONE] ")[-1] == End(StopReason.END_TURN, NO_USAGE, "")


@pytest.mark.parametrize(
    ("word", "stop"),
    [
        ("stop", StopReason.END_TURN),
        ("eos", StopReason.END_TURN),
        ("length", StopReason.MAX_TOKENS),
        ("max_tokens", StopReason.MAX_TOKENS),
        ("content_filter", StopReason.REFUSAL),
        ("tool_calls", StopReason.TOOL_USE),
        ("insufficient_system_resource", StopReason.ERROR),
    ],
)
def test_words_of_the_wire(word: str, stop: StopReason) -> None:
    assert decode(chunk(word))[-1] == End(stop, NO_USAGE, word)


def test_what_was_received_decides_not_the_word() -> None:
    """STR-04, STR-05 a: calls with `stop` are calls, calls cut by the limit are cut."""
    call = chunk(tool_calls=[piece(0, "x", "read", A)])
    assert decode(call, chunk("stop"))[-1] == End(StopReason.TOOL_USE, NO_USAGE, "stop")
    assert decode(call, chunk("length"))[-1] == End(StopReason.MAX_TOKENS, NO_USAGE, "length")


def test_the_first_finish_reason_holds() -> None:
    assert decode(chunk("length"), chunk("stop"))[-1] == End(
        StopReason.MAX_TOKENS, NO_USAGE, "length"
    )


def test_a_refusal_in_its_own_field() -> None:
    assert decode(chunk(refusal="No."), chunk("stop")) == [
        TextDelta("No.", "refusal"),
        End(StopReason.REFUSAL, NO_USAGE, "stop"),
    ]


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning_content": "hm"},
        {"reasoning": "hm"},
        {"reasoning": "hm", "reasoning_content": "hm"},
        {"reasoning_content": "", "reasoning": "hm"},
        {"reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "hm"}]},
        {"reasoning": "hm", "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]},
        {"content": [{"type": "thinking", "thinking": "hm"}]},
    ],
)
def test_reasoning_counts_once(delta: Piece) -> None:
    assert decode(chunk(**delta), chunk("stop")) == [
        ReasoningDelta("hm"),
        End(StopReason.END_TURN, NO_USAGE, "stop"),
    ]


def test_sealed_reasoning_is_kept_whole() -> None:
    deltas = decode(
        chunk(reasoning_details=[{"type": "reasoning.text", "text": "a", "index": 0}]),
        chunk(reasoning_details=[{"type": "reasoning.text", "text": "b", "index": 0}]),
        chunk(reasoning_details=[{"type": "reasoning.text", "signature": "S", "index": 0}]),
        chunk(reasoning_details=[{"type": "reasoning.encrypted", "data": "D", "id": "x"}]),
        chunk(tool_calls=[piece(0, "x", "read", A)]),
        chunk("tool_calls"),
    )
    text = {"type": "reasoning.text", "text": "ab", "index": 0, "signature": "S"}
    sealed = {"type": "reasoning.encrypted", "data": "D", "id": "x"}
    assert [d for d in deltas if isinstance(d, OpaqueData)] == [
        OpaqueData("reasoning", {"reasoning_details": [text], "places": [0]}),
        OpaqueData("call_0", {"reasoning_details": [sealed], "places": [1]}),
    ]


def test_nothing_is_added_to_what_is_sealed() -> None:
    """Two thoughts with one number, or the same seal twice, are not glued together."""

    def kept(*details: Piece) -> list[Piece]:
        chunks = [chunk(reasoning_details=[detail]) for detail in details]
        (opaque,) = [d for d in decode(*chunks, chunk("stop")) if isinstance(d, OpaqueData)]
        return list(opaque.data["reasoning_details"])

    one, two = {"text": "a", "signature": "S"}, {"text": "b", "signature": "T"}
    assert kept({"text": "a"}, {"signature": "S"}, {"text": "b"}, {"signature": "T"}) == [one, two]
    sealed = {"type": "reasoning.encrypted", "data": "D"}
    assert kept(sealed, {**sealed, "data": "E"}) == [sealed, {**sealed, "data": "E"}]
    assert kept({"text": "", "signature": ""}, {"text": "a"}, {"signature": "S"}) == [one]


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 2}, Usage(10, 2)),
        (
            {"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 4}},
            Usage(6, 0, cache_read=4),
        ),
        ({"prompt_tokens": 10, "prompt_cache_hit_tokens": 4}, Usage(6, 0, cache_read=4)),
        (
            {
                "prompt_tokens": 9,
                "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 3},
            },
            Usage(2, 0, cache_read=4, cache_write=3),
        ),
        (
            {"completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 5}},
            Usage(0, 9, reasoning=5),
        ),
        (
            {
                "prompt_tokens": 1,
                "completion_tokens": 9,
                "total_tokens": 15,
                "completion_tokens_details": {"reasoning_tokens": 5},
            },
            Usage(1, 14, reasoning=5),
        ),
        (
            {"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": 9}},
            Usage(0, 0, cache_read=1),
        ),
        ({"prompt_tokens": None, "completion_tokens": "x"}, Usage()),
    ],
)
def test_counts_never_overlap(usage: Piece, expected: Usage) -> None:
    for place in (
        {"choices": [], "usage": usage},
        {"choices": [], "x_groq": {"usage": usage}},
        {"choices": [{"index": 0, "delta": {}, "usage": usage}]},
    ):
        assert decode(chunk("stop"), place)[-1] == End(StopReason.END_TURN, expected, "stop")


OVERLOADED = {"error": {"type": "overloaded_error", "message": "x"}}


@pytest.mark.parametrize(
    ("error", "cls"),
    [
        (OVERLOADED, RetryableError),
        ({"error": {"code": 400, "message": "no"}}, RequestRefusedError),
        ({"object": "error", "message": "no", "code": 400}, RequestRefusedError),
        ({**chunk(), "error": {"code": 502, "message": "upstream"}}, RetryableError),
    ],
)
def test_errors_in_the_stream(error: Piece, cls: type[ProviderError]) -> None:
    with pytest.raises(cls):
        decode(chunk(content="a"), error)


def test_an_event_of_type_error() -> None:
    with pytest.raises(RequestRefusedError, match="no such thing"):
        decode({"message": "no such thing", "code": 400}, event="error")


def test_an_error_after_the_end_changes_nothing() -> None:
    assert decode(chunk("length"), OVERLOADED)[-1] == End(StopReason.MAX_TOKENS, NO_USAGE, "length")


@pytest.mark.parametrize("data", ['{"choices": [', "hello", "[1]", "3"])
def test_an_event_that_is_no_chunk(data: str) -> None:
    with pytest.raises(BadReplyError):
        decode(data)


def test_a_whole_completion() -> None:
    message = {
        "role": "assistant",
        "content": "Hi.",
        "reasoning_content": "hm",
        "tool_calls": [
            {"id": "x", "type": "function", "function": {"name": "read", "arguments": A}}
        ],
    }
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    assert decode({"choices": [choice], "usage": usage}) == [
        ReasoningDelta("hm"),
        TextDelta("Hi."),
        CallStart("call_0", "read", "x"),
        CallArguments("call_0", A),
        End(StopReason.TOOL_USE, Usage(3, 4), "tool_calls"),
    ]
