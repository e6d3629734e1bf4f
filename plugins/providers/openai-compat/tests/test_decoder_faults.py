"""What servers of this family do beyond the protocol: each fault with its neighbours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from turnloop_core.errors import (
    ProviderError,
    QuotaExhaustedError,
    RejectedCallError,
    RequestRefusedError,
    RetryableError,
    StreamCutError,
)
from turnloop_core.testing.loopback import Answer, Loopback, chat_chunks, sse
from turnloop_core.transport.speaker import Speaker
from turnloop_core.transport.sse import SseEvent
from turnloop_core.types.deltas import (
    CallArguments,
    CallStart,
    Delta,
    End,
    ReasoningDelta,
    TextDelta,
    UsageSoFar,
    Waiting,
)
from turnloop_core.types.items import StopReason
from turnloop_core.types.usage import NO_USAGE, Usage
from turnloop_openai_compat.decode import Decoder

A = '{"path": "a.txt"}'
READ = {"index": 0, "id": "x", "type": "function", "function": {"name": "read", "arguments": A}}
CALL = [CallStart("call_0", "read", "x"), CallArguments("call_0", A)]


def decode(*chunks: Any) -> list[Delta]:
    decoder = Decoder(Speaker("p"))
    deltas: list[Delta] = []
    for chunk in chunks:
        data = chunk if isinstance(chunk, str) else json.dumps(chunk)
        deltas += decoder.feed(SseEvent("", data))
    return [*deltas, *decoder.close()]


def chunk(finish: str | None = None, usage: Any = None, **delta: Any) -> Mapping[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"choices": [choice]} | ({} if usage is None else {"usage": usage})


def counts(prompt: int, output: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": output}


# --- calls as old servers send them


def test_one_call_in_the_field_of_old_servers() -> None:
    deltas = decode(
        chunk(function_call={"name": "read", "arguments": ""}),
        chunk(function_call={"arguments": A[:5]}),
        chunk(function_call={"name": "", "arguments": A[5:]}),
        chunk(function_call=None),
        chunk("function_call"),
    )
    assert deltas == [
        CallStart("call_0", "read"),
        CallArguments("call_0", A[:5]),
        CallArguments("call_0", A[5:]),
        End(StopReason.TOOL_USE, NO_USAGE, "function_call"),
    ]


def test_a_call_in_both_fields_counts_once() -> None:
    function = {"name": "read", "arguments": A}
    both = decode(chunk(tool_calls=[READ], function_call=function), chunk("tool_calls"))
    later = decode(chunk(tool_calls=[READ]), chunk(function_call=function), chunk("tool_calls"))
    end = End(StopReason.TOOL_USE, NO_USAGE, "tool_calls")
    assert both == later == [*CALL, end]
    empty = decode(chunk(tool_calls=[], function_call=function), chunk("function_call"))
    assert empty[0] == CallStart("call_0", "read")


# --- STR-05: the reason and the content disagree


MARKUP = '<tool_call>{"name": "read", "arguments": {"path": "a.txt"}}</tool_call>'


@pytest.mark.parametrize(
    ("field", "delta"),
    [
        ("content", TextDelta(MARKUP)),
        ("reasoning_content", ReasoningDelta(MARKUP)),
        ("reasoning", ReasoningDelta(MARKUP)),
    ],
)
@pytest.mark.parametrize("finish", ["tool_calls", "stop"])
def test_a_call_left_as_text_is_no_call(field: str, delta: Delta, finish: str) -> None:
    """STR-05 c: what stands in the text or in the thoughts is never run."""
    stop = StopReason.TOOL_USE if finish == "tool_calls" else StopReason.END_TURN
    assert decode(chunk(**{field: MARKUP}), chunk(finish)) == [delta, End(stop, NO_USAGE, finish)]


def test_calls_are_said_and_none_came() -> None:
    """STR-05 b"""
    for empty in ({}, {"tool_calls": []}, {"tool_calls": None}, {"content": ""}):
        end = End(StopReason.TOOL_USE, NO_USAGE, "tool_calls")
        assert decode(chunk(**empty), chunk("tool_calls")) == [end]


def test_a_call_and_then_plain_stop() -> None:
    """STR-05 a, also when the reason comes with the call, or the mark alone ends the stream."""
    end = End(StopReason.TOOL_USE, NO_USAGE, "stop")
    assert decode(chunk(tool_calls=[READ]), chunk("stop")) == [*CALL, end]
    assert decode(chunk("stop", tool_calls=[READ])) == [*CALL, end]
    unmarked = {"choices": [{"index": 0, "delta": {"tool_calls": [READ]}}]}
    assert decode(unmarked, "[DONE]") == [*CALL, End(StopReason.TOOL_USE)]


# --- STR-02 and STR-03: ends and empty chunks


def test_a_finish_reason_twice_and_one_that_is_empty() -> None:
    twice = decode(chunk(content="a"), chunk("stop"), chunk("stop"), chunk("length"))
    assert twice == [TextDelta("a"), End(StopReason.END_TURN, NO_USAGE, "stop")]
    empty = decode(chunk("", content="a"), chunk("length"))
    assert empty == [TextDelta("a"), End(StopReason.MAX_TOKENS, NO_USAGE, "length")]
    with pytest.raises(StreamCutError):
        decode(chunk("", content="a"))


def test_fields_that_nobody_reads() -> None:
    deltas = decode(
        chunk(role="assistant", content=None, audio={"id": "a", "data": "AAAA"}),
        chunk(annotations=[{"type": "url_citation"}], content="Hi"),
        chunk(content=None, tool_calls=None, reasoning_details=None, refusal=None),
        {"choices": [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}]},
        {"object": "chat.completion.chunk", "timings": {"predicted_n": 3}},
    )
    assert deltas == [TextDelta("Hi"), End(StopReason.END_TURN, NO_USAGE, "stop")]


def test_a_second_choice_is_left_alone() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "no"}, "finish_reason": "length"}]}
    unnumbered = {"choices": [{"delta": {"content": "a"}}]}
    end = End(StopReason.END_TURN, NO_USAGE, "stop")
    assert decode(other, unnumbered, chunk("stop")) == [TextDelta("a"), end]


def test_a_message_at_the_end_says_nothing_again() -> None:
    again = {"delta": {}, "message": {"content": "Hi"}, "finish_reason": "stop"}
    end = End(StopReason.END_TURN, NO_USAGE, "stop")
    assert decode(chunk(content="Hi"), {"choices": [again]}) == [TextDelta("Hi"), end]
    assert decode({"choices": [again]}) == [TextDelta("Hi"), end]


def test_content_as_parts() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "a"},
        {"type": "reference", "reference_ids": [1]},
        "stray",
        {"type": "text", "text": "b"},
    ]
    end = End(StopReason.END_TURN, NO_USAGE, "stop")
    thought = ReasoningDelta("hm")
    assert decode(chunk(content=parts), chunk("stop")) == [
        *(thought, TextDelta("a"), TextDelta("b"), end)
    ]
    doubled = decode(chunk(content=parts[:1], reasoning_content="hm"), chunk("stop"))
    assert doubled == [thought, end]


# --- usage, in any chunk


def test_usage_so_far_is_told_and_counted_once() -> None:
    deltas = decode(
        chunk(content="a", usage=counts(10, 1)),
        chunk(content="b", usage=counts(10, 1)),
        chunk(content="c", usage=counts(10, 2)),
        chunk("stop", usage=counts(10, 3)),
        {"choices": [], "usage": counts(10, 4)},
        "[DONE]",
    )
    assert [d for d in deltas if isinstance(d, UsageSoFar)] == [
        UsageSoFar(Usage(10, 1)),
        UsageSoFar(Usage(10, 2)),
    ]
    assert deltas[-1] == End(StopReason.END_TURN, Usage(10, 4), "stop")


@pytest.mark.parametrize("empty", [None, {}, counts(0, 0), "none"])
def test_an_empty_usage_takes_nothing_back(empty: Any) -> None:
    last = {"choices": [], "usage": empty}
    deltas = decode(chunk("stop", usage=counts(10, 3)), last, "[DONE]")
    assert deltas == [End(StopReason.END_TURN, Usage(10, 3), "stop")]
    first = decode({"choices": [], "usage": empty}, chunk("stop", usage=counts(10, 3)))
    assert first[-1] == End(StopReason.END_TURN, Usage(10, 3), "stop")


def test_counts_that_are_none() -> None:
    odd = {"prompt_tokens": True, "completion_tokens": -1, "total_tokens": "12"}
    decoder = Decoder(Speaker("p"))
    assert set(decoder.counts().values()) == {None}
    decoder.feed(SseEvent("", json.dumps({"choices": [], "usage": odd})))
    assert set(decoder.counts().values()) == {None}


# --- RET-01: errors inside a 200


OVERLOADED = {"error": {"type": "overloaded_error", "message": "busy"}}
REFUSED = {"error": {"type": "invalid_request_error", "message": "no such field"}}
CUTS = {
    "as the first event": ((), RetryableError),
    "after text": ((chunk(content="a"),), RetryableError),
    "within a call": ((chunk(tool_calls=[READ]),), RetryableError),
}


@pytest.mark.parametrize("case", CUTS)
def test_the_error_in_the_event_decides(case: str) -> None:
    before, cls = CUTS[case]
    with pytest.raises(cls):
        decode(*before, OVERLOADED)
    with pytest.raises(RequestRefusedError, match="no such field"):
        decode(*before, REFUSED)


@pytest.mark.parametrize(
    ("error", "cls"),
    [
        ({"message": "x", "code": 429}, RetryableError),
        ({"message": "x", "code": "insufficient_quota"}, QuotaExhaustedError),
        ({"message": "x", "code": "tool_use_failed"}, RejectedCallError),
        ("Internal server error", RetryableError),
    ],
)
def test_classes_of_errors(error: Any, cls: type[ProviderError]) -> None:
    with pytest.raises(cls):
        decode({"error": error})


FINE = sse(*chat_chunks(text="Here I am."))
FIRST = {
    "event": sse(OVERLOADED),
    "plain JSON": json.dumps(OVERLOADED).encode(),
    "named event": b'event: error\ndata: {"message": "busy", "code": 503}\n\n',
}


@pytest.mark.parametrize("case", FIRST)
def test_an_overload_in_place_of_a_reply_is_waited_out(make, hear, case: str) -> None:
    """RET-01 a and d: tried again, and the user sees one answer."""
    with Loopback(Answer(body=FIRST[case]), Answer(body=FINE)) as server:
        deltas = hear(make(base_url=server.url))
    assert len(server.requests) == 2
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == "Here I am."
    assert sum(isinstance(d, Waiting) for d in deltas) == 1


@pytest.mark.parametrize(
    "before",
    [chat_chunks(text="Half an ans"), chat_chunks(calls=[("x", "Write", '{"file_path": "a')])],
)
def test_an_overload_within_a_reply_is_a_cut(make, hear, before: list[Any]) -> None:
    """RET-01 b and c: nothing is run of it, and nothing is shown twice."""
    body = sse(*before[:-3], OVERLOADED)
    with Loopback(Answer(body=body), Answer(body=FINE)) as server:
        with pytest.raises(StreamCutError):
            hear(make(base_url=server.url))
        assert len(server.requests) == 1


def test_a_refusal_in_the_stream_is_shown_at_once(make, hear) -> None:
    """RET-01 e"""
    with Loopback(Answer(body=sse(REFUSED)), Answer(body=FINE)) as server:
        with pytest.raises(RequestRefusedError, match="no such field"):
            hear(make(base_url=server.url))
        assert len(server.requests) == 1


def test_a_reason_that_has_a_place_and_never_comes() -> None:
    """Servers that end a reply early, for a newer request say, still send their last event."""
    with pytest.raises(StreamCutError):
        decode(chunk(content="a"), "[DONE]")
