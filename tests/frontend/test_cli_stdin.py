"""Standard input in every state that a caller leaves it in, with a prompt and without."""

from __future__ import annotations

import os
import subprocess
import threading
import time

import pytest

from turnloop_core.errors import UsageError
from turnloop_core.frontend import stdin
from turnloop_core.frontend.stdin import Piped, join

ECHO = [{"text": "the answer"}]


@pytest.fixture
def idle_pipe():
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)
    os.close(writing)


def prompt_of(ran):
    return next(event["prompt"] for event in ran.events if event["event"] == "run_started")


def test_with_a_prompt_the_null_device_is_no_text(tl):
    tl.script(ECHO)
    ran = tl("-p", "hello", "--json", stdin=subprocess.DEVNULL)
    assert (ran.status, prompt_of(ran)) == (0, "hello")


def test_with_a_prompt_piped_text_is_added_to_it(tl):
    tl.script(ECHO)
    ran = tl("-p", "review this", "--json", stdin="+ naïve\n- line\n".encode())
    assert (ran.status, prompt_of(ran)) == (0, "review this\n\n+ naïve\n- line")


def test_with_a_prompt_an_idle_pipe_is_ignored_and_named(tl, idle_pipe):
    tl.script(ECHO)
    begun = time.monotonic()
    ran = tl("-p", "hello", stdin=idle_pipe[0])
    assert (ran.status, ran.out) == (0, "the answer\n")
    assert "nothing came within 1 s: it is ignored" in ran.err
    assert time.monotonic() - begun < 15


def test_with_a_prompt_a_closed_descriptor_is_no_text(tl):
    tl.script(ECHO)
    ran = closed(tl, "-p", "hello")
    assert (ran.returncode, ran.stdout) == (0, b"the answer\n")


def closed(tl, *arguments):
    return subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *tl.command, *arguments],
        cwd=tl.cwd,
        env=tl.variables(),
        capture_output=True,
        timeout=30,
    )


def test_without_a_prompt_piped_text_is_the_prompt(tl):
    tl.script(ECHO)
    ran = tl("--json", stdin=b"do this\n")
    assert (ran.status, prompt_of(ran)) == (0, "do this")


@pytest.mark.parametrize("state", ["null", "idle", "closed", "empty"])
def test_without_prompt_and_text_it_ends_with_usage(tl, idle_pipe, state):
    tl.script(ECHO)
    if state == "closed":
        done = closed(tl)
        status, out, err = done.returncode, done.stdout.decode(), done.stderr.decode()
    else:
        given = {"null": subprocess.DEVNULL, "idle": idle_pipe[0], "empty": b" \n"}[state]
        ran = tl(stdin=given)
        status, out, err = ran.status, ran.out, ran.err
    assert (status, out) == (2, "")
    assert err.splitlines() == [
        "tl: there is no prompt, and no terminal to ask for one",
        '    give a prompt, tl -p "fix the failing test", or see tl --help',
    ]


def test_a_pipe_that_stops_without_being_closed(monkeypatch):
    reading, writing = os.pipe()
    os.write(writing, b"half of it\n")
    with os.fdopen(reading, "rb") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        got = stdin.read_piped(following=0.05)
        os.close(writing)
        for thread in threading.enumerate():
            if thread.name == stdin.THREAD:
                thread.join(timeout=20)
                assert not thread.is_alive()
    assert (got.text, got.complete) == ("half of it\n", False)
    assert "nothing more was piped in" in got.notice
    assert join("look", got) == (
        "look\n\nhalf of it\n[the input ended here without being closed: there may have been more]"
    )


def test_too_much_text_is_refused_rather_than_cut(monkeypatch, tmp_path):
    path = tmp_path / "large"
    path.write_bytes(b"x" * (stdin.LARGEST + 1))
    with path.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        with pytest.raises(UsageError, match="1,000,000 bytes") as caught:
            stdin.read_piped()
    assert "save them to a file" in caught.value.hint


def test_text_that_is_no_utf8(monkeypatch, tmp_path):
    path = tmp_path / "latin"
    path.write_bytes(b"caf\xe9")
    with path.open("rb") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert stdin.read_piped() == Piped("caf\ufffd")


@pytest.mark.parametrize(
    ("prompt", "text", "whole"),
    [
        ("say", "", "say"),
        ("say", " \n ", "say"),
        ("say", "this\n\n", "say\n\nthis"),
        ("", "this\n", "this"),
        ("  ", "this", "this"),
    ],
)
def test_join(prompt, text, whole):
    assert join(prompt, Piped(text)) == whole
