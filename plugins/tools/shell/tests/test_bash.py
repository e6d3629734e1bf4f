"""What a command gives: output, exit code, surroundings."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from hashlib import blake2b

import anyio
import pytest
from pydantic import ValidationError

from turnloop_core.api import CallProgress, ErrorKind, PermissionMode, RanCommand
from turnloop_shell.tool import Bash, BashArguments


def test_output_and_exit_code(in_shell):
    async def work(bench):
        result = await bench.run("echo out; echo err >&2; echo more")
        assert (result.text, result.error) == ("out\nerr\nmore", None)
        (fact,) = result.facts
        assert fact == RanCommand(
            "echo out; echo err >&2; echo more",
            0,
            fact.seconds,
            changed_files=(),
            cwd=str(bench.project.root),
            output_digest=blake2b(b"out\nerr\nmore\n", digest_size=16).hexdigest(),
        )
        result = await bench.run("echo bad; exit 3")
        assert (result.text, result.error) == ("bad\n[exit code 3]", ErrorKind.TOOL_ERROR)
        assert result.facts[0].exit_code == 3
        assert (await bench.run("true")).text == "[no output]"

    in_shell(work)


def test_signals_are_named(in_shell):
    async def work(bench):
        result = await bench.run("kill -SEGV $$")
        assert result.text.splitlines()[-1] == "[ended by signal 11 (SIGSEGV)]"
        assert result.facts[0].exit_code == -11
        result = await bench.run("sh -c 'kill -9 $$'; exit $?")
        assert "[exit code 137 (SIGKILL)]" in result.text

    in_shell(work)


def test_it_runs_in_the_folder_and_keeps_no_state(in_shell):
    async def work(bench):
        root = str(bench.project.root)
        assert (await bench.run("pwd; cd ..; X=1")).text == root
        assert (await bench.run("pwd; echo $X")).text == root

    in_shell(work)


def test_the_environment(in_shell):
    async def work(bench):
        names = "PAGER GIT_PAGER TERM EDITOR NO_COLOR OWN FORCE_COLOR"
        command = f'for n in {names}; do eval "echo $n=\\$$n"; done'
        result = await bench.run(command, environment={"OWN": "1", "FORCE_COLOR": "1"})
        assert result.text.splitlines() == [
            "PAGER=cat",
            "GIT_PAGER=cat",
            "TERM=dumb",
            "EDITOR=false",
            "NO_COLOR=1",
            "OWN=1",
            "FORCE_COLOR=",
        ]

    in_shell(work)


def test_a_session_within_a_session_keeps_both_marks(in_shell):
    async def work(bench):
        text = (await bench.run("echo $TL_CALL_MARK", environment={"TL_CALL_MARK": "outer.1"})).text
        assert text.split()[0] == "outer.1"
        assert len(text.split()) == 2

    in_shell(work)


@pytest.mark.parametrize(
    "command",
    [
        "cat",
        "read x; echo got $x",
        f"{sys.executable} -c 'input()'",
        "python3",
        "cat < /dev/tty",
        f"{sys.executable} -c 'import getpass; getpass.getpass()'",
    ],
)
def test_what_wants_input_gets_the_end_of_it_and_a_hint(in_shell, command):
    async def work(bench):
        result = await bench.run(command, timeout_s=20)
        assert not result.facts[0].timed_out
        assert "[the command wanted input, and there is none here" in result.text

    in_shell(work)


@pytest.mark.parametrize("command", ["cat a", "echo x | while read y; do echo $y; done", "false"])
def test_no_hint_without_need(in_shell, command):
    async def work(bench):
        assert "wanted input" not in (await bench.run(command)).text

    in_shell(work, {"a": "x\n"})


GIT = (
    "git init -q -b main . && git config user.email a@b.c && git config user.name A && "
    "for n in $(seq 50); do git commit -q --allow-empty -m $n; done"
)


def test_git_prints_straight_through_and_its_editor_fails(in_shell):
    async def work(bench):
        assert (await bench.run(GIT)).ok
        assert (await bench.run("git log --oneline | wc -l")).text.strip() == "50"
        assert len((await bench.run("git log --oneline")).text.splitlines()) == 50
        head = (await bench.run("git rev-parse HEAD")).text
        for command in ("git commit --allow-empty", "git rebase -i HEAD~1"):
            result = await bench.run(command)
            assert result.error is ErrorKind.TOOL_ERROR
            assert "there is no editor here" in result.text
            assert "wanted input" in result.text
        assert (await bench.run("git rev-parse HEAD")).text == head

    in_shell(work)


TYPING = """
import anyio, fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from turnloop_core.testing.contexts import call_context, factory_context
from turnloop_core.testing.project import temporary_project
from turnloop_shell.tool import create

async def main():
    with temporary_project() as project:
        tool = create(factory_context(project))
        args = tool.arguments(command="cat; head -1 </dev/tty; kill -0 $$; echo done")
        context = call_context(project, tool.subjects(args, project.scope))
        return await tool.run(args, context)

print("READY", flush=True)
result = anyio.run(main)
print("RESULT", "hello" in result.text, "done" in result.text, flush=True)
print("TYPED", input(), flush=True)
"""


def test_what_is_typed_reaches_the_terminal_and_not_the_command():
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", TYPING], stdin=slave, stdout=slave, stderr=slave,
        start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    os.write(master, b"hello\n")
    shown = b""
    try:
        while chunk := os.read(master, 4_096):
            shown += chunk
    except OSError:  # the other side is closed
        pass
    os.close(master)
    assert process.wait(timeout=60) == 0
    assert b"RESULT False True" in shown
    assert b"TYPED hello" in shown


def test_progress_is_told_in_lines_while_it_runs(in_shell):
    async def work(bench):
        command = "for n in 1 2 3; do printf '\\033[32mline %s\\033[0m\\n' $n; sleep 0.15; done"
        result = await bench.run(command)
        assert result.text == "line 1\nline 2\nline 3"
        events = bench.contexts[0].events
        assert all(isinstance(e, CallProgress) and e.call_id == "call_1" for e in events)
        told = "\n".join(event.text for event in events).splitlines()
        assert len(events) >= 2
        assert told == ["line 1", "line 2", "line 3"][: len(told)]

    in_shell(work)


def test_plan_mode_runs_what_changes_nothing(in_shell):
    async def work(bench):
        plan = PermissionMode.PLAN
        for line in ("touch made", "echo x > made", "ls; touch made", "sh -c 'touch made'"):
            result = await bench.run(line, mode=plan)
            assert result.error is ErrorKind.DENIED
            assert "plan mode" in result.text
        assert not bench.project.path("made").exists()
        assert (await bench.run("cd . && echo $((1 + 1)) 2>/dev/null", mode=plan)).text == "2"
        background = await bench.run("ls", mode=plan, run_in_background=True)
        assert background.error is ErrorKind.DENIED

    in_shell(work)


def test_what_cannot_be_started_says_why(in_shell):
    async def work(bench):
        assert "holds a null character" in (await bench.run("echo \0")).text
        assert "too long; put it into a file" in (await bench.run("echo " + "x" * 200_000)).text
        bench.project.root.rmdir()
        result = await bench.run("pwd")
        assert result.error is ErrorKind.TOOL_ERROR
        assert "does not exist any more" in result.text
        bench.project.root.mkdir()

    in_shell(work)


def test_without_a_shell_it_says_so(in_shell):
    async def work(bench):
        bench.tool = Bash(None)
        assert "there is no shell on this machine" in (await bench.run("pwd")).text

    in_shell(work)


def test_a_command_that_begins_with_a_dash_is_no_option(in_shell):
    async def work(bench):
        assert "-x: command not found" in (await bench.run("-x")).text

    in_shell(work)


def test_arguments():
    assert BashArguments(command="x").timeout_s == 120
    assert BashArguments(command="x", timeout_s=None, description=None).timeout_s == 120
    for wrong in ({"command": " \n"}, {"command": "x", "timeout_s": -1}, {"command": "x", "y": 1}):
        with pytest.raises(ValidationError):
            BashArguments(**wrong)


def test_a_limit_beyond_the_longest_is_cut_and_told(in_shell):
    async def work(bench):
        assert (await bench.run("echo x", timeout_s=10_000)).text == (
            "x\n[the limit is 600 s at most]"
        )

    in_shell(work)


def test_calls_side_by_side_do_not_mix(in_shell):
    async def work(bench):
        results = {}

        async def one(n):
            results[n] = (await bench.run(f"echo {n}; sleep 0.1; echo {n}")).text

        started = time.monotonic()
        async with anyio.create_task_group() as tasks:
            for n in range(5):
                tasks.start_soon(one, n)
        assert results == {n: f"{n}\n{n}" for n in range(5)}
        assert time.monotonic() - started < 5

    in_shell(work)


NARROW = """
import anyio, json, sys
from turnloop_core.testing.contexts import call_context, factory_context
from turnloop_core.testing.project import temporary_project
from turnloop_shell import tool

async def main():
    with temporary_project() as project:
        made = tool.create(factory_context(project))
        args = made.arguments.model_validate({"command": "printf %s '\u2603' && exit 3"})
        result = await made.run(args, call_context(project, made.subjects(args, project.scope)))
        await made.aclose()
        return result.text

print(json.dumps([sys.getfilesystemencoding(), anyio.run(main)]))
"""


def test_a_command_is_utf_8_whatever_the_locale_says():
    done = subprocess.run(
        [sys.executable, "-c", NARROW.encode("ascii", "backslashreplace").decode()],
        capture_output=True,
        timeout=60,
        check=True,
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"},
    )
    assert json.loads(done.stdout)[1] == "\u2603\n[exit code 3]"
