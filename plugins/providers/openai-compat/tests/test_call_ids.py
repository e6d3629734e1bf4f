"""Ids of calls that servers take, and the message that strict ones want after results."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.ports.provider import Request
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.content import Call, Image
from turnloop_core.types.items import Item, NudgeItem, Prompt, Reply, StopReason, Turn
from turnloop_core.types.results import Result
from turnloop_core.types.view import Prefix, View
from turnloop_openai_compat.encode import Encoder
from turnloop_openai_compat.ids import wire_ids
from turnloop_openai_compat.options import OpenAICompatOptions

PLAIN, SHORT = re.compile(r"[a-zA-Z0-9_-]{1,40}"), re.compile(r"[a-zA-Z0-9]{9}")
IDS = st.lists(
    st.text(max_size=60)
    | st.sampled_from(["abcDEF123", "call_1", "functions.Read:0", "é" * 9, "x" * 41]),
    unique=True,
    max_size=8,
)


@settings(max_examples=150, deadline=None)
@given(IDS, st.booleans(), st.booleans())
def test_ids_are_valid_different_and_always_the_same(
    ids: list[str], own: bool, short: bool
) -> None:
    sent = wire_ids(ids, own=own, short=short)
    assert len(set(sent)) == len(sent) == len(ids)
    assert sent == wire_ids(ids, own=own, short=short)
    for call_id, made in zip(ids, sent, strict=True):
        if short:
            assert SHORT.fullmatch(made)
            assert made == call_id or not SHORT.fullmatch(call_id)
        elif own or PLAIN.fullmatch(call_id):
            assert made == call_id
        else:
            assert PLAIN.fullmatch(made)


def test_ids_of_others_are_made_fit_and_own_ones_kept() -> None:
    sealed = "call_1__thought__" + "A" * 200  # some servers keep their data in the id
    assert wire_ids([sealed], own=True, short=False) == [sealed]
    (made,) = wire_ids([sealed], own=False, short=False)
    assert len(made) <= 40
    assert wire_ids(["functions.Read:0"], own=True, short=False) == ["functions.Read:0"]
    assert wire_ids(["functions.Read:0"], own=False, short=False) != ["functions.Read:0"]


def test_a_made_id_gives_way_to_one_that_is_there() -> None:
    (made,) = wire_ids(["call_1"], own=True, short=True)
    first, second = wire_ids(["call_1", made], own=True, short=True)
    assert second == made
    assert first != made


def sent(*items: Item, **fields: Any) -> list[dict[str, Any]]:
    options = OpenAICompatOptions(**{"kind": "openai_compat", "model": "m", **fields})
    asked = Request(View(Prefix(), items), "m", 100)
    can = Capabilities(supports_vision=True)
    messages = json.loads(b"".join(Encoder("p", options).body(asked, can)))["messages"]
    return list(messages)


def turn(number: int, *ids: str, origin: str = "p/m", image: bool = False) -> Turn:
    calls = tuple(Call(call_id, "Read", "{}") for call_id in ids)
    content = (Image("image/png", "aGk="),) if image else ()
    results = tuple(Result(content) if image else Result.say("x") for _ in ids)
    return Turn(number, Reply(calls, StopReason.TOOL_USE, origin), results)


def test_results_answer_under_the_id_that_was_sent() -> None:
    long = "x" * 64
    for fields, origin in (({"call_ids": "short"}, "p/m"), ({}, "else/m")):
        assistant, one, two = sent(turn(2, long, f"{long}y", origin=origin), **fields)
        ids = [call["id"] for call in assistant["tool_calls"]]
        assert ids == [one["tool_call_id"], two["tool_call_id"]]
        assert all(len(call_id) <= 40 for call_id in ids)


@pytest.mark.parametrize("follower", [Prompt(3, "Stop."), NudgeItem(3, "Go on.", "t")])
def test_an_assistant_message_between_results_and_a_user(follower: Item) -> None:
    def roles(*items: Item, after_tools: str) -> list[str]:
        return [message["role"] for message in sent(*items, after_tools=after_tools)]

    items = (Prompt(1, "Hi"), turn(2, "a"), follower, turn(4, "b"), turn(5, "c"))
    assert roles(*items, after_tools="user") == [
        *("user", "assistant", "tool", "user"),
        *("assistant", "tool", "assistant", "tool"),
    ]
    assert roles(*items, after_tools="assistant") == [
        *("user", "assistant", "tool", "assistant", "user"),
        *("assistant", "tool", "assistant", "tool"),
    ]
    seen = (turn(2, "a", image=True), follower)
    assert roles(*seen, after_tools="assistant") == [
        "assistant",
        "tool",
        "assistant",
        "user",
        "user",
    ]
