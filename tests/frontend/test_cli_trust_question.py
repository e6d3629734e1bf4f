"""The question at the start on a terminal."""

from __future__ import annotations

import json
import sys

import pytest

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

from talking import Talk

PROMPT = "[y]es, [n]o, ne[v]er: "


@pytest.fixture
def ask(tl):
    """Starts the program, which asks."""
    started: list[Talk] = []

    def start(*arguments: str) -> Talk:
        started.append(Talk(tl, *arguments))
        return started[-1]

    yield start
    for talk in started:
        talk.kill()


def write(tl, values) -> None:
    folder = tl.cwd / ".turnloop"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(values))


def leave(talk: Talk) -> None:
    talk.wait("/help for help.")
    talk.wait("> ")
    talk.type("/quit\n")
    assert talk.end() == 0


def trusted(tl) -> bool:
    return json.loads(tl("config", "--json").out)["trusted"] is True


WANTS = {"permissions": {"allow": ["Bash(make)"]}, "model": "theirs"}


def test_yes_counts_at_once(tl, ask):
    write(tl, WANTS)
    talk = ask()
    talk.wait("? This project's settings want to set:")
    talk.wait('["Bash(make)"]')
    talk.wait(f"Trust {tl.cwd}? {PROMPT}")
    talk.type("y\n")
    talk.wait("mock, theirs")
    leave(talk)
    assert "do not count" not in talk.seen
    assert trusted(tl)
    quiet = ask()
    leave(quiet)
    assert "Trust" not in quiet.seen
    write(tl, {**WANTS, "model": "evil"})
    again = ask()
    again.wait("? New or changed since you trusted this project's settings:")
    again.wait("model (changed)")
    again.wait(f"Let them count? {PROMPT}")
    again.type("n\n")
    again.wait("these settings are new or changed since you trusted this folder: model")
    leave(again)
    assert "mock, evil" not in again.seen
    assert "Bash(make)" not in again.seen


def test_no_holds_until_the_settings_change(tl, ask):
    write(tl, WANTS)
    first = ask()
    first.wait(PROMPT)
    first.type("perhaps\n")
    first.wait(PROMPT)
    first.type("n\n")
    first.wait("this folder is not trusted, so these settings of it do not count")
    leave(first)
    second = ask()
    leave(second)
    assert PROMPT not in second.seen
    assert "this folder is not trusted" in second.seen
    write(tl, {**WANTS, "model": "other"})
    third = ask()
    third.wait(PROMPT)
    third.type("a\n")  # means yes elsewhere: no answer here
    third.wait(PROMPT)
    third.type("v\n")
    leave(third)
    write(tl, {**WANTS, "model": "yet another"})
    fourth = ask()
    leave(fourth)
    assert PROMPT not in fourth.seen
    assert not trusted(tl)


def test_the_end_of_input_is_a_no_that_is_not_remembered(tl, ask):
    write(tl, WANTS)
    talk = ask()
    talk.wait(PROMPT)
    talk.type("\x04")
    leave(talk)
    assert not trusted(tl)
    again = ask()
    again.wait(PROMPT)


def test_an_interrupt_leaves(tl, ask):
    write(tl, WANTS)
    talk = ask()
    talk.wait(PROMPT)
    talk.type("\x03")
    assert talk.end() == 130
    assert not trusted(tl)


def test_what_is_typed_after_the_answer_is_the_first_prompt(tl, ask):
    tl.script([{"text": "Heard."}])
    write(tl, WANTS)
    talk = ask()
    talk.wait(PROMPT)
    talk.type("n\nhello there\n")
    talk.wait("Heard.")
    talk.wait("> ")
    talk.type("/quit\n")
    assert talk.end() == 0


def test_nothing_is_asked_where_nothing_is_wanted(tl, ask):
    write(tl, {"permissions": {"deny": ["Bash"]}, "max_iterations": 3})
    talk = ask()
    leave(talk)
    assert PROMPT not in talk.seen
    assert not (tl.home / ".turnloop" / "trust.json").exists()


def test_trust_for_one_start_asks_nothing(tl, ask):
    write(tl, WANTS)
    talk = ask("--trust-project")
    talk.wait("mock, theirs")
    leave(talk)
    assert PROMPT not in talk.seen
    assert not trusted(tl)


def test_the_command_asks_too(tl, ask):
    write(tl, WANTS)
    talk = ask("trust")
    talk.wait(f"Trust {tl.cwd}? [y/N] ")
    talk.type("no\n")
    talk.wait("Nothing was changed.")
    assert talk.end() == 1
    talk = ask("trust")
    talk.wait("[y/N] ")
    talk.type("y\n")
    assert talk.end() == 0
    assert trusted(tl)


def test_a_key_in_dotenv_is_asked_about(tl, ask):
    tl.settings({"providers": {"mine": {"kind": "mock", "api_key_env": "OUR_KEY"}}})
    (tl.cwd / ".env").write_text("OUR_KEY=sk-0123456789\nLD_PRELOAD=./x.so\n")
    talk = ask()
    talk.wait(f"OUR_KEY  ({tl.cwd}/.env:1)")
    talk.wait(PROMPT)
    talk.type("y\n")
    leave(talk)
    for word in ("LD_PRELOAD", "sk-0"):
        assert word not in talk.seen
    assert trusted(tl)
