"""Commands in the background: started, read, waited for, ended."""

from __future__ import annotations

import re
import sys
import time
from hashlib import blake2b
from pathlib import Path

import anyio
import psutil
import pytest

from turnloop_core.api import ErrorKind, PermissionMode, RanCommand, Waited
from turnloop_core.testing.contexts import call_context
from turnloop_shell import background
from turnloop_shell.background import MOST_ENDED, MOST_RUNNING
from turnloop_shell.tool import Bash

# Goes on when the file `go` is there, so that nothing depends on time.
WHEN_TOLD = "until [ -e go ]; do sleep 0.01; done"
FOR_EVER = "while :; do sleep 1; done"


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr(background, "QUIET", 0.05)


def steady(text):
    """Without the time that a command has taken so far."""
    return re.sub(r"\d+ s so far", "N s so far", text)


def waited(result, name="bg1"):
    """The fact of a look, with the time that it says."""
    fact = next(fact for fact in result.facts if isinstance(fact, Waited))
    assert fact.what == name
    return fact.seconds


def commands(result):
    return [fact for fact in result.facts if isinstance(fact, RanCommand)]


def test_it_returns_at_once_and_is_read_to_its_end(in_shell):
    command = f"echo one; {WHEN_TOLD}; echo two; exit 3"

    async def work(bench):
        result = await bench.run(command, run_in_background=True, timeout_s=0.01)
        assert (result.text, result.error) == (
            "[runs in the background as bg1; BashOutput shows what it prints]",
            None,
        )
        root = str(bench.project.root)
        assert result.facts == (RanCommand(command, None, 0.0, background=True, cwd=root),)

        first = await bench.look("bg1", wait_s=20)
        assert steady(first.text) == "one\n[bg1 runs, N s so far]"
        assert first.ok
        assert waited(first) < 20
        again = await bench.look("bg1")
        assert steady(again.text) == "[no new output]\n[bg1 runs, N s so far]"
        assert again.facts == (Waited(waited(again), "bg1"),)

        bench.project.path("go").touch()
        last = await bench.look("bg1", wait_s=20)
        if "exit code" not in last.text:  # the output came well before the end
            assert last.text.startswith("two\n")
            last = await bench.look("bg1", wait_s=20)
        assert last.text.endswith(" s]")
        assert "[exit code 3 after " in last.text
        assert last.error is ErrorKind.TOOL_ERROR
        (fact,) = commands(last)
        assert fact == RanCommand(
            command,
            3,
            fact.seconds,
            cwd=root,
            output_digest=blake2b(b"one\ntwo\n", digest_size=16).hexdigest(),
        )
        assert bench.alive() == []

        once_more = await bench.look("bg1", wait_s=20)
        assert once_more.text.startswith("[no new output]\n[exit code 3 after ")
        assert once_more.ok
        assert commands(once_more) == []
        assert waited(once_more) < 5

    in_shell(work)


def test_a_wait_that_is_over_says_that_it_still_runs(in_shell):
    async def work(bench):
        name = await bench.background(FOR_EVER)
        result = await bench.look(name, wait_s=0.2)
        assert steady(result.text) == "[no new output]\n[bg1 runs, N s so far]"
        assert waited(result) >= 0.2

    in_shell(work)


def test_a_wait_gathers_what_comes_without_a_pause(in_shell, monkeypatch):
    monkeypatch.setattr(background, "QUIET", 1.0)

    async def work(bench):
        lines = "for n in $(seq 20); do echo $n; sleep 0.02; done"
        name = await bench.background(
            f"{lines}; {WHEN_TOLD}; echo more; {WHEN_TOLD.replace('go', 'on')}"
        )
        told = (await bench.look(name, wait_s=30)).text.splitlines()
        assert told[:-1] == [str(n) for n in range(1, 21)]
        assert (await bench.look(name, wait_s=0.1)).text.startswith("[no new output]")
        bench.project.path("go").touch()
        bench.project.path("on").touch()
        monkeypatch.setattr(background, "QUIET", 30.0)
        began = time.monotonic()  # the end is not waited beyond
        assert (await bench.look(name, wait_s=30)).text.startswith("more\n[exit code 0 after")
        assert time.monotonic() - began < 10

    in_shell(work)


def test_an_interrupted_wait_ends_nothing_and_loses_nothing(in_shell):
    async def work(bench):
        name = await bench.background(f"{WHEN_TOLD}; echo here; {FOR_EVER}")
        waiting = anyio.Event()

        async def look():
            waiting.set()
            await bench.look(name, wait_s=60)
            raise AssertionError("it was interrupted, and still gave a result")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(look)
            await waiting.wait()
            await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        assert bench.alive()
        bench.project.path("go").touch()
        assert (await bench.look(name, wait_s=20)).text.startswith("here\n")

    in_shell(work)


def test_what_closed_its_output_is_waited_for(in_shell):
    async def work(bench):
        name = await bench.background(f"exec >/dev/null 2>&1; {WHEN_TOLD}; exit 4")
        result = await bench.look(name, wait_s=0.3)
        assert waited(result) >= 0.3
        bench.project.path("go").touch()
        assert "[exit code 4 after" in (await bench.look(name, wait_s=20)).text

    in_shell(work)


def test_unknown_ids_say_what_there_is(in_shell):
    async def work(bench):
        result = await bench.look("bg1")
        assert (result.text, result.error) == (
            "there is no command bg1 in the background.\nno command was started in the background",
            ErrorKind.TOOL_ERROR,
        )
        await bench.background(f"echo x; {FOR_EVER}")
        await bench.background("exit 2")
        await bench.until(lambda: len(bench.alive()) == 2)  # the first shell, and its sleep
        await bench.look("2", wait_s=20)
        told = steady((await bench.look("nope")).text).splitlines()
        assert told[0] == "there is no command nope in the background."
        assert told[1].startswith("bg1 (N s so far, 2 new bytes): echo x; while")
        assert told[2] == "bg2 (exit code 2): exit 2"
        assert steady((await bench.look()).text).splitlines() == told[1:]

    in_shell(work)


def test_a_resumed_session_does_not_take_the_commands_of_the_earlier_process_for_ended(in_shell):
    ran = RanCommand("npm start", None, 0.0, background=True)
    facts = (ran, RanCommand("sleep 9 &", 0, 0.1, background=True), ran)

    async def work(bench):
        told = (await bench.look("bg2", facts=facts)).text
        assert told.splitlines()[0] == (
            "bg2 is not known any more: it ended long ago, or was started before this session was "
            "resumed, and then it may still run: look with ps before you start it again."
        )
        assert (await bench.look("bg3", facts=facts)).text.startswith("there is no command bg3")
        result = await bench.run("echo x", run_in_background=True, facts=facts)
        assert "as bg3;" in result.text  # no id means two commands

    in_shell(work)


def test_there_may_be_so_many_at_once(in_shell):
    async def work(bench):
        for _ in range(MOST_RUNNING):
            await bench.background(FOR_EVER)
        result = await bench.run("echo x", run_in_background=True)
        assert result.error is ErrorKind.TOOL_ERROR
        assert result.text.startswith("not run: bg1, bg2, ")
        assert (await bench.run("echo x")).ok
        await bench.look("bg1", kill=True)
        assert await bench.background("true") == f"bg{MOST_RUNNING + 1}"

    in_shell(work)


def test_those_that_ended_long_ago_are_forgotten(in_shell):
    async def work(bench):
        for number in range(1, MOST_ENDED + 4):
            assert await bench.background("true") == f"bg{number}"
            await bench.look(f"bg{number}", wait_s=20)
        listed = (await bench.look()).text.splitlines()
        assert len(listed) == MOST_ENDED
        assert listed[0].startswith("bg4 ")

    in_shell(work)


def test_those_that_nobody_looks_at_are_forgotten_as_well(in_shell):
    async def work(bench):
        await bench.background("echo looked at")
        await bench.look("bg1", wait_s=20)
        for _ in range(MOST_ENDED + 2):
            name = await bench.background("true")
            command = bench.tool._background.find(name)
            await bench.until(lambda command=command: command.running.drained.done())
        assert len(bench.tool._background.commands) <= MOST_ENDED + 1
        listed = (await bench.look()).text.splitlines()
        assert len(listed) == MOST_ENDED
        # What is known to have ended goes first, then the oldest.
        assert listed[0] == "bg4 (exit code 0): true"

    in_shell(work)


def test_what_a_shell_left_running_counts_and_is_listed(in_shell, monkeypatch):
    monkeypatch.setattr(background, "GRACE", 0.02)

    async def work(bench):
        for _ in range(MOST_RUNNING):
            name = await bench.background("sleep 300 & echo $! >pid")
            command = bench.tool._background.find(name)
            await bench.until(lambda command=command: command.exit_code is not None)
        pid = bench.project.path("pid").read_text().strip()
        listed = (await bench.look()).text.splitlines()
        assert listed[-1] == (
            f"bg{MOST_RUNNING} (exit code 0; still running: {pid} (sleep 300)): "
            "sleep 300 & echo $! >pid"
        )
        result = await bench.run("echo x", run_in_background=True)
        assert result.text.startswith("not run: bg1, bg2, ")
        await bench.look("bg1", kill=True)
        assert await bench.background("true") == f"bg{MOST_RUNNING + 1}"

    in_shell(work)


def test_to_end_something_needs_an_id(in_shell):
    async def work(bench):
        await bench.background(FOR_EVER)
        result = await bench.look(kill=True)
        assert result.error is ErrorKind.TOOL_ERROR
        assert result.text.startswith("nothing was ended: the id is missing.\nbg1 (")
        assert bench.alive()

    in_shell(work)


def test_plan_mode_starts_and_ends_nothing_but_may_look(in_shell):
    async def work(bench):
        plan = PermissionMode.PLAN
        assert (await bench.run("true", run_in_background=True, mode=plan)).error is (
            ErrorKind.DENIED
        )
        name = await bench.background(f"echo x; {FOR_EVER}")
        assert (await bench.look(name, kill=True, mode=plan)).error is ErrorKind.DENIED
        assert (await bench.look(name, wait_s=20, mode=plan)).text.startswith("x\n")
        assert bench.alive()

    in_shell(work)


def test_what_cannot_be_started_says_why(in_shell):
    async def work(bench):
        result = await bench.run("echo \0", run_in_background=True)
        assert "holds a null character" in result.text
        assert (await bench.look()).text == "no command was started in the background"
        bench.tool = Bash(None)
        result = await bench.run("true", run_in_background=True)
        assert "there is no shell on this machine" in result.text

    in_shell(work)


def test_much_output_has_head_tail_and_a_file(in_shell):
    async def work(bench):
        name = await bench.background("seq 100000; echo the end")
        await bench.until(lambda: not bench.alive())
        result = await bench.look(name, wait_s=20)
        assert result.text.startswith("1\n2\n")
        assert "\nthe end\n[exit code 0 after " in result.text
        assert len(result.text) < 25_000
        (path,) = call_context(bench.project).data_dir.iterdir()
        assert f" bytes left out; the output goes to {path} ...]" in result.text
        assert path.read_text() == "".join(f"{n}\n" for n in range(1, 100_001)) + "the end\n"

    in_shell(work)


def test_without_help_of_the_kernel_the_end_is_still_seen(in_shell, monkeypatch):
    from turnloop_shell import running

    monkeypatch.delattr(running.os, "pidfd_open", raising=False)

    async def work(bench):
        name = await bench.background("exit 4")
        assert "[exit code 4 after" in (await bench.look(name, wait_s=20)).text

    in_shell(work)


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_no_zombie_and_no_descriptor_is_left(in_shell):
    async def work(bench):
        me = psutil.Process()
        before = descriptors()
        for _ in range(3):
            name = await bench.background("head -c 400000 /dev/zero | tr '\\0' x; exit 1")
            pid = bench.tool._background.find(name).running.pid
            await bench.until(
                lambda name=name: bench.tool._background.find(name).exit_code is not None
            )
            assert pid not in [child.pid for child in me.children()]
            await bench.look(name, wait_s=20)
        assert descriptors() == before

    in_shell(work)


@pytest.mark.parametrize("strange", [float("nan"), float("-inf"), -3])
def test_strange_times_to_wait_are_none(in_shell, strange):
    async def work(bench):
        name = await bench.background(FOR_EVER)
        began = time.monotonic()
        assert (await bench.look(name, wait_s=strange)).ok
        assert time.monotonic() - began < 5

    in_shell(work)
