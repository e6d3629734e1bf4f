"""Nothing holds a call beyond its limit, and nothing outlives it unnoticed."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import anyio
import psutil
import pytest

from turnloop_core.api import ErrorKind
from turnloop_shell import processes, running


async def until(condition):
    """Processes and files have no event that one could wait for."""
    with anyio.fail_after(30):
        while not condition():  # noqa: ASYNC110
            await anyio.sleep(0.01)


DAEMON = """
import os, signal, time
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    print("tick" * 1000, flush=True)
    time.sleep(0.01)
"""

IN_THE_BACKGROUND = [
    f"{sys.executable} daemon.py; echo ready",
    "sleep 300 & echo ready",
    "while :; do echo tick; sleep 0.1; done & echo ready",
    "nohup sleep 300 & echo ready",
    "setsid sleep 300 & echo ready",
    "setsid sleep 300 >/dev/null 2>&1 & echo ready",
    "sleep 300 >out.log 2>&1 & echo ready",
    "(setsid sh -c 'sleep 300 & sleep 300' &) ; echo ready",
]


@pytest.mark.parametrize("command", IN_THE_BACKGROUND)
def test_a_background_process_does_not_hold_the_call(in_shell, command):
    async def work(bench):
        started = time.monotonic()
        result = await bench.run(command, timeout_s=10)
        assert time.monotonic() - started < 2
        assert "ready" in result.text
        assert result.error is None
        assert result.facts[0].exit_code == 0
        assert result.facts[0].background
        assert "[still running in the background: " in result.text
        alive = bench.alive()
        assert alive
        assert any(str(pid) in result.text for pid in alive)
        await bench.tool.aclose()
        assert bench.all_gone()

    in_shell(work, {"daemon.py": DAEMON})


def test_a_daemon_that_holds_the_pipe_is_ended_at_the_limit(in_shell):
    async def work(bench):
        started = time.monotonic()
        result = await bench.run(f"{sys.executable} daemon.py; sleep 300", timeout_s=1)
        assert time.monotonic() - started < 6
        assert result.error is ErrorKind.TIMEOUT
        assert bench.alive() == []

    in_shell(work, {"daemon.py": DAEMON})


def test_what_runs_on_can_go_on_writing_and_is_kept(in_shell):
    async def work(bench):
        command = "for n in $(seq 100); do echo line $n; sleep 0.01; done & echo ready"
        result = await bench.run(command)
        log = result.text.rpartition("goes to ")[2].rstrip("]")
        await until(lambda: "line 100" in Path(log).read_text())
        assert (await anyio.Path(log).read_text()).count("line ") == 100

    in_shell(work)


def test_nothing_is_said_of_what_ended(in_shell):
    async def work(bench):
        result = await bench.run("sleep 0.05 & wait; echo done")
        assert (result.text, result.facts[0].background) == ("done", False)

    in_shell(work)


def test_a_late_writer_at_the_end_of_a_pipe_is_waited_for(in_shell):
    async def work(bench):
        result = await bench.run("echo a > >(sleep 0.05; cat; echo b)")
        assert (result.text, result.facts[0].background) == ("a\nb", False)

    in_shell(work)


STUBBORN = f"""
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if len(sys.argv) > 1:
    if sys.argv[1] == "own":
        os.setsid()
    while True:
        open("tick.txt", "a").write("x")
        print("tick", flush=True)
        time.sleep(0.05)
child = "import subprocess, sys; subprocess.run([{sys.executable!r}, 'stubborn.py', sys.argv[1]])"
subprocess.run([{sys.executable!r}, "-c", child, os.environ["KIND"]])
"""


@pytest.mark.parametrize("kind", ["same", "own"])
def test_the_whole_tree_is_ended_at_the_limit(in_shell, kind):
    async def work(bench):
        started = time.monotonic()
        result = await bench.run(
            f"echo begin; KIND={kind} {sys.executable} stubborn.py", timeout_s=1.5
        )
        assert time.monotonic() - started < 8
        assert result.error is ErrorKind.TIMEOUT
        assert result.text.startswith("begin\ntick")
        assert result.text.endswith(
            "[timed out after 1.5 s: the command and what it had started were ended. If it needs "
            "longer: a larger timeout_s, or run_in_background]"
        )
        fact = result.facts[0]
        assert (fact.timed_out, fact.exit_code) == (True, None)
        assert bench.alive() == []
        size = bench.project.path("tick.txt").stat().st_size
        assert size > 0

    in_shell(work, {"stubborn.py": STUBBORN})


def test_an_orphan_in_a_session_of_its_own_is_ended_at_the_limit(in_shell):
    async def work(bench):
        command = "(setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' &); sleep 300"
        result = await bench.run(command, timeout_s=0.5)
        assert result.error is ErrorKind.TIMEOUT
        assert bench.alive() == []

    in_shell(work)


def test_a_stopped_process_is_ended_too(in_shell):
    async def work(bench):
        result = await bench.run("kill -STOP $$", timeout_s=0.3)
        assert result.error is ErrorKind.TIMEOUT
        assert bench.alive() == []

    in_shell(work)


def test_a_polite_process_may_clean_up(in_shell):
    async def work(bench):
        result = await bench.run("trap 'echo bye; exit' TERM; sleep 300 & wait", timeout_s=0.5)
        assert result.text.startswith("bye\n[timed out after 0.5 s")

    in_shell(work)


@pytest.mark.parametrize("kind", ["same", "own"])
def test_an_interrupt_ends_the_tree_and_is_passed_on(in_shell, kind):
    async def work(bench):
        async def call():
            await bench.run(f"KIND={kind} {sys.executable} stubborn.py", timeout_s=60)
            raise AssertionError("it was interrupted, and still gave a result")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            await until(bench.project.path("tick.txt").exists)
            tasks.cancel_scope.cancel()
        assert bench.alive() == []

    in_shell(work, {"stubborn.py": STUBBORN})


def test_a_second_interrupt_ends_it_at_once(in_shell):
    import asyncio

    async def work(bench):
        command = f"KIND=own {sys.executable} stubborn.py"
        task = asyncio.ensure_future(bench.run(command, timeout_s=60))
        await until(bench.project.path("tick.txt").exists)
        pids = bench.alive()
        task.cancel()
        await anyio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert bench.all_gone()
        await until(lambda: not any(map(psutil.pid_exists, pids)))  # it is reaped by the loop

    in_shell(work, {"stubborn.py": STUBBORN})


def test_what_cannot_be_ended_does_not_hold_the_call(in_shell, monkeypatch):
    monkeypatch.setattr(processes, "_send", lambda found, *, polite: None)
    monkeypatch.setattr(processes, "POLITE", 0.1)
    monkeypatch.setattr(processes, "FORCED", 0.2)

    async def work(bench):
        result = await bench.run("echo x; exec sleep 300", timeout_s=0.3)
        (pid,) = bench.alive()
        assert f"but these processes could not be: {pid}]" in result.text
        monkeypatch.undo()
        await processes.end_tree(pid, "nobody")
        await until(lambda: not psutil.pid_exists(pid))  # it is reaped although the call is over

    in_shell(work)


def test_other_sessions_are_left_alone(in_shell):
    async def work(bench):
        from turnloop_core.testing.contexts import factory_context
        from turnloop_shell.tool import create

        other = type(bench)(bench.project, create(factory_context(bench.project)))
        await other.run("sleep 300 >/dev/null 2>&1 &")
        await bench.run("sleep 300 >/dev/null 2>&1 &")
        await bench.tool.aclose()
        assert bench.all_gone()
        assert other.alive()
        await other.tool.aclose()
        assert other.all_gone()

    in_shell(work)


def test_without_help_of_the_kernel_the_end_is_still_seen(in_shell, monkeypatch):
    monkeypatch.delattr(running.os, "pidfd_open", raising=False)

    async def work(bench):
        assert (await bench.run("echo x; exit 4")).facts[0].exit_code == 4
        result = await bench.run("sleep 300 & echo ready")
        assert "ready" in result.text
        assert (await bench.run("sleep 300", timeout_s=0.3)).error is ErrorKind.TIMEOUT

    in_shell(work)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("last", ["0", "none", "999999999"])
def test_what_is_left_is_found_whatever_the_kernel_says_of_ids(in_shell, monkeypatch, last):
    real = open

    def fake(path, *arguments):
        if path != "/proc/loadavg":
            return real(path, *arguments)
        import io

        return io.BytesIO(b"0.0 0.0 0.0 1/100 " + last.encode())

    monkeypatch.setattr(processes, "open", fake, raising=False)

    async def work(bench):
        result = await bench.run("setsid sleep 300 >/dev/null 2>&1 & echo ready")
        assert result.facts[0].background

    in_shell(work)


def test_signals_of_the_test_itself_are_untouched():
    assert signal.getsignal(signal.SIGCHLD) in (signal.SIG_DFL, signal.SIG_IGN)
