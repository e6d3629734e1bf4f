"""`kill -9` at record boundaries of a session that thinks; then resume, and finish."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from anthropic_server import StrictServer
from anthropic_world import KEY, TEN, sent_thoughts, world

from turnloop_core.testing.project import Project, bare_environment

pytest.importorskip("turnloop_files", reason="these sessions read files")

# Runs `tl` in this process and kills it, without any warning, after a record.
KILLER = """
import os, signal, sys
number = int(sys.argv[1])
sys.argv = ["tl", *sys.argv[2:]]
seen = 0
from turnloop_core.log.writer import LogWriter
append = LogWriter.append
def killing(self, body):
    global seen
    record = append(self, body)
    seen += 1
    if seen == number:
        os.kill(os.getpid(), signal.SIGKILL)
    return record
LogWriter.append = killing
from turnloop_core.frontend.main import main
main()
"""
NEVER = 1_000_000


def tl(project: Project, number: int, *arguments: str) -> int:
    """Run `tl`, to be killed after its `number`-th record; gives its exit status."""
    return subprocess.run(
        [sys.executable, "-c", KILLER, str(number), *arguments],
        cwd=project.root,
        env=bare_environment(project.home) | KEY,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    ).returncode


@pytest.mark.parametrize("number", [5, 14, 18, 19, 23, 40])
def test_killed_and_resumed(number: int) -> None:
    server = StrictServer(TEN)
    with world(server) as (project, loopback):
        assert tl(project, number, "-p", "read them") == -signal.SIGKILL
        assert tl(project, NEVER, "--resume", "-p", "go on") == 0
        assert server.refused == []
        assert set(server.types) == {"enabled"}
        # each thought of a turn that is on record went back as it was made, in its order
        sent = sent_thoughts(loopback)
        made = list(server.made.values())
        assert sent == [block for block in made if block in sent]
        on_record = loopback.requests[-1].json["messages"]
        assert sum(m["role"] == "assistant" for m in on_record) >= 10


def test_killed_in_a_tool_loop_and_resumed_with_another_model() -> None:
    server = StrictServer(TEN)
    with world(server) as (project, loopback):
        assert tl(project, 19, "-p", "read them") == -signal.SIGKILL
        before = len(loopback.requests)
        other = ("--model", "claude-haiku-4-5")
        assert tl(project, NEVER, "--resume", *other, "-p", "go on") == 0
        assert server.refused == []
        # the turn that the other model began goes on without thinking, to its end
        assert set(server.types[before:]) == {"disabled"}
        assert tl(project, NEVER, "--resume", *other, "-p", "and f11") == 0
        assert server.refused == []
        assert server.types[-1] == "enabled"


def test_killed_in_a_tool_loop_and_resumed_without_thinking() -> None:
    server = StrictServer(TEN)
    with world(server) as (project, loopback):
        assert tl(project, 19, "-p", "read them") == -signal.SIGKILL
        assert sent_thoughts(loopback)
        off = ("--thinking", "off")
        assert tl(project, NEVER, "--resume", *off, "-p", "go on") == 0
        assert server.refused == []
        assert sent_thoughts(loopback) == []
        assert server.types[-1] == "disabled"
