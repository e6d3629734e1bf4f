"""How much the model is told to think, in the words of this wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from turnloop_anthropic.blocks import sealed
from turnloop_anthropic.models import Style
from turnloop_core.api import (
    Call,
    Capabilities,
    Item,
    Reasoning,
    Reply,
    Request,
    Text,
    Thinking,
    Turn,
)

# Tokens that one reply may think. The usual one lies below the loop's own cap of 8,192, so that
# the model comes to its end before it is cut off.
BUDGETS: Mapping[str, int] = {"low": 2_048, "medium": 4_096, "on": 8_000, "high": 16_000}
LEAST = 1_024  # a smaller budget is refused


@dataclass(frozen=True, slots=True)
class Plan:
    """What a request says of thinking.

    Attributes:
        fields: of the body.
        max_tokens: what the whole reply may have, thoughts included.
        carries: thoughts of earlier replies are sent back.
    """

    fields: Mapping[str, Any]
    max_tokens: int
    carries: bool = False

    @property
    def budgeted(self) -> bool:
        """The model thinks by a budget: between the calls of a turn only where a header says so."""
        return "budget_tokens" in self.fields.get("thinking", ())


def plan(
    request: Request, can: Capabilities, style: Style, *, ceiling: int, may_think: bool = True
) -> Plan:
    """How a request has the model think.

    Thoughts count within `max_tokens` on this wire, while `request.max_output` is what may be
    said. So they come on top, as far as the model can write at all; where it cannot write both,
    they get half of it at most.

    Args:
        request: what is asked.
        can: what its model can do.
        style: how its model is told to think.
        ceiling: tokens that the model can write in one reply.
        may_think: the conversation allows it (`begins_with_a_thought`).
    """
    level = _level(request.thinking, can)
    if style == "none" or not can.reasoning:
        return Plan({}, request.max_output)
    if level == "off":
        return _off(request, style)
    budget = BUDGETS[level]
    most = min(request.max_output + budget, max(ceiling, request.max_output))
    if style == "adaptive":
        return _adaptive(level, most)
    budget = min(budget, max(most - request.max_output, most // 2))
    if budget < LEAST or not may_think:
        return _off(request, style)
    thinking = {"type": "enabled", "budget_tokens": budget}
    return Plan({"thinking": thinking}, most, carries=True)


def _adaptive(level: str, most: int) -> Plan:
    # Newer models keep their thoughts to themselves unless told otherwise; then the user would
    # look at nothing, and the loop's cap on thinking would see nothing.
    fields: dict[str, Any] = {"thinking": {"type": "adaptive", "display": "summarized"}}
    if level != "on":
        fields["output_config"] = {"effort": level}
    return Plan(fields, most, carries=True)


def _off(request: Request, style: Style) -> Plan:
    # Some of the adaptive models think when nothing is said; the others are silent by themselves.
    fields = {"thinking": {"type": "disabled"}} if style == "adaptive" else {}
    return Plan(fields, request.max_output)


def _level(thinking: Thinking, can: Capabilities) -> Thinking:
    """What can be asked of a model that cannot be kept from thinking."""
    if thinking != "off" or can.thinking_off == "flag":
        return thinking
    return "low" if can.thinking_off == "lowest_effort" else "on"


def replaced(planned: Plan, thinking: Any, can: Capabilities) -> Plan:
    """The plan, where settings put a value of their own in the place of `thinking`."""
    if isinstance(thinking, Mapping):
        carries = thinking.get("type") != "disabled"
    else:  # the field is taken out: a model that has a switch is off then
        carries = can.reasoning and can.thinking_off != "flag"
    return replace(planned, carries=carries)


class Loop:
    """The tool loop that is going on: a reply with calls, their results and what follows them.

    To this wire it is one turn of the model, which has one setting: a loop that began without a
    thought (another model made it, or its thoughts were dropped) must go on without. Only what is
    new in a conversation is looked at.
    """

    def __init__(self) -> None:
        self._known: tuple[Item, ...] = ()
        self._first: Reply | None = None

    def first(self, items: tuple[Item, ...]) -> Reply | None:
        """The reply with which the loop began; None when none is going on."""
        known = len(self._known)
        if items[:known] != self._known:
            known, self._first = 0, None
        for item in items[known:]:
            if isinstance(item, Turn):
                self._take(item.reply)
        self._known = items
        return self._first

    def _take(self, reply: Reply) -> None:
        if reply.calls:
            self._first = self._first or reply
        elif any(isinstance(b, Text) and b.text.strip() for b in reply.blocks):
            self._first = None  # an answer: what was begun is at its end


def begins_with_a_thought(reply: Reply, origin: str) -> bool:
    """Whether a reply is sent with a thought at its start, when `origin` is asked again."""
    if reply.origin != origin:
        return False
    for block in reply.blocks:
        if isinstance(block, Reasoning):
            if sealed(block) is not None:
                return True
        elif isinstance(block, Call) or (isinstance(block, Text) and block.text.strip()):
            return False
    return False
