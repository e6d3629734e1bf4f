"""The main job over real HTTP: read, edit and run in a folder, under exact rules."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from bug_project import FILES, MENDED, STEPS, Model, legal, write_settings
from turnloop_core.testing.cli import run_tl
from turnloop_core.testing.loopback import Loopback
from turnloop_core.testing.project import temporary_project


@pytest.mark.parametrize("piece", [0, 1, 7])
def test_it_reads_edits_and_runs_until_the_test_passes(piece: int) -> None:
    with temporary_project(FILES) as project, Loopback(handler=Model(piece)) as server:
        write_settings(project, server)
        done = run_tl(
            "-p",
            "fix the failing test",
            "--provider",
            "local",
            "--json",
            home=project.home,
            cwd=project.root,
            env={"LOCAL_KEY": "key-of-the-test"},
        )
        assert done.returncode == 0, done.stderr
        assert project.read("basket.py") == MENDED

        events = [json.loads(line) for line in done.stdout.splitlines()]
        assert events[0]["event"] == "session"
        assert events[-1]["event"] == "run_ended"
        assert events[-1]["end"] == "done"
        ended = [e for e in events if e["event"] == "call_ended"]
        assert [e["call"]["name"] for e in ended] == ["Bash", "Read", "Edit", "Bash"]
        assert [e["result"].get("error") for e in ended] == ["tool_error", None, None, None]
        assert "key-of-the-test" not in done.stdout + done.stderr

        bodies = [request.body for request in server.requests]
        assert len(bodies) == len(STEPS) == 5
        for before, after in pairwise(bodies):
            assert _messages(after).startswith(_messages(before)[:-1])
        assert all(legal(json.loads(body)["messages"]) for body in bodies)


def _messages(body: bytes) -> bytes:
    """The messages array as its bytes stand in the body, up to and including its bracket."""
    start = body.index(b'"messages":') + len(b'"messages":')
    decoder = json.JSONDecoder()
    text = body[start:].decode()
    _, end = decoder.raw_decode(text)
    return text[:end].encode()
