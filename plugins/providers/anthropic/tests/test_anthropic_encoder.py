"""Items become the messages that this wire wants."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from anthropic_strict import complaints
from hypothesis import given, settings, strategies as st

from turnloop_anthropic.blocks import Look, call_ids, encode_item
from turnloop_anthropic.encode import BEGUN, GO_ON, Encoder
from turnloop_anthropic.options import AnthropicOptions
from turnloop_anthropic.thinking import Plan
from turnloop_core.api import Prefix, Request, ToolSchema, View
from turnloop_core.types.content import Call, Image, Reasoning, Text
from turnloop_core.types.items import Item, NudgeItem, Prompt, Reply, StopReason, Summary, Turn
from turnloop_core.types.results import ErrorKind, Result

ORIGIN = "claude/claude-sonnet-4-5"
LOOK = Look(ORIGIN, vision=True, carries=True)
PIXEL = Image("image/png", "AAAA", 1, 1)
PREFIX = Prefix("Help.", (ToolSchema("Read", "Reads.", {"type": "object"}),))
LONG_ID = "toolu_0123456789abcdef01234567"


def body(
    *items: Item,
    look: Look = LOOK,
    prefix: Prefix = PREFIX,
    cache: bool = False,
    **options: Any,
) -> dict[str, Any]:
    encoder = Encoder(AnthropicOptions(kind="anthropic", **options))
    request = Request(View(prefix, items), "claude-sonnet-4-5", 256)
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 1_024}} if look.carries else {}
    plan = Plan(thinking, 2_048, carries=look.carries)
    return json.loads(b"".join(encoder.body(request, look, plan, cache=cache)))


def messages(*items: Item, look: Look = LOOK) -> list[tuple[str, list[dict[str, Any]]]]:
    sent = body(*items, look=look)["messages"]
    return [(message["role"], message["content"]) for message in sent]


def turn(number: int, *blocks: Any, results: Sequence[Result] = (), origin: str = ORIGIN) -> Turn:
    calls = any(isinstance(block, Call) for block in blocks)
    stop = StopReason.TOOL_USE if calls else StopReason.END_TURN
    return Turn(number, Reply(tuple(blocks), stop, origin), tuple(results))


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def test_one_message_holds_all_results_and_what_follows_them() -> None:
    calls = (Call(LONG_ID, "Read", '{"a": 1}'), Call(LONG_ID + "x", "Read", "{}"))
    seen = Result((Text("one"), PIXEL))
    failed = Result.say("no", error=ErrorKind.TOOL_ERROR)
    items = (
        Prompt(1, "Go."),
        turn(2, Text("I look."), *calls, results=(seen, failed)),
        NudgeItem(3, "Think.", "t"),
        Prompt(4, "Stop.", (PIXEL,), "today", steering=True),
    )
    picture = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
    }
    assert messages(*items) == [
        ("user", [text("Go.")]),
        (
            "assistant",
            [
                text("I look."),
                {"type": "tool_use", "id": LONG_ID, "name": "Read", "input": {"a": 1}},
                {"type": "tool_use", "id": LONG_ID + "x", "name": "Read", "input": {}},
            ],
        ),
        (
            "user",
            [
                {
                    "type": "tool_result",
                    "tool_use_id": LONG_ID,
                    "content": [text("one"), picture],
                },
                {
                    "type": "tool_result",
                    "tool_use_id": LONG_ID + "x",
                    "content": [text("no")],
                    "is_error": True,
                },
                text("Think."),
                text("Stop."),
                picture,
                text("today"),
            ],
        ),
    ]


def test_a_failure_has_its_pictures_after_the_results() -> None:
    failed = Result((Text("no"), PIXEL), error=ErrorKind.TOOL_ERROR)
    sent = messages(Prompt(1, "Go."), turn(2, Call("c", "Read", "{}"), results=(failed,)))
    result, picture = sent[-1][1]
    assert result["content"] == [text("no")]
    assert picture["type"] == "image"


def test_thoughts_go_back_as_they_came_and_in_their_order() -> None:
    thought = "  I think\n\u2028«ö» 🙂 "
    items = (
        Prompt(1, "Go."),
        turn(
            2,
            Reasoning(thought, {"signature": "S1"}),
            Call(LONG_ID, "Read", "{}"),
            Reasoning("", {"redacted": "D"}),
            Reasoning("", {"signature": "S2"}),
            Call(LONG_ID + "x", "Read", "{}"),
            results=(Result.say("1"), Result.say("2")),
        ),
    )
    (_, said) = messages(*items)[1]
    assert [b for b in said if b["type"] != "tool_use"] == [
        {"type": "thinking", "thinking": thought, "signature": "S1"},
        {"type": "redacted_thinking", "data": "D"},
        {"type": "thinking", "thinking": "", "signature": "S2"},
    ]
    assert [b["type"] for b in said] == [
        "thinking",
        "tool_use",
        "redacted_thinking",
        "thinking",
        "tool_use",
    ]
    plain = messages(*items, look=Look(ORIGIN, vision=True, carries=False))
    assert [b["type"] for b in plain[1][1]] == ["tool_use", "tool_use"]


def test_thoughts_without_proof_or_of_others_are_left_out() -> None:
    for opaque in (None, {"signature": ""}, {"reasoning_details": []}, "x", {"redacted": ""}):
        sent = messages(Prompt(1, "Go."), turn(2, Reasoning("hm", opaque), Text("Done.")))
        assert sent[1] == ("assistant", [text("Done.")])
    other = turn(2, Reasoning("hm", {"signature": "S"}), Text("Done."), origin="claude/other")
    assert messages(Prompt(1, "Go."), other)[1] == ("assistant", [text("Done.")])


def test_a_turn_of_thoughts_alone_is_left_out() -> None:
    alone = turn(2, Reasoning("hm", {"signature": "S"}), Text(" "))
    assert messages(Prompt(1, "Go."), alone, Prompt(3, "On.")) == [
        ("user", [text("Go."), text("On.")])
    ]


def test_the_user_begins_and_the_model_is_to_answer() -> None:
    answer = turn(1, Text("Done."))
    assert messages(answer) == [
        ("user", [text(BEGUN)]),
        ("assistant", [text("Done.")]),
        ("user", [text(GO_ON)]),
    ]
    assert messages() == [("user", [text(BEGUN)])]


def test_a_model_that_is_blind() -> None:
    sent = messages(Prompt(1, "Look.", (PIXEL,)), look=Look(ORIGIN, vision=False, carries=True))
    assert "left out" in sent[0][1][1]["text"]


def test_the_head() -> None:
    sent = body(Prompt(1, "Go."))
    del sent["messages"]
    assert sent == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 2_048,
        "stream": True,
        "thinking": {"type": "enabled", "budget_tokens": 1_024},
        "tools": [{"name": "Read", "description": "Reads.", "input_schema": {"type": "object"}}],
        "system": [text("Help.")],
    }
    bare = body(Prompt(1, "Go."), prefix=Prefix(" ", ()))
    assert not {"system", "tools"} & bare.keys()


def test_extra_body() -> None:
    extra = {"top_k": 5, "thinking": None, "messages": [], "metadata": {"user_id": "x"}}
    sent = body(Prompt(1, "Go."), extra_body=extra)
    assert (sent["top_k"], sent["metadata"]) == (5, {"user_id": "x"})
    assert "thinking" not in sent
    assert sent["messages"] == [{"role": "user", "content": [text("Go.")]}]


def test_ids_of_other_makers_are_made_fit() -> None:
    calls = [Call(i, "R", "{}") for i in ("call.1", "call_1", "call-1", "ö" * 90, "toolu_1")]
    results = [Result.say("x")] * len(calls)
    ids = call_ids(turn(7, *calls, results=results))
    assert ids == ["call_1-7-0", "call_1-7-1", "call-1-7-2", "_" * 32 + "-7-3", "toolu_1-7-4"]


IDS = st.text("abc._-ö/ ", min_size=1, max_size=70) | st.just(LONG_ID)
RESULTS = st.lists(st.text(max_size=3).map(Text) | st.just(PIXEL), min_size=1, max_size=3).flatmap(
    lambda c: st.sampled_from([None, ErrorKind.LOST]).map(lambda e: Result(tuple(c), error=e))
)
BLOCKS = (
    st.text(" \nab", max_size=4).map(Text)
    | st.sampled_from([None, {"signature": "S"}, {"redacted": "D"}]).map(
        lambda opaque: Reasoning("hm", opaque)
    )
    | st.builds(Call, IDS, st.text(max_size=70), st.sampled_from(['{"a": 1}', "{", "", "[]"]))
)


@st.composite
def turns(draw: Any, number: int) -> Turn:
    blocks, seen = [], set()
    for block in draw(st.lists(BLOCKS, max_size=5)):
        if isinstance(block, Call):
            # the service's ids are unique in a conversation
            block = Call(f"{block.id}{number}{len(seen)}", block.name, block.arguments)  # noqa: PLW2901
            if block.id in seen:
                continue
            seen.add(block.id)
        blocks.append(block)
    results = [draw(RESULTS) for _ in seen]
    origin = draw(st.sampled_from([ORIGIN, "else/where"]))
    return turn(number, *blocks, results=results, origin=origin)


@st.composite
def conversations(draw: Any) -> tuple[Item, ...]:
    words = st.text(" \nab", max_size=4)
    items: list[Item] = []
    for number in range(draw(st.integers(0, 7))):
        kind = draw(st.sampled_from(["turn", "turn", "prompt", "nudge", "summary"]))
        if kind == "turn":
            items.append(draw(turns(number)))
        elif kind == "prompt":
            pictures = (PIXEL,) if draw(st.booleans()) else ()
            items.append(Prompt(number, draw(words), pictures))
        elif kind == "nudge":
            items.append(NudgeItem(number, draw(words), "t"))
        elif not items:
            items.append(Summary(number, draw(words)))
    return tuple(items)


@settings(max_examples=200, deadline=None)
@given(conversations(), st.booleans(), st.booleans())
def test_whatever_was_said_is_a_legal_request(
    items: tuple[Item, ...], vision: bool, cache: bool
) -> None:
    look = Look(ORIGIN, vision=vision, carries=False)
    assert complaints(body(*items, look=look, cache=cache)) == []
    carried = body(*items, cache=cache)
    # whether thoughts may go along at all is the plan's business, not the encoder's
    assert [c for c in complaints(carried) if "expected thinking" not in c] == []


@settings(max_examples=100, deadline=None)
@given(conversations(), st.integers(0, 7))
def test_growing_and_joining_at_once_are_alike(items: tuple[Item, ...], first: int) -> None:
    """However the items came, the bytes are the same but for the marks."""
    encoder = Encoder(AnthropicOptions(kind="anthropic"))
    plan = Plan({}, 2_048, carries=True)

    def sent(of: Encoder, part: tuple[Item, ...]) -> bytes:
        request = Request(View(PREFIX, part), "m", 256)
        pieces = of.body(request, LOOK, plan, cache=True)
        return re.sub(rb',"cache_control":\{[^}]*\}', b"", b"".join(pieces))

    sent(encoder, items[:first])
    fresh = Encoder(AnthropicOptions(kind="anthropic"))
    assert sent(encoder, items) == sent(fresh, items)
    assert sent(encoder, items) == sent(fresh, items)


def test_each_item_is_encoded_by_itself() -> None:
    one = turn(2, Text("a"), Call("c", "R", "{}"), results=(Result.say("x"),))
    assert encode_item(one, LOOK) == encode_item(one, LOOK)
    assert [block.role for block in encode_item(one, LOOK)] == ["assistant", "assistant", "user"]
