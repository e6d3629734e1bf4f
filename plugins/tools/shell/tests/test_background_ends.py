"""Commands in the background come to an end: all that they started, and nothing else."""

from __future__ import annotations

import time

import anyio
import psutil
import pytest

from turnloop_core.api import RanCommand
from turnloop_shell import background, processes

# Goes on when the file `go` is there, so that nothing depends on time.
WHEN_TOLD = "until [ -e go ]; do sleep 0.01; done"
FOR_EVER = "while :; do sleep 1; done"


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr(background, "QUIET", 0.05)


def commands(result):
    return [fact for fact in result.facts if isinstance(fact, RanCommand)]


STUBBORN_ORPHAN = "(setsid sh -c 'trap \"\" TERM; echo $$ >pid; while :; do sleep 1; done' &)"


@pytest.mark.parametrize("by", ["kill", "the end of the session"])
def test_the_whole_tree_is_ended(in_shell, by):
    async def work(bench):
        name = await bench.background(f"echo up; {STUBBORN_ORPHAN}; sh -c '{FOR_EVER}'")
        pid = bench.project.path("pid")
        await bench.until(lambda: pid.exists() and pid.read_text().strip())
        assert len(bench.alive()) >= 2
        if by == "kill":
            result = await bench.look(name, kill=True)
            assert result.text.startswith("up\n[ended by signal ")
            assert result.text.endswith(" s; it was ended on request]")
            assert result.ok
            (fact,) = commands(result)
            assert (fact.exit_code, fact.background) == (-15, False)
            again = await bench.look(name, kill=True)
            assert again.text.endswith("; it was ended on request]")
            assert commands(again) == []
        else:
            await bench.tool.aclose()
        assert bench.all_gone()

    in_shell(work)


def test_what_ended_by_itself_was_not_ended_on_request(in_shell):
    async def work(bench):
        name = await bench.background("echo over")
        await bench.until(lambda: not bench.alive())
        result = await bench.look(name, kill=True)
        assert result.text.startswith("over\n[exit code 0 after ")
        assert "on request" not in result.text

    in_shell(work)


def test_what_cannot_be_ended_is_named(in_shell, monkeypatch):
    monkeypatch.setattr(processes, "_send", lambda found, *, polite: None)
    monkeypatch.setattr(processes, "POLITE", 0.1)
    monkeypatch.setattr(processes, "FORCED", 0.2)

    async def work(bench):
        name = await bench.background("exec sleep 300")
        result = await bench.look(name, kill=True)
        (pid,) = bench.alive()
        assert f"[these processes could not be ended: {pid}]" in result.text
        monkeypatch.undo()
        assert "on request" in (await bench.look(name, kill=True)).text

    in_shell(work)


def test_a_process_that_the_shell_left_behind_is_named_read_and_ended(in_shell):
    command = f"({WHEN_TOLD}; echo late; {FOR_EVER}) & echo $! >pid"

    async def work(bench):
        name = await bench.background(command)
        pid = bench.project.path("pid")
        await bench.until(lambda: pid.exists() and pid.read_text().strip())
        result = await bench.look(name, wait_s=20)
        assert f"[still running in the background: {pid.read_text().strip()} (" in result.text
        (fact,) = commands(result)
        assert (fact.exit_code, fact.background) == (0, True)
        bench.project.path("go").touch()
        assert (await bench.look(name, wait_s=20)).text.startswith("late\n[exit code 0 after")
        result = await bench.look(name, kill=True)
        assert "still running" not in result.text
        assert bench.all_gone()

    in_shell(work)


def test_a_wait_ends_with_the_last_process_that_was_left_behind(in_shell):
    async def work(bench):
        name = await bench.background(f"({WHEN_TOLD}) &")
        assert "still running" in (await bench.look(name, wait_s=20)).text
        looked = []

        async def look():
            looked.append(await bench.look(name, wait_s=30))

        began = time.monotonic()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(look)
            await anyio.lowlevel.checkpoint()
            bench.project.path("go").touch()
        assert time.monotonic() - began < 15
        assert looked[0].text.startswith("[no new output]\n[exit code 0 after ")
        assert "still running" not in looked[0].text

    in_shell(work)


@pytest.mark.parametrize("by", ["limit", "kill", "the end of the session"])
def test_an_orphan_that_cleared_its_environment_is_found_by_its_session(in_shell, by):
    command = "(env -i sh -c 'echo $$ >pid; exec sleep 300' &); sleep 300"

    async def work(bench):
        pid = bench.project.path("pid")
        if by == "limit":
            await bench.run(command, timeout_s=1)
        else:
            name = await bench.background(command)
            await bench.until(lambda: pid.exists() and pid.read_text().strip())
            await (bench.look(name, kill=True) if by == "kill" else bench.tool.aclose())
        assert not runs(int(pid.read_text()))

    in_shell(work)


def runs(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
