"""The real program over a server that fails: the answer once, the cause once, the right status."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from fault_wires import KEY, WIRES, FaultWire, answer
from faults.world import ANSWER, CUT, CUT_ARGUMENTS, entry_of, write_settings
from turnloop_core.testing.cli import run_tl
from turnloop_core.testing.loopback import Answer, Loopback
from turnloop_core.testing.project import Project, bare_environment, temporary_project

wires = pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES)
SOON = {"retry-after-ms": "1"}
ENV = {"LOCAL_KEY": KEY}


@contextmanager
def serving(wire: FaultWire, *answers: Answer) -> Iterator[tuple[Project, Loopback]]:
    with temporary_project({"pyproject.toml": ""}) as project, Loopback(*answers) as server:
        write_settings(project, entry_of(wire, server.url))
        yield project, server


def tl(
    wire: FaultWire, answers: Sequence[Answer], *more: str, key: bool = True
) -> tuple[subprocess.CompletedProcess[str], int]:
    """One run of the program; it and the number of requests."""
    with serving(wire, *answers) as (project, server):
        env = ENV if key else {}
        done = run_tl("-p", "go", *more, home=project.home, cwd=project.root, env=env)
        return done, len(server.requests)


def standing(events: Sequence[dict[str, Any]]) -> str:
    """What a program has that joins the text events and throws away what was voided."""
    text, reply = "", ""
    for event in events:
        if event["event"] == "text":
            reply += event["text"]
        elif event["event"] == "reply_voided":
            reply = ""
        elif event["event"] == "reply":
            text, reply = text + reply, ""
    return text + reply


@wires
def test_the_answer_comes_once(wire: FaultWire) -> None:
    """A refusal, a reply that is cut within a call, then the answer: as text and as events."""
    cut = wire.half_call(CUT, CUT_ARGUMENTS)
    answers = [
        answer(wire.error("rate"), SOON),
        Answer(body=[cut], drop="close"),
        Answer(body=wire.reply(ANSWER)),
    ]
    with ThreadPoolExecutor() as pool:
        plain_run = pool.submit(tl, wire, answers)
        json_run = pool.submit(tl, wire, answers, "--json")
        (plain, first), (lines, second) = plain_run.result(), json_run.result()
    assert (plain.returncode, plain.stdout, first) == (0, f"{ANSWER}\n", 3)
    assert CUT not in plain.stderr
    assert ANSWER not in plain.stderr
    assert plain.stderr.count("too many requests (429)") == 1
    assert "attempt 1: " in plain.stderr

    events = [json.loads(line) for line in lines.stdout.splitlines()]
    assert (lines.returncode, second, standing(events)) == (0, 3, ANSWER)
    assert events[-1]["event"] == "run_ended"
    assert events[-1]["text"] == ANSWER
    kinds = [event["event"] for event in events]
    assert (kinds.count("reply"), kinds.count("reply_voided")) == (1, 1)
    assert (kinds.count("wait_started"), kinds.count("wait_ended")) == (2, 2)
    assert "call_started" not in kinds


STATUSES = {"credit": 5, "key": 5, "invalid": 1}


@wires
def test_what_cannot_be_mended_has_its_exit_status(wire: FaultWire) -> None:
    def run_one(name: str) -> tuple[str, int, int, str]:
        began = time.monotonic()
        done, requests = tl(wire, [answer(wire.error(name))])
        assert time.monotonic() - began < 20  # bounded; nothing was waited for
        assert done.stdout == ""
        message = wire.error(name)[1]["error"]["message"]
        assert done.stderr.count(message) == 1, done.stderr
        assert "Traceback" not in done.stderr
        return name, done.returncode, requests, done.stderr

    with ThreadPoolExecutor(3) as pool:
        ran = list(pool.map(run_one, STATUSES))
    assert [(name, code, requests) for name, code, requests, _ in ran] == [
        (name, code, 1) for name, code in STATUSES.items()
    ]
    assert not [text for *_, text in ran if "waiting" in text or "(retry" in text]


def test_a_missing_key_is_told_before_any_request() -> None:
    wire = WIRES["openai_compat"]
    done, requests = tl(wire, [], key=False)
    assert (done.returncode, done.stdout, requests) == (5, "", 0)
    assert "LOCAL_KEY is not set" in done.stderr
    assert "export LOCAL_KEY=" in done.stderr


def test_ctrl_c_ends_a_wait_and_the_session_goes_on() -> None:
    wire = WIRES["openai_compat"]
    refusal = answer(wire.error("rate"), {"retry-after": "100"})
    with serving(wire, refusal, Answer(body=wire.reply(ANSWER))) as (project, server):
        process = subprocess.Popen(
            [sys.executable, "-m", "turnloop_core", "-p", "go"],
            cwd=project.root,
            env=bare_environment(project.home) | ENV,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            assert process.stderr is not None
            line = process.stderr.readline().decode()
            assert re.match(r"waiting 1[01]\d s ", line), line
            assert "(retry 1): local: too many requests (429)" in line
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=10)
        finally:
            process.kill()
            process.communicate(timeout=10)
        assert (process.returncode, out) == (130, b"")
        again = run_tl("--resume", "-p", "go on", home=project.home, cwd=project.root, env=ENV)
        assert (again.returncode, again.stdout) == (0, f"{ANSWER}\n")
        assert len(server.requests) == 2
        assert wire.complaints(server.requests[-1].json) == []
