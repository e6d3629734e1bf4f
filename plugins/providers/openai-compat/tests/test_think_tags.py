"""Reasoning between tags at the start of the answer, however the stream cuts it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.transport.speaker import Speaker
from turnloop_core.transport.sse import SseEvent
from turnloop_core.types.deltas import End, ReasoningDelta, TextDelta
from turnloop_openai_compat.decode import Decoder

CASES = [
    ("<think>I see.</think>Yes.", "I see.", "Yes."),
    (" \n<think>\nI see.\n</think>\n\nYes.\n", "\nI see.\n", "Yes.\n"),
    ("<think></think>Yes.", "", "Yes."),
    ("<think>I see. </thin", "I see. </thin", ""),
    ("<think>a < b </ c </think>a<b", "a < b </ c ", "a<b"),
    ("<think>I see.</think>", "I see.", ""),
    ("<think>I see.</think>Not <think>again</think>.", "I see.", "Not <think>again</think>."),
    ("Plain, with <think>tags</think> later.", "", "Plain, with <think>tags</think> later."),
    ("<thi", "", "<thi"),
    ("<thinker> is a name", "", "<thinker> is a name"),
    ("  \n", "", "  \n"),
    ("", "", ""),
]


def split(*pieces: str, think_tags: bool = True) -> tuple[str, str]:
    """(reasoning, text) of an answer that comes in these pieces."""
    decoder = Decoder(Speaker("p"), think_tags=think_tags)
    deltas = []
    for piece in pieces:
        chunk = {"choices": [{"delta": {"content": piece}, "finish_reason": None}]}
        deltas += decoder.feed(SseEvent("", json.dumps(chunk)))
    deltas += decoder.feed(SseEvent("", '{"choices": [{"delta": {}, "finish_reason": "stop"}]}'))
    deltas += decoder.close()
    assert isinstance(deltas[-1], End)
    assert all(d.text for d in deltas if isinstance(d, (ReasoningDelta, TextDelta)))
    reasoning = "".join(d.text for d in deltas if isinstance(d, ReasoningDelta))
    return reasoning, "".join(d.text for d in deltas if isinstance(d, TextDelta))


@pytest.mark.parametrize(("answer", "reasoning", "text"), CASES)
def test_split_at_every_place(answer: str, reasoning: str, text: str) -> None:
    assert split(answer) == (reasoning, text)
    assert split(*answer) == (reasoning, text)
    for place in range(len(answer) + 1):
        assert split(answer[:place], answer[place:]) == (reasoning, text)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(["<think>", "</think>", "<", "th", "/", ">", "a", " ", "\n"])))
def test_cuts_make_no_difference(parts: list[str]) -> None:
    whole = "".join(parts)
    assert split(*parts) == split(whole) == split(*whole)


def test_off_unless_asked_for() -> None:
    answer = "<think>I see.</think>Yes."
    assert split(*answer, think_tags=False) == ("", answer)
