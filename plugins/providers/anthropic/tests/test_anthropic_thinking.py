"""How much the model is told to think, and when it may not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from turnloop_anthropic.models import KNOWN
from turnloop_anthropic.thinking import Loop, Plan, begins_with_a_thought, plan, replaced
from turnloop_core.api import Prefix, Request, View
from turnloop_core.types.content import Call, Reasoning, Text
from turnloop_core.types.items import Item, NudgeItem, Prompt, Reply, StopReason, Summary, Turn
from turnloop_core.types.results import Result

BUDGET, ADAPTIVE = KNOWN["claude-sonnet-4-5"], KNOWN["claude-opus-5"]
ALWAYS = KNOWN["claude-fable-5-1"]
MINE = "c/m"
SEAL = Reasoning("hm", {"signature": "S"})


def planned(thinking: Any, style: Any, *, can: Any = BUDGET, max_output: int = 10_000) -> Plan:
    request = Request(View(Prefix(), (Prompt(1, "Go."),)), "m", max_output, thinking)
    return plan(request, can, style, ceiling=can.max_output)


def enabled(budget: int) -> dict[str, Any]:
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


@pytest.mark.parametrize(
    ("thinking", "budget"), [("low", 2_048), ("medium", 4_096), ("on", 8_000), ("high", 16_000)]
)
def test_a_budget_comes_on_top_of_what_may_be_said(thinking: str, budget: int) -> None:
    assert planned(thinking, "budget") == Plan(enabled(budget), 10_000 + budget, carries=True)


@pytest.mark.parametrize(
    ("max_output", "limit", "budget", "most"),
    [
        (64_000, 64_000, 8_000, 64_000),  # as the loop asks by itself
        (60_000, 64_000, 8_000, 64_000),
        (256, 64_000, 8_000, 8_256),
        (4_096, 4_096, 2_048, 4_096),  # half of it, where there is no more
        (4_096, 1_000, 2_048, 4_096),
        (2_048, 2_048, 1_024, 2_048),
    ],
)
def test_a_budget_is_bounded_by_what_the_model_can_write(
    max_output: int, limit: int, budget: int, most: int
) -> None:
    can = replace(BUDGET, max_output=limit)
    got = planned("on", "budget", can=can, max_output=max_output)
    assert got == Plan(enabled(budget), most, carries=True)


def test_no_thinking_where_there_is_no_room_for_it() -> None:
    can = replace(BUDGET, max_output=2_000)
    assert planned("on", "budget", can=can, max_output=2_000) == Plan({}, 2_000)


def test_off() -> None:
    assert planned("off", "budget") == Plan({}, 10_000)
    off = Plan({"thinking": {"type": "disabled"}}, 10_000)
    assert planned("off", "adaptive", can=ADAPTIVE) == off
    assert planned("on", "none") == Plan({}, 10_000)
    assert planned("on", "budget", can=replace(BUDGET, reasoning=False)) == Plan({}, 10_000)


def test_adaptive() -> None:
    thinking = {"thinking": {"type": "adaptive", "display": "summarized"}}
    assert planned("on", "adaptive", can=ADAPTIVE) == Plan(thinking, 18_000, carries=True)
    low = {**thinking, "output_config": {"effort": "low"}}
    assert planned("low", "adaptive", can=ADAPTIVE) == Plan(low, 12_048, carries=True)
    # a model that cannot be kept from thinking is asked for little
    assert planned("off", "adaptive", can=ALWAYS) == Plan(low, 12_048, carries=True)
    never = replace(ALWAYS, thinking_off="never")
    assert planned("off", "adaptive", can=never) == planned("on", "adaptive", can=never)


def test_what_settings_put_in_its_place() -> None:
    on = planned("on", "budget")
    assert not replaced(on, {"type": "disabled"}, BUDGET).carries
    assert not replaced(on, None, BUDGET).carries
    assert replaced(on, None, ALWAYS).carries
    assert replaced(planned("off", "budget"), {"type": "adaptive"}, BUDGET).carries


def calls(number: int, *before: Any, origin: str = MINE) -> Turn:
    reply = Reply((*before, Call("c", "Read", "{}")), StopReason.TOOL_USE, origin)
    return Turn(number, reply, (Result.say("x"),))


def answer(number: int, *blocks: Any) -> Turn:
    return Turn(number, Reply(blocks, StopReason.END_TURN, MINE))


@pytest.mark.parametrize(
    ("items", "may"),
    [
        ([Prompt(1, "Go.")], True),
        ([Summary(1, "So far."), Prompt(2, "Go.")], True),
        ([Prompt(1, "Go."), calls(2, SEAL)], True),
        ([Prompt(1, "Go."), calls(2, Reasoning("", {"redacted": "D"}))], True),
        ([Prompt(1, "Go."), calls(2)], False),
        ([Prompt(1, "Go."), calls(2, Reasoning("hm"))], False),
        ([Prompt(1, "Go."), calls(2, SEAL, origin="c/other")], False),
        ([Prompt(1, "Go."), calls(2, Text("I look."), SEAL)], False),
        # later replies of a loop may do without
        ([Prompt(1, "Go."), calls(2, SEAL), calls(3)], True),
        ([Prompt(1, "Go."), calls(2), calls(3, SEAL)], False),
        # what is said between two turns belongs to the results
        ([Prompt(1, "Go."), calls(2), NudgeItem(3, "On.", "t"), calls(4, SEAL)], False),
        ([Prompt(1, "Go."), calls(2), Prompt(3, "On.")], False),
        # an answer ends the loop
        ([Prompt(1, "Go."), calls(2), answer(3, Text("Done.")), Prompt(4, "More.")], True),
        ([Prompt(1, "Go."), calls(2), answer(3, Text("D.")), Prompt(4, "M."), calls(5)], False),
        # a turn that is not sent ends nothing
        ([Prompt(1, "Go."), calls(2), answer(3, SEAL, Text(" ")), Prompt(4, "More.")], False),
    ],
)
def test_when_thinking_may_be_on(items: list[Item], may: bool) -> None:
    first = Loop().first(tuple(items))
    assert (first is None or begins_with_a_thought(first, MINE)) is may
    growing = Loop()
    for end in range(len(items) + 1):
        last = growing.first(tuple(items[:end]))
    assert last is first
    assert growing.first(tuple(items[:1])) is Loop().first(tuple(items[:1]))


def test_a_loop_that_began_without_a_thought_goes_on_without() -> None:
    request = Request(View(Prefix(), (Prompt(1, "Go."),)), "m", 10_000)
    off = plan(request, BUDGET, "budget", ceiling=64_000, may_think=False)
    assert off == Plan({}, 10_000)
    # models that think as they see fit may begin and end with it at any time
    assert plan(request, ADAPTIVE, "adaptive", ceiling=64_000, may_think=False).carries
