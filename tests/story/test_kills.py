"""`kill -9` at each record boundary of a run and inside each tool; then resume, and finish."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bug_project import FILES, MENDED, Model, legal, write_settings
from turnloop_core.log.reader import read_log
from turnloop_core.log.view import fold
from turnloop_core.testing.loopback import Loopback
from turnloop_core.testing.project import Project, bare_environment, temporary_project

# Runs `tl` in this process and kills it, without any warning, at a chosen place.
KILLER = """
import os, signal, sys
place, number = sys.argv[1], int(sys.argv[2])
sys.argv = ["tl", *sys.argv[3:]]
seen = 0

def here():
    global seen
    seen += 1
    if seen == number:
        os.kill(os.getpid(), signal.SIGKILL)

if place in ("before_record", "after_record"):
    from turnloop_core.log.writer import LogWriter
    append = LogWriter.append
    def killing(self, body):
        if place == "before_record":
            here()
        record = append(self, body)
        if place == "after_record":
            here()
        return record
    LogWriter.append = killing
elif place in ("before_replace", "after_replace"):
    replace = os.replace
    def killing(*args, **kwargs):
        if place == "before_replace":
            here()
        replace(*args, **kwargs)
        if place == "after_replace":
            here()
    os.replace = os.rename = killing
elif place == "in_file_tool":
    from contextlib import contextmanager
    from turnloop_core.permissions import paths
    checked = paths.checked_folder
    @contextmanager
    def killing(subject, **options):
        with checked(subject, **options) as opened:
            here()
            yield opened
    paths.checked_folder = killing

from turnloop_core.frontend.main import main
main()
"""


def start(project: Project, place: str, number: int, *arguments: str) -> int:
    """Run `tl`, to be killed at the `number`-th passing of `place`; gives its exit status."""
    return subprocess.run(
        [sys.executable, "-c", KILLER, place, str(number), *arguments],
        cwd=project.root,
        env=bare_environment(project.home) | {"LOCAL_KEY": "key-of-the-test"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    ).returncode


def log_of(project: Project) -> Path | None:
    found = (project.home / ".turnloop" / "sessions").rglob("*.jsonl")
    logs = [path for path in found if path.stat().st_size]  # killed before its first record
    assert len(logs) <= 1
    return logs[0] if logs else None


def check_record(project: Project) -> None:
    """What must hold of the log of a killed run."""
    path = log_of(project)
    if path is None:
        return
    records = read_log(path).records
    for turn in fold(records).view().turns:
        assert len(turn.results) == len(turn.reply.calls)
    if project.read("basket.py") == MENDED:
        began = [r.body.name for r in records if r.body.kind == "call"]
        assert "Edit" in began, "an effect on disk has no call in the log"


def finish(project: Project, server: Loopback) -> None:
    """Resume, finish, and look at what the provider was sent."""
    resume = ("--resume",) if log_of(project) else ()
    assert start(project, "nowhere", 1, *resume, "-p", "go on") == 0
    assert project.read("basket.py") == MENDED
    assert all(legal(json.loads(r.body)["messages"]) for r in server.requests)
    path = log_of(project)
    assert path is not None
    assert read_log(path).damage == ()
    assert not fold(read_log(path).records).run_open


def killed_at(place: str, number: int) -> bool:
    """One story. False when the run ended before it came to the place."""
    with temporary_project(FILES) as project, Loopback(handler=Model()) as server:
        write_settings(project, server)
        status = start(project, place, number, "-p", "fix the failing test")
        if status == 0:
            return False
        assert status == -signal.SIGKILL
        check_record(project)
        finish(project, server)
        return True


def test_killed_before_the_first_record() -> None:
    assert killed_at("before_record", 1)


def test_killed_at_each_record_boundary() -> None:
    boundaries = 0
    for number in range(1, 100):
        if not killed_at("after_record", number):
            break
        boundaries += 1
    # session, prefix, prompt, end; five attempts and replies; four calls and their results
    assert boundaries >= 4 + 5 + 5 + 4 + 4


@pytest.mark.parametrize("place", ["before_replace", "after_replace"])
def test_killed_around_the_moment_at_which_an_edit_takes_effect(place: str) -> None:
    assert killed_at(place, 1)


@pytest.mark.parametrize("number", [1, 2])
def test_killed_inside_a_file_tool(number: int) -> None:
    assert killed_at("in_file_tool", number)


def test_killed_inside_a_command() -> None:
    command = "echo ran >> effect.txt; kill -9 $PPID; sleep 30"
    with temporary_project({"pyproject.toml": ""}) as project:
        step = ("Bash", {"command": command})
        model = Model(
            steps=[step, "It was interrupted; effect.txt shows that it ran once."], again=False
        )
        with Loopback(handler=model) as server:
            write_settings(project, server, allow=[f"Bash({command})", "Edit(effect.txt)"])
            assert start(project, "nowhere", 1, "-p", "run it") == -signal.SIGKILL
            assert project.read("effect.txt") == "ran\n"
            path = log_of(project)
            assert path is not None
            assert [r.body.name for r in read_log(path).records if r.body.kind == "call"] == [
                "Bash"
            ]
            assert start(project, "nowhere", 1, "--resume", "-p", "go on") == 0
            assert project.read("effect.txt") == "ran\n", "it ran a second time"
            last = json.loads(server.requests[-1].body)["messages"]
            assert legal(last)
            told = next(m["content"] for m in last if m["role"] == "tool")
            assert "may or may not" in told.lower()
