"""A question of the model, as it reaches a human, or nobody."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from turnloop_core.frontend.jsonl import encode_event
from turnloop_core.log.reader import read_log
from turnloop_core.log.records import QuestionRecord
from turnloop_core.log.view import fold
from turnloop_core.types.events import QuestionAnswered, QuestionAsked
from turnloop_core.types.facts import Asked
from turnloop_core.types.results import ErrorKind

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

QUESTION = {"question": "Which colour?", "options": ["red", "deep blue"]}
ASK = {"calls": [{"name": "AskUserQuestion", "arguments": QUESTION}]}
HEARD = {"text": "Heard it."}
NOBODY = (
    "nobody is there to answer. Decide sensibly by yourself, go on, and say in your answer what "
    "you decided and that it was not confirmed."
)


def log_of(tl) -> Path:
    (path,) = (tl.home / ".turnloop" / "sessions").rglob("*.jsonl")
    return path


def recorded(tl):
    """What the log has of questions: records, results, facts."""
    records = read_log(log_of(tl)).records
    questions = [r.body for r in records if isinstance(r.body, QuestionRecord)]
    view = fold(records).view()
    results = [result for turn in view.turns for result in turn.results]
    return questions, results, list(view.facts)


def question_on(terminal):
    """Begin, and wait until the question stands."""
    terminal.type("begin\n")
    terminal.wait("? Which colour?")
    terminal.wait("  1. red")
    terminal.wait("  2. deep blue")
    terminal.wait("a number, or your own words: ")


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("2\n", "deep blue"),
        ("Red\n", "red"),
        ("1 2\n", "red; deep blue"),
        ("green, like grass: é\n", "green, like grass: é"),
    ],
)
def test_an_answer(tl, talk, typed, answer):
    tl.script([ASK, HEARD])
    terminal = talk()
    question_on(terminal)
    terminal.type(typed)
    terminal.wait("Heard it.")
    terminal.wait("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0
    questions, (result,), facts = recorded(tl)
    assert questions == [QuestionRecord("question", "Which colour?", answer)]
    assert (result.text, result.error) == (f"The user answers: {answer}", None)
    assert facts == [Asked("Which colour?", answer)]


@pytest.mark.parametrize("typed", ["\n", "  \n", "\x04"])
def test_no_answer(tl, talk, typed):
    tl.script([ASK, HEARD])
    terminal = talk()
    question_on(terminal)
    terminal.type(typed)
    terminal.wait("Heard it.")
    if typed != "\x04":  # which also leaves, once the run is over
        terminal.wait("> ")
        terminal.type("/quit\n")
    assert terminal.end() == 0
    questions, (result,), facts = recorded(tl)
    assert questions == [QuestionRecord("question", "Which colour?", "", outcome="dismissed")]
    assert result.text.startswith("the user gave no answer.")
    assert result.ok
    assert facts == [Asked("Which colour?", None)]


@pytest.mark.parametrize("typed", ["\x03", "/quit\n"])
def test_a_run_is_stopped_at_a_question(tl, talk, typed):
    tl.script([ASK, HEARD])
    terminal = talk()
    question_on(terminal)
    terminal.type(typed)
    terminal.wait("interrupted")
    if typed == "\x03":
        terminal.wait("> ")
        terminal.type("/quit\n")
    assert terminal.end() == 0
    assert "Heard it." not in terminal.seen
    questions, (result,), facts = recorded(tl)
    assert questions == [QuestionRecord("question", "Which colour?", "", outcome="dismissed")]
    assert (result.error, facts) == (ErrorKind.INTERRUPTED, [])


def test_a_line_that_was_typed_before_the_question_does_not_answer_it(tl, talk):
    tl.script([{"text": "word " * 40, **ASK}, HEARD], delay_s=0.05)
    terminal = talk()
    terminal.type("begin\n")
    terminal.wait("word")
    terminal.type("2\n")
    terminal.wait("passed on")
    terminal.wait("your own words: ")
    terminal.type("1\n")
    terminal.wait("Heard it.")
    terminal.wait("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0
    questions, (result,), _ = recorded(tl)
    assert questions == [QuestionRecord("question", "Which colour?", "red")]
    assert result.text == "The user answers: red"


def test_a_path_is_an_answer_and_no_command(tl, talk):
    tl.script([ASK, HEARD])
    terminal = talk()
    question_on(terminal)
    terminal.type("/usr/lib\n")
    terminal.wait("Heard it.")
    terminal.wait("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0
    assert recorded(tl)[0][0].answer == "/usr/lib"


def test_two_questions_are_asked_one_after_the_other(tl, talk):
    tl.script([{"calls": [*ASK["calls"], *ASK["calls"]]}, HEARD])
    terminal = talk()
    question_on(terminal)
    terminal.type("1\n")
    terminal.wait("? Which colour?")
    terminal.wait("your own words: ")
    terminal.type("2\n")
    terminal.wait("Heard it.")
    terminal.wait("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0
    assert [q.answer for q in recorded(tl)[0]] == ["red", "deep blue"]


def test_a_key_in_an_answer_is_not_put_on_record(tl, talk):
    tl.script([ASK, HEARD])
    settings = json.loads((tl.home / ".turnloop" / "settings.json").read_text())
    settings["providers"]["other"] = {"kind": "mock", "api_key_env": "SOME_KEY"}
    tl.settings(settings)
    tl.environment["SOME_KEY"] = "a-key-that-nobody-may-see"
    terminal = talk()
    question_on(terminal)
    terminal.type("use a-key-that-nobody-may-see\n")
    terminal.wait("Heard it.")
    terminal.wait("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0
    assert recorded(tl)[0][0].answer.startswith("use ")
    assert "nobody-may-see" not in log_of(tl).read_text()


def test_killed_at_a_question_and_resumed(tl, talk):
    tl.script([ASK, HEARD])
    terminal = talk()
    question_on(terminal)
    terminal.kill()
    ran = tl("--resume", "-p", "go on")
    assert (ran.status, ran.out) == (0, "Heard it.\n")
    _, (result,), facts = recorded(tl)
    assert (result.error, facts) == (ErrorKind.LOST, [])
    assert read_log(log_of(tl)).damage == ()


def test_with_nobody_there_the_run_goes_on(tl):
    tl.script([ASK, {"text": "I took red; nobody confirmed it."}])
    ran = tl("-p", "begin")
    assert (ran.status, ran.out) == (0, "I took red; nobody confirmed it.\n")
    assert "nobody was there: Which colour?" in ran.err
    assert "refused" not in ran.err
    questions, (result,), facts = recorded(tl)
    assert questions == [QuestionRecord("question", "Which colour?", "", outcome="nobody")]
    assert (result.text, result.error) == (NOBODY, None)
    assert facts == [Asked("Which colour?", None)]


def test_in_plan_mode_a_question_may_be_asked(tl):
    tl.script([ASK, HEARD])
    ran = tl("-p", "begin", "--permission-mode", "plan")
    assert (ran.status, ran.out) == (0, "Heard it.\n")
    assert recorded(tl)[1][0].text == NOBODY


def test_as_events(tl):
    tl.script([ASK, HEARD])
    events = tl("-p", "begin", "--json").events
    assert not [e for e in events if e["event"] in ("question", "answer")]  # nobody was asked
    (ended,) = [e for e in events if e["event"] == "call_ended"]
    assert ended["result"]["content"] == [{"kind": "text", "text": NOBODY}]
    assert events[-1]["exit_code"] == 0
    assert events[-1]["refused"] == 0


def test_the_events_of_a_question():
    asked = QuestionAsked("q1", "Which colour?", options=("red", "deep blue"))
    assert json.loads(encode_event(asked)) == {
        "v": 1,
        "event": "question",
        "id": "q1",
        "question": "Which colour?",
        "decision": None,
        "options": ["red", "deep blue"],
    }
    assert json.loads(encode_event(QuestionAnswered("q1", "red"))) == {
        "v": 1,
        "event": "answer",
        "id": "q1",
        "answer": "red",
    }
