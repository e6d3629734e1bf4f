"""Streams of every shape become the right deltas."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from anthropic_events import (
    Event,
    begin,
    blocks,
    call,
    decode,
    delta,
    end,
    start,
    stop,
    stream,
    text,
    thinking,
)
from hypothesis import given, settings, strategies as st

from turnloop_anthropic.decode import Decoder
from turnloop_core.api import Speaker
from turnloop_core.errors import (
    BadReplyError,
    RequestRefusedError,
    RetryableError,
    StreamCutError,
)
from turnloop_core.testing.loopback import pieces
from turnloop_core.transport.sse import SseEvent
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
from turnloop_core.types.usage import Usage

OPENED = Usage(input=90, output=1, cache_read=40)
ENDED = Usage(input=90, output=17, cache_read=40)


def heard(*events: Event | Sequence[Event]) -> list[Delta]:
    """The deltas of some events, which must make a whole reply."""
    flat = [e for part in events for e in (part if isinstance(part, list) else [part])]
    deltas, error = decode(stream(*flat))
    assert error is None
    return deltas


def test_a_reply_of_all_kinds() -> None:
    assert heard(
        begin(),
        thinking(0, "SEAL", "I ", "think."),
        [start(1, type="redacted_thinking", data="HIDDEN"), stop(1)],
        text(2, "Hel", "lo"),
        call(3, "toolu_1", "Read", ['{"a"', ": 1}"]),
        end("tool_use"),
    ) == [
        UsageSoFar(OPENED),
        ReasoningDelta("I ", "0"),
        ReasoningDelta("think.", "0"),
        OpaqueData("0", {"signature": "SEAL"}),
        OpaqueData("1", {"redacted": "HIDDEN"}),
        TextDelta("Hel", "2"),
        TextDelta("lo", "2"),
        CallStart("3", "Read", "toolu_1"),
        CallArguments("3", '{"a"'),
        CallArguments("3", ": 1}"),
        End(StopReason.TOOL_USE, ENDED, "tool_use"),
    ]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("end_turn", StopReason.END_TURN),
        ("stop_sequence", StopReason.END_TURN),
        ("max_tokens", StopReason.MAX_TOKENS),
        ("model_context_window_exceeded", StopReason.MAX_TOKENS),
        ("refusal", StopReason.REFUSAL),
        ("tool_use", StopReason.TOOL_USE),
        ("pause_turn", StopReason.INCOMPLETE),
        ("something_new", StopReason.END_TURN),
    ],
)
def test_stop_reasons(word: str, expected: StopReason) -> None:
    assert heard(begin(), text(0, "x"), end(word))[-1] == End(expected, ENDED, word)


def test_calls_count_more_than_the_word() -> None:
    last = heard(begin(), call(0, "c", "Read", ["{}"]), end("end_turn"))[-1]
    assert last == End(StopReason.TOOL_USE, ENDED, "end_turn")


def test_a_call_without_arguments_has_an_empty_object() -> None:
    deltas = heard(begin(), call(0, "c", "List", []), end("tool_use"))
    assert deltas[1:3] == [CallStart("0", "List", "c"), CallArguments("0", "{}")]


def test_arguments_that_come_with_the_beginning() -> None:
    head = start(0, type="tool_use", id="c", name="Read", input={"a": "ö"})
    deltas = heard(begin(), head, stop(0), end("tool_use"))
    assert deltas[2] == CallArguments("0", '{"a": "ö"}')


def test_pieces_stand_for_what_came_with_the_beginning() -> None:
    head = start(0, type="tool_use", id="c", name="Read", input={"a": 1})
    piece = delta(0, "input_json_delta", partial_json='{"a": 2}')
    deltas = heard(begin(), head, piece, stop(0), end("tool_use"))
    assert [d for d in deltas if isinstance(d, CallArguments)] == [CallArguments("0", '{"a": 2}')]


def test_a_call_whose_end_never_came() -> None:
    ended = heard(begin(), call(0, "c", "List", [], whole=False), end("tool_use"))
    assert CallArguments("0", "{}") in ended
    cut = heard(begin(), call(0, "c", "List", [], whole=False), end("max_tokens"))
    assert not any(isinstance(d, CallArguments) for d in cut)


def test_a_thought_whose_end_never_came_keeps_its_seal() -> None:
    deltas = heard(begin(), thinking(0, "SEAL", "hm")[:-1], end("max_tokens"))
    assert OpaqueData("0", {"signature": "SEAL"}) in deltas


def test_a_thought_without_text_keeps_its_seal() -> None:
    deltas = heard(begin(), thinking(0, "SEAL"), text(1, "x"), end("end_turn"))
    assert deltas[1:3] == [OpaqueData("0", {"signature": "SEAL"}), TextDelta("x", "1")]


def test_blocks_that_take_turns_and_indexes_with_gaps() -> None:
    deltas = heard(
        begin(),
        start(2, type="tool_use", id="a", name="Read", input={}),
        start(7, type="tool_use", id="b", name="Write", input={}),
        delta(7, "input_json_delta", partial_json='{"b"'),
        delta(2, "input_json_delta", partial_json='{"a": 1}'),
        delta(7, "input_json_delta", partial_json=": 2}"),
        stop(7),
        stop(2),
        end("tool_use"),
    )
    said = {d.block: "" for d in deltas if isinstance(d, CallStart)}
    for one in deltas:
        if isinstance(one, CallArguments):
            said[one.block] += one.fragment
    assert said == {"0": '{"a": 1}', "1": '{"b": 2}'}


def test_an_index_that_comes_again_is_another_block() -> None:
    deltas = heard(begin(), text(0, "one"), call(0, "c", "Read", ["{}"]), end("tool_use"))
    assert TextDelta("one", "0") in deltas
    assert CallStart("1", "Read", "c") in deltas


def test_what_the_server_does_with_its_own_tools_is_passed_over() -> None:
    deltas = heard(
        begin(),
        start(0, type="server_tool_use", id="srv", name="web_search", input={}),
        delta(0, "input_json_delta", partial_json='{"query": "x"}'),
        stop(0),
        [start(1, type="web_search_tool_result", tool_use_id="srv", content=[]), stop(1)],
        start(2, type="text", text="", citations=[]),
        delta(2, "citations_delta", citation={"url": "x"}),
        delta(2, "text_delta", text="found"),
        delta(2, "a_new_delta", more=1),
        stop(2),
        {"type": "a_new_event"},
        {"type": "ping"},
        end("end_turn"),
    )
    assert deltas == [
        UsageSoFar(OPENED),
        TextDelta("found", "2"),
        End(StopReason.END_TURN, ENDED, "end_turn"),
    ]


def test_a_block_whose_beginning_was_lost() -> None:
    deltas = heard(
        begin(),
        delta(0, "thinking_delta", thinking="hm"),
        delta(1, "text_delta", text="a"),
        delta(1, "text_delta", text="b"),
        delta(2, "input_json_delta", partial_json="{}"),
        end("end_turn"),
    )
    assert deltas[1:-1] == [ReasoningDelta("hm", "0"), TextDelta("a", "1"), TextDelta("b", "1")]


def test_usage_is_merged() -> None:
    opening = {"input_tokens": 2_225, "cache_read_input_tokens": 7, "output_tokens": 25}
    last = {
        "input_tokens": 9_447,
        "cache_read_input_tokens": None,
        "output_tokens": 114,
        "output_tokens_details": {"thinking_tokens": 30},
    }
    final = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": last}
    decoder = Decoder(Speaker("p"))
    for event in (begin(opening), final):
        decoder.feed(SseEvent("", json.dumps(event)))
    assert decoder.counts() == {
        "input": 9_447,
        "output": 114,
        "cache_read": 7,
        "cache_write": None,
    }
    (ending,) = decoder.close()
    assert isinstance(ending, End)
    assert ending.usage == Usage(input=9_447, output=114, cache_read=7, reasoning=30)


def test_zeros_at_the_end_erase_nothing() -> None:
    zeros = {"input_tokens": 0, "output_tokens": 5, "cache_read_input_tokens": 0}
    final = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": zeros}
    (_, last) = heard(begin(), final)
    assert isinstance(last, End)
    assert last.usage == Usage(input=90, output=5, cache_read=40)


def test_usage_that_nobody_told() -> None:
    final = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    assert heard(begin({}), text(0, "x"), final) == [
        TextDelta("x", "0"),
        End(StopReason.END_TURN, Usage(reported=False), "end_turn"),
    ]


def test_whole_without_the_last_event() -> None:
    assert heard(begin(), text(0, "x"), end("end_turn")[:1])[-1].kind == "end"


@pytest.mark.parametrize("last", [[], [{"type": "message_stop"}], end(None)])
def test_no_reason_to_stop_is_a_cut(last: list[Event]) -> None:
    deltas, error = decode(stream(begin(), *call(0, "c", "Read", ["{}"]), *last))
    assert isinstance(error, StreamCutError)
    assert not any(isinstance(d, End) for d in deltas)


def test_an_error_within_the_stream() -> None:
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    for before in ([], [begin(), *text(0, "x")], [begin(), *call(0, "c", "R", ["{"], whole=False)]):
        assert isinstance(decode(stream(*before, overloaded))[1], RetryableError)
    invalid = {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}
    assert isinstance(decode(stream(begin(), invalid))[1], RequestRefusedError)


def test_an_error_after_the_end_changes_nothing() -> None:
    late = {"type": "error", "error": {"type": "api_error", "message": "x"}}
    events = (begin(), *text(0, "x"), end("end_turn")[0], late)
    assert heard(*events)[-1].kind == "end"
    decoder = Decoder(Speaker("p"))
    for event in events:
        decoder.feed(SseEvent("", json.dumps(event)))
    assert decoder.raw_stop == "end_turn"
    assert isinstance(decoder.late_error, RetryableError)


def test_what_is_no_event_of_this_wire() -> None:
    for data in ("x", "[1]", "3"):
        with pytest.raises(BadReplyError):
            Decoder(Speaker("p")).feed(SseEvent("", data))
    assert Decoder(Speaker("p")).feed(SseEvent("", " ")) == ()
    assert Decoder(Speaker("p")).feed(SseEvent("", "[DONE]")) == ()


CONTENT: list[dict[str, Any]] = [
    {"type": "thinking", "thinking": "hm", "signature": "SEAL"},
    {"type": "redacted_thinking", "data": "HIDDEN"},
    {"type": "text", "text": "Hello"},
    {"type": "tool_use", "id": "c", "name": "Read", "input": {"a": [1]}},
]


def test_a_whole_message_in_place_of_a_stream() -> None:
    message = {"type": "message", "role": "assistant", "content": [*CONTENT, "x"]}
    message |= {"stop_reason": "tool_use", "usage": {"input_tokens": 9, "output_tokens": 3}}
    decoder = Decoder(Speaker("p"))
    deltas = [*decoder.feed(SseEvent("", json.dumps(message))), *decoder.close()]
    assert decoder.done
    assert deltas == [
        ReasoningDelta("hm", "0"),
        OpaqueData("0", {"signature": "SEAL"}),
        OpaqueData("1", {"redacted": "HIDDEN"}),
        TextDelta("Hello", "2"),
        CallStart("3", "Read", "c"),
        CallArguments("3", '{"a": [1]}'),
        End(StopReason.TOOL_USE, Usage(input=9, output=3), "tool_use"),
    ]


def test_a_stream_cut_anywhere_is_never_whole() -> None:
    body = stream(begin(), *blocks(CONTENT), *end("tool_use"))
    whole = body.index(b"message_delta")
    for cut in range(1, whole):
        deltas, error = decode(body[:cut])
        assert error is not None
        assert not any(isinstance(d, End) for d in deltas)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 90), st.text(max_size=40), st.text(max_size=40))
def test_pieces_of_any_size_decode_alike(size: int, thought: str, said: str) -> None:
    content = [{**CONTENT[0], "thinking": thought}, {"type": "text", "text": said}, *CONTENT[1:]]
    body = stream(begin(), *blocks(content), *end("tool_use"))
    deltas, error = decode(*pieces(body, size))
    assert (deltas, error) == decode(body)
    assert "".join(d.text for d in deltas if isinstance(d, ReasoningDelta)) == thought
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == said + "Hello"


VALUES = st.recursive(
    st.none() | st.integers(-5, 5) | st.text(max_size=5) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)
KINDS = st.sampled_from(["content_block_delta", "content_block_stop"]) | st.sampled_from(
    ["message_start", "message_delta", "message_stop", "message", "ping", "content_block_start"]
)
PARTS = st.dictionaries(
    st.sampled_from(["index", "delta", "content_block", "message", "usage", "content"]),
    VALUES
    | st.fixed_dictionaries(
        {
            "type": st.sampled_from(["text", "thinking", "tool_use", "text_delta"])
            | st.sampled_from(["thinking_delta", "signature_delta", "input_json_delta"]),
        },
        optional={"text": VALUES, "thinking": VALUES, "input": VALUES, "usage": VALUES},
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(KINDS, PARTS), max_size=8))
def test_whatever_comes_is_decoded_or_refused(events: list[tuple[str, dict[str, Any]]]) -> None:
    decode(stream(*({**parts, "type": kind} for kind, parts in events)))
