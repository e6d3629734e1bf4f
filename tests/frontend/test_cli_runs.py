"""Whole runs of the program, with a scripted model: streams, events, and the exit status."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

READ = {"name": "Read", "arguments": {"file_path": "notes.txt"}}
WRITE = {"name": "Write", "arguments": {"file_path": "new.txt", "content": "x\n"}}


@pytest.fixture
def notes(tl):
    (tl.cwd / "notes.txt").write_text("remember \x1b[31mthis\n")


def test_a_run_in_a_pipe(tl, notes):
    tl.script([{"text": "I look.", "calls": [READ]}, {"text": "Look: \x1b[1mthis\x07."}])
    ran = tl("-p", "what is in the notes?")
    assert ran.status == 0
    assert ran.out == "Look: \\x1b[1mthis\\x07.\n"
    assert "I look.\n> Read" in ran.err
    assert "\x1b" not in ran.err


def test_a_run_as_events(tl, notes):
    tl.script([{"text": "I look.", "calls": [READ]}, {"text": "It says this."}])
    ran = tl("-p", "what is in the notes?", "--json")
    assert ran.status == 0
    assert "\x1b" not in ran.out
    events = ran.events
    kinds = [event["event"] for event in events if event["event"] not in ("text", "notice")]
    assert kinds == [
        "session",
        "run_started",
        "prompted",
        "attempt_started",
        "reply",
        "call_started",
        "call_ended",
        "attempt_ended",
        "attempt_started",
        "reply",
        "attempt_ended",
        "run_ended",
    ]
    assert {event["v"] for event in events} == {1}
    first, last = events[0], events[-1]
    assert first["cwd"] == str(tl.cwd)
    assert (first["provider"], first["model"]) == ("played", "mock-1")
    assert first["permission_mode"] == "default"
    assert "what is in the notes?" in Path(first["log"]).read_text()
    assert (last["end"], last["exit_code"], last["text"]) == ("done", 0, "It says this.")
    assert (last["refused"], last["error"]) == (0, None)


def test_a_call_that_needs_consent_is_refused_and_the_status_says_so(tl):
    tl.script([{"calls": [WRITE]}, {"text": "I may not."}])
    ran = tl("-p", "write", "--json")
    assert ran.status == 4
    assert not (tl.cwd / "new.txt").exists()
    last = ran.events[-1]
    assert (last["end"], last["refused"], last["exit_code"]) == ("done", 1, 4)
    assert "1 call was refused" in ran.err
    assert "--allow" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [["--allow", "Edit(new.txt)"], ["--permission-mode", "auto"], ["--permission-mode=bypass"]],
)
def test_consent_given_beforehand(tl, arguments):
    tl.script([{"calls": [WRITE]}, {"text": "Written."}])
    ran = tl("-p", "write", *arguments)
    assert (ran.status, ran.out) == (0, "Written.\n")
    assert (tl.cwd / "new.txt").read_text() == "x\n"


@pytest.mark.parametrize(
    "arguments", [["--allow", "Edit(new.txt)"], ["--permission-mode", "bypass"]]
)
def test_a_deny_rule_wins(tl, arguments):
    tl.script([{"calls": [WRITE]}, {"text": "Not written."}])
    ran = tl("-p", "write", *arguments, "--deny", "Edit(*.txt)")
    assert ran.out == "Not written.\n"
    assert not (tl.cwd / "new.txt").exists()


def test_the_limit_of_attempts(tl, notes):
    tl.script([{"calls": [READ]}] * 5)
    ran = tl("-p", "go", "--max-iterations", "2", "--json")
    assert ran.status == 3
    assert (ran.events[-1]["end"], ran.events[-1]["exit_code"]) == ("limit", 3)
    assert "stopped by a limit" in tl("-p", "go", "--max-iterations", "2").err


def test_a_key_that_is_refused(tl):
    error = {"kind": "AuthError", "message": "the key was refused", "hint": "set another"}
    tl.script([{"error": error}])
    ran = tl("-p", "go", "--json")
    assert ran.status == 5
    last = ran.events[-1]
    assert (last["event"], last["end"], last["exit_code"]) == ("run_ended", "failed", 5)
    assert (last["error"], last["hint"]) == ("AuthError", "set another")
    assert "Traceback" not in ran.err
    assert ran.err.endswith("tl: the key was refused\n    set another\n")
    assert tl("-p", "go").out == ""


SETTINGS = [
    ('{"provider": "mock",}', "settings.json:1"),
    ('{"providr": "mock"}', "settings.json:1"),
    ('{"max_iterations": "many"}', "settings.json:1"),
]


@pytest.mark.parametrize(("text", "where"), SETTINGS)
def test_settings_that_are_wrong(tl, text, where):
    tl.settings(text)
    ran = tl("-p", "go", "--json")
    assert ran.status == 2
    assert [event["event"] for event in ran.events] == ["error"]
    assert where in ran.events[0]["message"]
    assert ran.err.startswith("tl: ")
    assert where in ran.err
    assert tl("--help").status == 0
    assert tl("plugins").status == 0
    assert tl("doctor").status == 1


def test_a_provider_that_nobody_has(tl):
    ran = tl("-p", "go", "--provider", "mokc")
    assert ran.status == 2
    message, hint = ran.err.splitlines()[-2:]
    assert message.startswith("tl: ")
    assert "mokc" in message
    assert "mock" in hint


def test_a_switch_for_a_plugin_that_is_not_there(tl):
    ran = tl("-p", "go", "-x", "fiels")
    assert ran.status == 0
    assert "warning: -x fiels: no plugin is called that" in ran.err


def test_resuming(tl):
    tl.script([{"text": "One."}, {"text": "Two."}])
    first = tl("-p", "a", "--json").events[0]
    again = tl("--resume", "-p", "b", "--json")
    assert (again.status, again.events[0]["id"]) == (0, first["id"])
    assert again.events[-1]["text"] == "Two."
    named = tl("--resume", first["id"][:-2], "-p", "c", "--json")
    assert named.events[0]["id"] == first["id"]
    unknown = tl("--resume", "nope", "-p", "c")
    assert unknown.status == 2
    assert "nope" in unknown.err


SLOW = [{"text": "word " * 200}]


def wait_for(stream, word):
    """Read until `word` came; what was read."""
    data = b""
    until = time.monotonic() + 20
    while word not in data:
        ready, _, _ = select.select([stream], [], [], max(0, until - time.monotonic()))
        assert ready, f"{word!r} did not come: {data!r}"
        piece = os.read(stream.fileno(), 65_536)
        assert piece, f"{word!r} did not come: {data!r}"
        data += piece
    return data


@pytest.fixture
def heard():
    """Children hear of a hang-up, also where these tests run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_run_in_order(tl, number):
    tl.script(SLOW, delay_s=0.1)
    started = tl.start("-p", "go", "--json")
    data = wait_for(started.stdout, b'"event": "text"')
    started.send_signal(number)
    out, err = started.communicate(timeout=20)
    assert started.returncode == 130
    assert b"Traceback" not in err
    last = (data + out).splitlines()[-1]
    assert b'"run_ended"' in last
    assert b'"interrupted"' in last
    assert b'"exit_code": 130' in last
    tl.script([{"text": "On."}])
    assert tl("--resume", "-p", "go on").status == 0


def test_two_signals_end_a_program_that_does_not_answer(tl):
    tl.plugin(
        "stuck",
        "import time\n"
        "from turnloop_core.api import FactoryEntry, hookimpl\n"
        "@hookimpl\n"
        "def register_observers(registrar):\n"
        "    registrar.add(FactoryEntry('stuck', 'stuck_plugin:create'))\n"
        "class Stuck:\n"
        "    name = 'stuck'\n"
        "    def on_event(self, event):\n"
        "        if event.kind == 'reply':\n"
        "            time.sleep(60)\n"
        "def create(context):\n"
        "    return Stuck()\n",
    )
    tl.script([{"text": "never over"}])
    started = tl.start("-p", "go", "--json")
    wait_for(started.stdout, b'"reply"')
    until = time.monotonic() + 20
    while started.poll() is None and time.monotonic() < until:
        started.send_signal(signal.SIGINT)  # two that come together are one
        with contextlib.suppress(subprocess.TimeoutExpired):
            started.wait(timeout=0.1)
    _, err = started.communicate(timeout=20)
    assert started.returncode == 130
    assert b"Traceback" not in err


def test_an_ignored_signal_stays_ignored(tl):
    tl.script(SLOW[:1], delay_s=0.01)
    started = subprocess.Popen(
        ["sh", "-c", 'trap "" INT HUP; exec "$@"', "sh", *tl.command, "-p", "go", "--json"],
        cwd=tl.cwd,
        env=tl.variables(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_for(started.stdout, b'"event": "text"')
    started.send_signal(signal.SIGINT)
    started.send_signal(signal.SIGHUP)
    started.communicate(timeout=20)
    assert started.returncode == 0


def test_a_reader_that_leaves_ends_the_run_quietly(tl):
    tl.script(SLOW, delay_s=0.05)
    started = tl.start("-p", "go", "--json")
    wait_for(started.stdout, b"\n")
    started.stdout.close()
    err = started.stderr.read()
    started.stderr.close()
    assert started.wait(timeout=20) == 130
    assert err == b""


def test_a_reader_of_the_answer_that_leaves(tl):
    tl.script([{"text": "one\ntwo\nthree"}])
    reading, writing = os.pipe()
    os.close(reading)
    started = tl.start("-p", "go", stdout=writing)
    os.close(writing)
    _, err = started.communicate(timeout=20)
    assert started.returncode == 0  # the work was done
    assert b"Traceback" not in err
    assert b"tl: " not in err


def on_a_terminal(tl, *arguments, env):
    """Run with a terminal for output and error; what it shows."""
    leader, follower = pty.openpty()
    started = subprocess.Popen(
        [*tl.command, *arguments],
        cwd=tl.cwd,
        env={**tl.variables(), **env},
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    shown = b""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        ready, _, _ = select.select([leader], [], [], 20)
        assert ready
        try:
            piece = os.read(leader, 65_536)
        except OSError:  # Linux: the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(leader)
    assert started.wait(timeout=20) == 0
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("env", "colour"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"TERM": ""}, False),
    ],
)
def test_colour_on_a_terminal(tl, notes, env, colour):
    tl.script([{"text": "I look.", "calls": [READ]}, {"text": "It says \x1b[31mthis."}])
    shown = on_a_terminal(tl, "-p", "go", env=env)
    assert ("\x1b[1m> Read" in shown) is colour
    assert ("\x1b" in shown) is colour
    assert "I look.\n" in shown
    assert shown.endswith("It says \\x1b[31mthis.\n")
