"""Many workers, one limit; and users who have waited long enough."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import anyio
import pytest

from fault_wires import WIRES, FaultWire, answer
from faults.world import (
    ANSWER,
    CUT,
    CUT_ARGUMENTS,
    World,
    entry_of,
    environment_of,
    opens,
    world,
    write_settings,
)
from harness import interrupted, run
from loop.on_record import attempts
from turnloop_core.app import Session, open_session
from turnloop_core.testing.fakes import RecordingObserver, ScriptedApprover
from turnloop_core.testing.loopback import Answer, Gate, Loopback, Recorded
from turnloop_core.testing.project import temporary_project
from turnloop_core.transport.client import Transport
from turnloop_core.types.events import AttemptEnd, Event, RunEnd, RunEnded, WaitEnded, WaitStarted

wires = pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES)
WORKERS = 10
AT_ONCE = 2


def stopped(wire: FaultWire, fault: Answer, reached: Any, **options: Any) -> World:
    """Interrupt the run when it is there; then go on."""
    worlds: list[World] = []

    async def go() -> None:
        async with world(wire, fault, **options) as w:
            w.note(await interrupted(w, reached, "Begin, please."))
            await w.go_on()
            worlds.append(w)

    run(go)
    return worlds[0]


class Asleep:
    """A sleep that never ends."""

    def __init__(self) -> None:
        self._begun = threading.Event()

    async def __call__(self, _: float) -> None:
        self._begun.set()
        await anyio.sleep_forever()

    async def reached(self) -> None:
        assert await anyio.to_thread.run_sync(self._begun.wait, 10.0)


def at(gate: Gate) -> Callable[[], Any]:
    async def reached() -> None:
        assert await anyio.to_thread.run_sync(gate.reached.wait, 10.0)

    return reached


def is_interrupted(w: World) -> None:
    assert (w.outcome.end, w.outcome.exit_code, w.requests) == (RunEnd.INTERRUPTED, 130, 1)
    assert w.records[-1].end in (AttemptEnd.INTERRUPTED, AttemptEnd.CUT_STREAM)
    assert len(w.seen.of(WaitStarted)) == len(w.seen.of(WaitEnded))


@wires
def test_a_wait_of_the_transport_can_be_interrupted(wire: FaultWire) -> None:
    sleep = Asleep()
    refusal = answer(wire.error("rate"), {"retry-after": "120"})
    w = stopped(wire, refusal, sleep.reached, sleep=sleep)
    is_interrupted(w)
    assert w.records[-1].end is AttemptEnd.INTERRUPTED
    assert [event.seconds >= 120 for event in w.seen.of(WaitStarted)] == [True]


@wires
def test_a_wait_after_a_cut_can_be_interrupted(wire: FaultWire) -> None:
    sleep = Asleep()
    cut = Answer(body=wire.half_call(CUT, CUT_ARGUMENTS))
    w = stopped(wire, cut, sleep.reached, sleep=sleep)
    is_interrupted(w)
    assert w.record.partial == CUT


@wires
def test_a_reply_that_does_not_come_can_be_interrupted(wire: FaultWire) -> None:
    gate = Gate()
    is_interrupted(stopped(wire, Answer(hold=gate), at(gate)))
    assert gate.left.wait(10), "the connection was not closed"


@wires
def test_a_reply_that_has_begun_can_be_interrupted(wire: FaultWire) -> None:
    shown, gate = Gate(), Gate()
    body = [wire.in_call(CUT, CUT_ARGUMENTS), shown, gate]
    w = stopped(wire, Answer(body=body), at(gate), on_event=opens(shown))
    is_interrupted(w)
    assert w.record.partial == CUT
    assert gate.left.wait(10), "the connection was not closed"


class Crew:
    """Ten sessions of one process over one transport."""

    def __init__(self, wire: FaultWire, handler: Callable[[Recorded], Answer], caps: Any) -> None:
        self.slept: list[float] = []
        self.seen = [RecordingObserver() for _ in range(WORKERS)]
        self.sessions: list[Session] = []
        self.texts: list[str] = []
        self.server = Loopback(handler=handler)
        self._caps = caps
        self._wire = wire
        self.change = anyio.Event()

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await anyio.lowlevel.checkpoint()

    def _noted(self, _: Event) -> None:
        self.change.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for events until it holds."""
        while not holds():
            self.change = anyio.Event()
            await self.change.wait()

    async def work(self, meanwhile: Callable[[], Any] | None = None) -> None:
        transport = Transport(sleep=self._sleep, rng=random.Random(7))
        with temporary_project() as project, self.server as server:
            write_settings(project, entry_of(self._wire, server.url, caps=self._caps))
            options, environment = environment_of(project, [])
            async with AsyncExitStack() as stack, anyio.create_task_group() as group:
                for seen in self.seen:
                    session = await stack.enter_async_context(
                        open_session(
                            options,
                            approver=ScriptedApprover(interactive=False),
                            subscribers=(seen, self._noted),
                            environment=environment,
                            transport=transport,
                        )
                    )
                    self.sessions.append(session)
                    group.start_soon(self._one, session)
                if meanwhile is not None:
                    await meanwhile()
            await transport.aclose()

    async def _one(self, session: Session) -> None:
        outcome = await session.run("go")
        self.texts.append(outcome.text)
        [record] = attempts(session.log_path)
        done = outcome.end is RunEnd.DONE
        assert record.end is (AttemptEnd.TURN if done else AttemptEnd.INTERRUPTED)

    def waits(self, what: str) -> int:
        return sum(e.what == what for seen in self.seen for e in seen.of(WaitStarted))


@wires
def test_ten_workers_do_not_come_back_in_the_same_instant(wire: FaultWire) -> None:
    left = [answer(wire.error("rate"), {"retry-after": "20"})] * WORKERS

    def handler(_: Recorded) -> Answer:
        return left.pop() if left else Answer(body=wire.reply(ANSWER))

    crew = Crew(wire, handler, {})
    run(crew.work)
    assert crew.texts == [ANSWER] * WORKERS
    assert len(crew.server.requests) == 2 * WORKERS
    assert len(set(crew.slept)) == WORKERS
    assert all(20 <= seconds <= 22.25 for seconds in crew.slept)
    assert max(crew.slept) - min(crew.slept) > 0.5


@wires
def test_no_more_requests_are_in_flight_than_the_provider_takes(wire: FaultWire) -> None:
    gates = [Gate() for _ in range(WORKERS)]
    came = iter(gates)
    body = wire.reply(ANSWER)
    crew = Crew(
        wire,
        lambda _: Answer(body=[body[:-20], next(came), body[-20:]]),
        {"max_concurrent_requests": AT_ONCE},
    )

    async def meanwhile() -> None:
        await crew.until(lambda: crew.waits("capacity") == WORKERS - AT_ONCE)
        for number, gate in enumerate(gates):
            for held in gates[number : number + AT_ONCE]:
                assert await anyio.to_thread.run_sync(held.reached.wait, 10.0)
            assert len(crew.server.requests) <= number + AT_ONCE
            gate.open()

    run(lambda: crew.work(meanwhile))
    assert crew.texts == [ANSWER] * WORKERS
    assert len(crew.server.requests) == WORKERS
    reasons = {e.reason for seen in crew.seen for e in seen.of(WaitStarted)}
    assert reasons == {f"local takes {AT_ONCE} at once: waiting"}


@wires
def test_a_worker_that_waits_its_turn_can_be_interrupted(wire: FaultWire) -> None:
    """Its place in the queue goes to the next one, and none is lost."""
    gate = Gate()
    held = Answer(body=[wire.reply(ANSWER)[:-20], gate, wire.reply(ANSWER)[-20:]])
    answers = [held, *[Answer(body=wire.reply(ANSWER))] * WORKERS]
    crew = Crew(wire, lambda _: answers.pop(0), {"max_concurrent_requests": 1})

    async def meanwhile() -> None:
        await at(gate)()
        await crew.until(lambda: crew.waits("capacity") == WORKERS - 1)
        crew.sessions[3].interrupt()
        await crew.until(lambda: bool(crew.seen[3].of(RunEnded)))
        assert crew.seen[3].of(RunEnded)[0].end is RunEnd.INTERRUPTED
        assert len(crew.server.requests) == 1
        gate.open()

    run(lambda: crew.work(meanwhile))
    assert sorted(crew.texts) == ["", *[ANSWER] * (WORKERS - 1)]
    assert len(crew.server.requests) == WORKERS - 1
