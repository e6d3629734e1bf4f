"""Commands of a session: none outlives it, however it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from turnloop_core.log.reader import read_log
from turnloop_core.log.view import fold
from turnloop_core.testing.processes import kill, marked_processes, new_mark

if sys.platform == "win32":
    pytest.skip("ends processes by signals", allow_module_level=True)

BOUND = 20.0
# A grandchild in a session of its own, which ignores the polite signal.
STUBBORN = (
    "(setsid sh -c 'trap \"\" TERM HUP; while :; do date >tick.txt; sleep 0.1; done' &); sleep 300"
)
FREELY = ("--permission-mode", "bypass")


def bash(command, **more):
    return {"name": "Bash", "arguments": {"command": command, **more}}


def look(name, **more):
    return {"name": "BashOutput", "arguments": {"id": name, **more}}


def until(condition):
    """Processes and files have no event that one could wait for."""
    end = time.monotonic() + BOUND
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


@pytest.fixture
def mark(tl):
    mark = new_mark()
    tl.environment.update(mark)
    yield mark
    kill(marked_processes(mark))


def alive(mark):
    """Processes with the mark that run: the program's own is among them while it runs."""
    import psutil

    found = []
    for pid in marked_processes(mark):
        with suppress(psutil.NoSuchProcess):
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.append(pid)
    return found


def told(tl):
    """The texts of all results, for each turn with calls."""
    (path,) = (tl.home / ".turnloop" / "sessions").rglob("*.jsonl")
    turns = fold(read_log(path).records).view().turns
    return [[result.text for result in turn.results] for turn in turns if turn.results]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("background", [False, True])
def test_a_signal_ends_the_whole_tree(tl, mark, number, background):
    wait = [{"calls": [look("bg1", wait_s=300)]}] if background else []
    tl.script([{"calls": [bash(STUBBORN, run_in_background=background)]}, *wait, {"text": "no"}])
    process = tl.start("-p", "go", *FREELY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until((tl.cwd / "tick.txt").exists)
    process.send_signal(number)
    assert process.wait(BOUND) == 130
    assert alive(mark) == []


def test_the_end_of_a_run_ends_what_runs_in_the_background(tl, mark):
    tl.script(
        [
            {
                "calls": [
                    bash(STUBBORN, run_in_background=True),
                    bash("echo x", run_in_background=1),
                ]
            },
            {"calls": [look("bg2", wait_s=20), bash("until [ -e tick.txt ]; do sleep 0.01; done")]},
            {"text": "Done."},
        ]
    )
    ran = tl("-p", "go", *FREELY)
    assert (ran.status, ran.out) == (0, "Done.\n")
    assert alive(mark) == []
    first, second = told(tl)
    assert [text.split(";")[0] for text in first] == [
        "[runs in the background as bg1",
        "[runs in the background as bg2",
    ]
    assert second[0].startswith("x\n[exit code 0 after ")


def test_a_resumed_session_says_that_it_is_gone(tl, mark):
    tl.script(
        [
            {"calls": [bash("sleep 300", run_in_background=True)]},
            {"text": "Started."},
            {"calls": [look("bg1")]},
            {"calls": [bash("sleep 300", run_in_background=True)]},
            {"text": "Done."},
        ]
    )
    assert tl("-p", "go", *FREELY).out == "Started.\n"
    assert alive(mark) == []
    assert tl("--resume", "-p", "and now", *FREELY).out == "Done.\n"
    _, gone, again = told(tl)
    assert gone[0].startswith("bg1 is not known any more: it ended long ago, or was started before")
    assert again[0].startswith("[runs in the background as bg2;")


def test_a_command_in_the_background_needs_the_same_consent(tl, mark):
    tl.script([{"calls": [bash("touch made", run_in_background=True)]}, {"text": "So be it."}])
    assert tl("-p", "go").status == 4
    assert not (tl.cwd / "made").exists()


def test_much_output_makes_neither_a_large_log_nor_a_large_request(tl):
    calls = [bash("head -c 20000000 /dev/zero | tr '\\0' x | fold -w 200; echo THE END")]
    looks = [look("bg1", wait_s=60)]
    tl.script(
        [
            {"calls": calls},
            {"calls": [bash(calls[0]["arguments"]["command"], run_in_background=True)]},
            {"calls": looks},
            {"text": "Done."},
        ]
    )
    assert tl("-p", "go", *FREELY).out == "Done.\n"
    first, _, last = told(tl)
    for (text,) in (first, last):
        assert "THE END" in text
        assert len(text) < 26_000
    (path,) = (tl.home / ".turnloop" / "sessions").rglob("*.jsonl")
    assert path.stat().st_size < 200_000
