"""Too long for the model, or for one minute of it: made smaller, waited for, or ended clearly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from fault_wires import WIRES, FaultWire, Shape, answer
from faults.world import ANSWER, World, met
from turnloop_core.errors import ContextOverflowError
from turnloop_core.ports.compactor import Budget, Plan
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.edits import ShrinkResult
from turnloop_core.types.events import Edited, RunEnd
from turnloop_core.types.items import Turn
from turnloop_core.types.results import Result
from turnloop_core.types.view import View

wires = pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES)
TOO_LONG = [
    pytest.param(wire, shape, id=f"{wire.kind}-{place}")
    for wire in WIRES.values()
    for place, shape in enumerate(wire.too_long)
]
STUB = "[shrunk by the strategy]"


@dataclass
class Asked:
    """A strategy that shrinks every result when it must, and keeps what it was asked."""

    name: str = "asked"
    edits: bool = True
    urgent: list[bool] = field(default_factory=list)

    def plan(self, view: View, budget: Budget, capabilities: Capabilities) -> Plan:
        self.urgent.append(budget.urgent)
        if not budget.urgent or not self.edits:
            return Plan()
        shrunk = tuple(
            ShrinkResult(item.id, place, STUB)
            for item in view.items
            if isinstance(item, Turn)
            for place, result in enumerate(item.results)
            if result.text != STUB
        )
        return Plan(shrunk, reason="the model said that it is too long")


def much(*_: Any) -> Result:
    return Result.say("much to read " * 3_000)


def sizes(w: World) -> list[int]:
    return [len(request.body) for request in w.loopback.requests]


def was_made_smaller(w: World) -> None:
    assert (w.outcome.end, w.outcome.text) == (RunEnd.DONE, ANSWER)
    assert len(w.records) == w.outcome.attempts == 2, "another attempt was made"
    assert w.record.retries == w.requests - 1
    assert (w.clock.slept, w.pauses, w.waits) == ([], [], [])
    assert sizes(w)[2] < sizes(w)[1] - 30_000


@pytest.mark.parametrize(("wire", "shape"), TOO_LONG)
def test_the_strategy_is_asked_and_the_request_made_again(wire: FaultWire, shape: Shape) -> None:
    strategy = Asked()
    w = met(wire, answer(shape), compactor=strategy, behaviour=much)
    was_made_smaller(w)
    assert w.requests == 2
    assert strategy.urgent == [False, False, True, False]  # two requests, the refusal, the next
    [turn, *_] = w.session.view.turns
    assert turn.results[0].text == STUB
    assert [event.reason for event in w.seen.of(Edited)] == ["the model said that it is too long"]


@wires
@pytest.mark.parametrize("idle", [False, True], ids=["no strategy", "an idle one"])
def test_without_help_the_largest_results_are_cut(wire: FaultWire, idle: bool) -> None:
    strategy = Asked(edits=False) if idle else None
    w = met(wire, answer(wire.too_long[0]), behaviour=much, compactor=strategy)
    was_made_smaller(w)
    [turn, *_] = w.session.view.turns
    assert "cut to make room" in turn.results[0].text


@wires
def test_an_error_event_says_so_too(wire: FaultWire) -> None:
    shape = (200, wire.too_long[0][1])
    was_made_smaller(met(wire, answer(shape), behaviour=much))


@wires
def test_too_long_and_then_too_many_are_one_attempt(wire: FaultWire) -> None:
    faults = (answer(wire.too_long[0]), answer(wire.error("rate"), {"retry-after": "3"}))
    w = met(wire, *faults, behaviour=much)
    assert (w.outcome.end, w.outcome.text, w.requests) == (RunEnd.DONE, ANSWER, 3)
    assert (len(w.records), w.record.retries, w.waits) == (2, 2, ["retry"])
    assert sizes(w)[1] > sizes(w)[2] == sizes(w)[3]


@wires
def test_where_nothing_can_go_it_ends_clearly(wire: FaultWire) -> None:
    w = met(wire, forever=answer(wire.too_long[0]))
    assert (w.outcome.end, w.outcome.exit_code, w.requests) == (RunEnd.FAILED, 1, 1)
    error = w.outcome.error
    assert type(error) is ContextOverflowError
    assert str(error).startswith("local: the request is too long for the model (400): ")
    assert "/compact" in error.hint
    assert (w.clock.slept, w.pauses) == ([], [])


@wires
def test_what_stays_too_long_is_given_up(wire: FaultWire) -> None:
    w = met(wire, forever=answer(wire.too_long[0]), behaviour=much)
    assert (w.outcome.end, w.outcome.exit_code) == (RunEnd.FAILED, 1)
    assert type(w.outcome.error) is ContextOverflowError
    assert 2 <= w.requests <= 4
    assert (w.clock.slept, w.pauses) == ([], [])


def budget(wire: FaultWire, requested: int) -> Shape:
    """A minute's tokens, of which this request alone wants so many."""
    message = (
        "Request too large for model m on tokens per minute (TPM): Limit 8000,"
        f" Requested {requested}, please reduce your message size and try again."
    )
    _, body = wire.error("rate", message)
    return 413, body


@wires
def test_a_request_that_fits_into_a_fresh_minute_waits_for_it(wire: FaultWire) -> None:
    refusal = answer(budget(wire, 7_500))
    w = met(wire, refusal, refusal, refusal, behaviour=much)
    assert (w.outcome.end, w.outcome.text, w.requests) == (RunEnd.DONE, ANSWER, 4)
    assert w.waits == ["retry"] * 3
    assert sum(w.clock.slept) >= 60, "the minute was not outlasted"
    assert len({body.body for body in w.loopback.requests[1:4]}) == 1, "it was made smaller"
    assert not w.seen.of(Edited)


@wires
def test_a_request_that_is_more_than_a_minute_must_shrink(wire: FaultWire) -> None:
    strategy = Asked()
    w = met(wire, answer(budget(wire, 9_000)), compactor=strategy, behaviour=much)
    was_made_smaller(w)
    assert strategy.urgent == [False, False, True, False]


@wires
def test_more_than_a_minute_and_nothing_to_shrink_is_the_end(wire: FaultWire) -> None:
    w = met(wire, forever=answer(budget(wire, 9_000)))
    assert (w.outcome.exit_code, w.requests, w.clock.slept) == (1, 1, [])
    assert type(w.outcome.error) is ContextOverflowError
