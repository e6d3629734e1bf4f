"""Replies that end too early: nothing half runs or is kept, and the answer comes once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fault_wires import WIRES, FaultWire, answer
from faults.world import ANSWER, CUT, CUT_ARGUMENTS, World, met, opens, world
from harness import run
from turnloop_core.errors import StreamCutError
from turnloop_core.testing.fakes import FakeClock
from turnloop_core.testing.loopback import Answer, Gate
from turnloop_core.types.events import (
    AttemptEnd,
    AttemptStarted,
    Event,
    RunEnd,
    TextShown,
    WaitStarted,
)

wires = pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES)


def was_cut_once(w: World) -> None:
    """The reply was cut, shown as void, and asked for again by the loop alone."""
    assert (w.outcome.end, w.outcome.text, w.requests) == (RunEnd.DONE, ANSWER, 2)
    ends = [record.end for record in w.records]
    assert ends == [AttemptEnd.TURN, AttemptEnd.CUT_STREAM, AttemptEnd.TURN]
    assert (w.record.partial, w.record.retries) == (CUT, 0)
    assert (w.clock.slept, w.halves) == ([], [0.5])


@wires
@pytest.mark.parametrize("name", ["busy", "rate"])
@pytest.mark.parametrize("where", ["after text", "inside a call", "after a call"])
def test_an_error_event_after_a_part_was_shown(wire: FaultWire, where: str, name: str) -> None:
    before = {
        "after text": wire.begun(CUT),
        "inside a call": wire.in_call(CUT, CUT_ARGUMENTS),
        "after a call": wire.whole_call(CUT, CUT_ARGUMENTS),
    }[where]
    w = met(wire, Answer(body=before + wire.event(name)))
    was_cut_once(w)
    message = wire.error(name)[1]["error"]["message"]
    assert message in w.record.reason


@wires
@pytest.mark.parametrize("drop", ["close", "reset", None])
@pytest.mark.parametrize("where", ["in text", "in arguments", "after a call"])
def test_a_stream_that_breaks_off(wire: FaultWire, where: str, drop: Any) -> None:
    body = {
        "in text": wire.begun(CUT),
        "in arguments": wire.half_call(CUT, CUT_ARGUMENTS),
        "after a call": wire.whole_call(CUT, CUT_ARGUMENTS),
    }[where]
    gate = Gate()
    parts = [body] if drop is None else [body, gate]  # a reset may overtake what was sent
    was_cut_once(met(wire, Answer(body=parts, drop=drop), on_event=opens(gate)))


@wires
def test_the_end_of_the_connection_is_no_ending_mark(wire: FaultWire) -> None:
    body = wire.whole_call(CUT, CUT_ARGUMENTS)
    was_cut_once(met(wire, Answer(body=body, until_close=True)))


@wires
def test_cuts_again_and_again_end_the_run(wire: FaultWire) -> None:
    w = met(wire, forever=Answer(body=wire.half_call(CUT, CUT_ARGUMENTS)))
    assert (w.outcome.end, w.outcome.exit_code, w.requests) == (RunEnd.FAILED, 5, 3)
    assert isinstance(w.outcome.error, StreamCutError)
    assert w.outcome.reason.startswith("3 replies in a row were cut off")
    assert [record.partial for record in w.records] == ["", CUT, CUT, CUT]
    assert (w.clock.slept, w.halves) == ([], [0.5, 1.0])


@wires
def test_a_line_that_breaks_now_and_then_is_not_waited_for_longer_each_time(
    wire: FaultWire,
) -> None:
    cut = Answer(body=wire.begun(CUT))
    works = [Answer(body=wire.reply(f"Step{'.' * n}", '{"text": "more"}')) for n in range(6)]
    faults = [answer for work in works for answer in (cut, work)]

    async def go() -> None:
        async with world(wire, *faults) as w:
            outcome = await w.ask()
            assert (outcome.end, outcome.text, w.requests) == (RunEnd.DONE, ANSWER, 13)
            assert w.halves == [0.5] * 6
            assert len(w.say.ran) == 7

    run(go)


@wires
def test_a_cut_and_then_refusals_do_not_multiply(wire: FaultWire) -> None:
    """The loop asks again after the cut; that request has its retries, and then it is over."""
    cut = Answer(body=wire.begun(CUT))
    w = met(wire, cut, forever=answer(wire.error("failed")))
    assert (w.outcome.end, w.outcome.exit_code, w.requests) == (RunEnd.FAILED, 5, 1 + 4)
    assert [record.retries for record in w.records] == [0, 0, 3]


SILENT: dict[str, Callable[[FaultWire, Gate], Answer]] = {
    "after text": lambda wire, gate: Answer(body=[wire.begun(CUT), gate]),
    "before the head": lambda wire, gate: Answer(hold=gate),
}


@wires
@pytest.mark.parametrize("where", SILENT)
def test_a_server_that_falls_silent_is_left(wire: FaultWire, where: str) -> None:
    gate = Gate()
    w = met(wire, SILENT[where](wire, gate), entry={"timeout_s": 0.4})
    assert gate.left.wait(10), "the connection was not closed"
    if where == "after text":
        was_cut_once(w)
        assert "fell silent for 0.4 s" in w.record.reason
    else:
        assert (w.outcome.text, w.requests, w.waits) == (ANSWER, 2, ["retry"])
        assert (len(w.records), w.record.retries, w.pauses) == (2, 1, [])


class Jump(FakeClock):
    """Passes the limit of silence at once when it is asked for the n-th time from `start` on."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._left = 0

    def start(self, calls: int) -> None:
        self._left = calls

    def __call__(self) -> float:
        self._left -= 1
        if self._left == 0:
            self.advance(self._seconds)
        return self.now


KEEP_ALIVES = {"timeout_s": 60}
TOO_LONG = 5 * 60 + 1
SAID = "nothing but keep-alives for 300 s"


@wires
def test_keep_alives_alone_are_no_reply(wire: FaultWire) -> None:
    clock, end = Jump(TOO_LONG), Gate()

    def on_event(event: Event) -> None:
        if isinstance(event, AttemptStarted) and event.number == 2:
            clock.start(3)  # the ladder begins, the reader begins, the first keep-alive has come

    fault = Answer(body=[wire.alive(), end])
    w = met(wire, fault, clock=clock, on_event=on_event, entry=KEEP_ALIVES)
    assert (w.outcome.end, w.outcome.text, w.requests) == (RunEnd.DONE, ANSWER, 2)
    assert [SAID in event.reason for event in w.seen.of(WaitStarted)] == [True]
    assert (len(w.records), w.record.retries, w.pauses) == (2, 1, [])


@wires
def test_keep_alives_after_text_are_no_rest_of_a_reply(wire: FaultWire) -> None:
    clock, shown, end = FakeClock(), Gate(), Gate()
    open_gate = opens(shown)

    def on_event(event: Event) -> None:
        if isinstance(event, TextShown) and event.text and CUT.endswith(event.text):
            clock.advance(TOO_LONG)
        open_gate(event)

    fault = Answer(body=[wire.begun(CUT), shown, wire.alive(), end])
    w = met(wire, fault, clock=clock, on_event=on_event, entry=KEEP_ALIVES)
    was_cut_once(w)
    assert SAID in w.record.reason
