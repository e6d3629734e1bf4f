"""The loop of lines, on a pseudo-terminal."""

from __future__ import annotations

import sys

import pytest

from turnloop_core.frontend.repl.asker import Asker
from turnloop_core.ports.approver import PermissionAnswer, PermissionQuestion, UserQuestion
from turnloop_core.types.subjects import Decision, Verdict

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

import asyncio
import io
import termios

from turnloop_core.frontend.console import Output

WRITE = {"name": "Write", "arguments": {"file_path": "new.txt", "content": "x\n"}}


def test_prompts_one_after_the_other(tl, talk):
    tl.script([{"text": "First."}, {"text": "Second."}])
    terminal = talk()
    terminal.type("one\n")
    terminal.wait("First.")
    terminal.wait("> ")
    terminal.type("two\n")
    terminal.wait("Second.")
    terminal.wait("> ")
    terminal.type("/quit\n")
    terminal.wait("log: ")
    terminal.wait("go on: tl --resume ")
    assert terminal.end() == 0
    assert "\x1b" not in terminal.seen


def test_leaving_without_a_word_leaves_no_log(tl, talk):
    tl.script([{"text": "First."}])
    terminal = talk()
    terminal.type("\x04")
    assert terminal.end() == 0
    assert "log: " not in terminal.seen
    assert tl("sessions").out.startswith("There is no session")


@pytest.mark.parametrize(("answer", "written"), [("y", True), ("n not now", False)])
def test_a_question(tl, talk, answer, written):
    tl.script([{"calls": [WRITE]}, {"text": "So it is."}])
    terminal = talk()
    terminal.type("write\n")
    terminal.wait("Write needs your consent")
    terminal.wait("[n]o: ")
    terminal.type("maybe\n")
    terminal.wait("[n]o: ")
    terminal.type(f"{answer}\n")
    terminal.wait("So it is.")
    terminal.wait("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0
    assert (tl.cwd / "new.txt").exists() is written


def test_consent_for_the_session_is_not_asked_again(tl, talk):
    tl.script([{"calls": [WRITE]}, {"calls": [WRITE]}, {"text": "Twice."}])
    terminal = talk()
    terminal.type("write\n")
    terminal.wait("[n]o: ")
    terminal.type("s\n")
    terminal.wait("Twice.")
    terminal.wait("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0


def test_ctrl_c_stops_the_run_and_not_the_program(tl, talk):
    tl.script([{"text": "word " * 200}, {"text": "Still here."}], delay_s=0.1)
    terminal = talk()
    terminal.type("go\n")
    terminal.wait("word")
    terminal.type("\x03")
    terminal.wait("^C\r\n")
    terminal.wait("interrupted\r\n")
    terminal.wait("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0


def test_resuming_says_where_one_was(tl, talk):
    tl.script([{"text": "first"}, {"text": "second"}])
    terminal = talk()
    terminal.type("make tea\n")
    terminal.wait("first")
    terminal.wait("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0
    terminal = talk("--resume")
    assert ": make tea\r\n> " in terminal.seen
    terminal.type("/quit\n")
    assert terminal.end() == 0


def test_ctrl_c_at_a_question(tl, talk):
    tl.script([{"calls": [WRITE]}, {"text": "no"}])
    terminal = talk()
    terminal.type("write\n")
    terminal.wait("[n]o: ")
    terminal.type("\x03")
    terminal.wait("interrupted")
    terminal.wait("> ")
    terminal.type("\x04")
    assert terminal.end() == 0
    assert not (tl.cwd / "new.txt").exists()


def test_ctrl_c_twice_at_the_prompt_leaves(tl, talk):
    tl.script([{"text": "x"}])
    terminal = talk()
    terminal.type("\x03")
    terminal.wait("ctrl-c again")
    terminal.wait("> ")
    terminal.type("\x03")
    assert terminal.end() == 0


def test_a_line_typed_during_a_run_is_passed_on(tl, talk):
    tl.script([{"text": "word " * 40}, {"text": "I heard."}], delay_s=0.05)
    terminal = talk()
    terminal.type("go\n")
    terminal.wait("word")
    terminal.type("also this\n")
    terminal.wait("passed on")
    terminal.wait("I heard.")
    terminal.wait("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0


def test_commands_during_a_run_are_not_for_the_model(tl, talk):
    tl.script([{"text": "word " * 40}, {"text": "no"}], delay_s=0.1)
    terminal = talk()
    terminal.type("go\n")
    terminal.wait("word")
    terminal.type("/plan\n")
    terminal.wait("from now on: plan")
    terminal.type("/help\n")
    terminal.wait("after this run")
    terminal.type("/quit\n")
    terminal.wait("interrupted")
    terminal.wait("log: ")
    assert terminal.end() == 0


def test_modes_and_help(tl, talk):
    tl.script([{"text": "x"}])
    terminal = talk()
    terminal.type("/plan\n")
    terminal.wait("plan > ")
    terminal.type("/help\n")
    terminal.wait("/quit, or ctrl-d")
    terminal.wait("> ")
    terminal.type("/nope\n")
    terminal.wait("tl: there is no command /nope")
    terminal.wait("> ")
    terminal.type("\x04")
    assert terminal.end() == 0


def test_what_goes_wrong_before_or_beside_a_run_does_not_end_the_conversation(tl, talk):
    tl.plugin(
        "shaky",
        "from turnloop_core.api import SectionEntry, SlashEntry, hookimpl\n"
        "@hookimpl\n"
        "def register_slash_commands(registrar):\n"
        "    registrar.add(SlashEntry('shaky', 'breaks', 'shaky_plugin:run'))\n"
        "@hookimpl\n"
        "def register_prompt_sections(registrar):\n"
        "    registrar.add(SectionEntry('shaky', 900, load='shaky_plugin:render'))\n"
        "async def run(arguments, session):\n"
        "    raise KeyError(arguments)\n"
        "def render(context):\n"
        "    raise ValueError('no words')\n",
    )
    tl.script([{"text": "x"}])
    terminal = talk()
    terminal.type("/shaky now\n")
    terminal.wait("tl: /shaky broke down: KeyError: 'now'")
    terminal.wait("> ")
    terminal.type("go\n")
    terminal.wait("prompt section shaky: ValueError: no words")
    terminal.wait("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0


def test_the_terminal_is_left_as_it_was(tl, talk):
    tl.script([{"text": "x"}])
    terminal = talk()
    before = termios.tcgetattr(terminal.fd)
    terminal.type("go\n")
    terminal.wait("x")
    terminal.wait("> ")
    assert termios.tcgetattr(terminal.fd) == before
    terminal.type("\x04")
    terminal.wait("\r\nlog: ")  # on a line of its own
    assert terminal.end() == 0


def asked(question, *lines):
    """What the asker makes of these lines, and how many it took."""

    async def ask():
        asker = Asker(Output(io.StringIO()))
        ask = asker.permission if isinstance(question, PermissionQuestion) else asker.answer
        task = asyncio.ensure_future(ask(question))
        taken = 0
        for line in lines:
            await asyncio.sleep(0)
            taken += asker.take(line)
        return await task, taken

    return asyncio.run(ask())


def permission(*rules):
    decision = Decision(Verdict.ASK, "why")
    return PermissionQuestion("q1", "Write", "Write(new.txt)", decision, tuple((r,) for r in rules))


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["y"], PermissionAnswer(True)),
        (["YES "], PermissionAnswer(True)),
        (["s"], PermissionAnswer(True, "session")),
        (["a"], PermissionAnswer(True, "always")),
        (["n"], PermissionAnswer(False)),
        (["no  use the other file"], PermissionAnswer(False, comment="use the other file")),
        ([None], PermissionAnswer(False)),
        (["", "y please", "ja", "y"], PermissionAnswer(True)),
    ],
)
def test_answers_to_a_permission_question(lines, answer):
    assert asked(permission("Edit(new.txt)"), *lines) == (answer, len(lines))


def test_without_a_rule_nothing_can_be_remembered():
    assert asked(permission(), "s", "a", "y") == (PermissionAnswer(True), 3)


@pytest.mark.parametrize(
    ("options", "line", "answer"),
    [
        ("red blue", "2", "blue"),
        ("red blue", " 2. ", "blue"),
        ("red blue", "BLUE", "blue"),
        ("red blue", "2, 1", "blue; red"),
        ("red blue", "1 1", "red"),
        ("red blue", "0", "0"),
        ("red blue", "3", "3"),
        ("red blue", "1, 3", "1, 3"),
        ("red blue", " green ", "green"),
        ("red blue", ",", ","),
        ("red blue", "", None),
        ("red blue", None, None),
        ("4 2", "2", "2"),  # letters stand before options that are numbers
        ("4 2", "b", "2"),
        ("4 2", "1", "1"),
        ("", "2", "2"),
    ],
)
def test_answers_to_a_question_of_the_model(options, line, answer):
    question = UserQuestion("q1", "Which colour?", tuple(options.split()))
    assert asked(question, line) == (answer, 1)


def test_a_question_is_shown_whole_and_steers_no_terminal():
    shown = io.StringIO()
    long, nasty = "why " * 300, "\x1b]0;title\x07red\x1b[2J\u202e\nsecond line"

    async def ask():
        asker = Asker(Output(shown))
        task = asyncio.ensure_future(asker.answer(UserQuestion("q1", long + nasty, (nasty,))))
        await asyncio.sleep(0)
        asker.take("1")
        return await task

    assert asyncio.run(ask()) == nasty  # what the model wrote is what it gets
    assert long.strip() in shown.getvalue()
    told = shown.getvalue().replace("\n", "")
    assert told.isprintable()
    assert told.count("\\x1b]0;title\\x07red\\x1b[2J\\u202e") == 2


def test_without_a_question_a_line_is_not_taken():
    assert Asker(Output(io.StringIO())).take("y") is False
