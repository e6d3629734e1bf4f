"""What waiting cannot mend: one request at most, no wait, the cause in one line."""

from __future__ import annotations

import time
from typing import Any

import pytest

from fault_wires import WIRES, FaultWire, answer
from faults.world import (
    AFTER,
    CUT,
    Faulty,
    entry_of,
    environment_of,
    met,
    write_settings,
)
from harness import FakeTool, run
from turnloop_core.app import open_session
from turnloop_core.errors import (
    AuthError,
    BadReplyError,
    ProviderError,
    RequestRefusedError,
    UnreachableError,
)
from turnloop_core.log.reader import read_log
from turnloop_core.testing.fakes import FakeClock, RecordingObserver, ScriptedApprover
from turnloop_core.testing.loopback import Answer, Loopback, free_port
from turnloop_core.testing.project import temporary_project
from turnloop_core.transport.client import Transport
from turnloop_core.types.events import RunEnd, WaitStarted

wires = pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES)

FATAL: dict[str, tuple[type[ProviderError], int, str]] = {
    "key": (AuthError, 5, "check LOCAL_KEY"),
    "forbidden": (AuthError, 5, "check what LOCAL_KEY may do"),
    "invalid": (RequestRefusedError, 1, "the same request will fail again"),
    "model": (RequestRefusedError, 1, "--model"),
    "unprocessable": (RequestRefusedError, 1, "the same request will fail again"),
}


@wires
@pytest.mark.parametrize("name", FATAL)
def test_what_waiting_cannot_mend_is_asked_once(wire: FaultWire, name: str) -> None:
    cls, code, hint = FATAL[name]
    began = time.monotonic()
    w = met(wire, answer(wire.error(name), {"retry-after": "1"}))
    assert time.monotonic() - began < 2
    assert (w.outcome.end, w.outcome.exit_code, w.requests) == (RunEnd.FAILED, code, 1)
    error = w.outcome.error
    assert type(error) is cls
    assert wire.error(name)[1]["error"]["message"] in str(error)
    assert hint in error.hint
    assert (w.clock.slept, w.pauses, w.waits) == ([], [], [])
    assert (w.record.reason, w.record.retries) == (str(error), 0)


@wires
@pytest.mark.parametrize("where", ["first", "after text", "inside a call"])
def test_an_error_event_that_cannot_be_mended_is_shown_at_once(wire: FaultWire, where: str) -> None:
    before = {
        "first": b"",
        "after text": wire.begun(CUT),
        "inside a call": wire.in_call(CUT, '{"text": "a call that must never run"}'),
    }[where]
    w = met(wire, Answer(body=before + wire.event("invalid")))
    assert (w.outcome.end, w.outcome.exit_code, w.requests) == (RunEnd.FAILED, 1, 1)
    assert type(w.outcome.error) is RequestRefusedError
    assert "no such value" in w.outcome.reason
    assert w.record.partial == (CUT if before else "")
    assert (w.clock.slept, w.pauses) == ([], [])


@wires
@pytest.mark.parametrize("body", [b"<html><body>Welcome</body></html>", b"", b'{"hello": 1}'])
def test_what_is_no_reply_at_all_is_shown_at_once(wire: FaultWire, body: bytes) -> None:
    w = met(wire, Answer(body=body))
    assert (w.outcome.end, w.outcome.exit_code, w.requests) == (RunEnd.FAILED, 1, 1)
    assert type(w.outcome.error) is BadReplyError
    assert w.outcome.error.hint


@wires
def test_a_missing_key_makes_no_request(wire: FaultWire) -> None:
    with temporary_project() as project, Loopback() as server:
        write_settings(project, entry_of(wire, server.url))
        options, environment = environment_of(project, [], key=False)

        async def go() -> None:
            approver = ScriptedApprover(interactive=False)
            async with open_session(options, approver=approver, environment=environment) as session:
                outcome = await session.run("go")
                assert (outcome.end, outcome.exit_code) == (RunEnd.FAILED, 5)
                assert str(outcome.error) == "local: no key: LOCAL_KEY is not set"
                assert "export LOCAL_KEY=" in outcome.error.hint  # type: ignore[union-attr]

        run(go)
        assert server.requests == []


def unreachable(wire: FaultWire, url: str, *, waits: int) -> tuple[Any, list[float]]:
    """A session whose server is not there; then the same session, resumed where one is."""
    clock, seen = FakeClock(), RecordingObserver()
    outcomes: list[Any] = []
    with temporary_project() as project:

        async def ask(address: str, prompt: str, resume: str | None) -> None:
            write_settings(project, entry_of(wire, address))
            options, environment = environment_of(project, [FakeTool()], resume=resume)
            transport = Transport(sleep=clock.sleep, clock=clock)
            async with open_session(
                options,
                approver=ScriptedApprover(interactive=False),
                subscribers=(seen,),
                environment=environment,
                transport=transport,
            ) as session:
                outcomes.append(await session.run(prompt))
                assert not read_log(session.log_path).damage
            await transport.aclose()

        run(lambda: ask(url, "Begin, please.", None))
        assert [e.number for e in seen.of(WaitStarted)] == list(range(1, waits + 1))
        server = Faulty(wire, ())
        server.heal()
        with Loopback(handler=server) as loopback:
            run(lambda: ask(loopback.url, "And now?", ""))
        assert (outcomes[1].text, server.problems) == (AFTER, [])
    return outcomes[0], clock.slept


@wires
def test_nobody_listens(wire: FaultWire) -> None:
    port = free_port()
    outcome, slept = unreachable(wire, f"http://127.0.0.1:{port}", waits=3)
    assert (outcome.end, outcome.exit_code, len(slept)) == (RunEnd.FAILED, 5, 3)
    assert type(outcome.error) is UnreachableError
    assert f"cannot reach 127.0.0.1:{port}" in str(outcome.error)
    assert outcome.error.hint.startswith("gave up after 4 tries in ")


@wires
def test_tls_to_a_port_that_speaks_none(wire: FaultWire) -> None:
    with Loopback() as server:
        url = server.url.replace("http:", "https:")
        outcome, slept = unreachable(wire, url, waits=3)
        assert (outcome.exit_code, len(slept), server.requests) == (5, 3, [])
    assert type(outcome.error) is UnreachableError
    assert "check base_url" in outcome.error.hint
