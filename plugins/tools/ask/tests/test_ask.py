"""What is asked, and what the model is told of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from pydantic import ValidationError

from turnloop_ask.tool import AskArguments, AskUserQuestion
from turnloop_core.api import Asked, PermissionMode, Result
from turnloop_core.testing.contexts import FakeCallContext, call_context
from turnloop_core.testing.project import temporary_project


def ask(context_answers: Sequence[str] = (), *, interactive: bool = True, **arguments: Any) -> Any:
    """The result of a question, and what the user was asked."""
    args = AskArguments.model_validate({"question": "Which colour?", **arguments})
    with temporary_project() as project:
        context: FakeCallContext = call_context(project, mode=PermissionMode.PLAN)
        context.answers, context.interactive = list(context_answers), interactive
        result: Result = anyio.run(AskUserQuestion().run, args, context)
        return result, context.asked


def test_an_answer_is_told_as_it_is() -> None:
    result, asked = ask(["green, like grass"], options=["red", "blue"])
    assert asked == ["Which colour?"]
    assert result == Result.say(
        "The user answers: green, like grass",
        display="green, like grass",
        facts=(Asked("Which colour?", "green, like grass"),),
    )


def test_no_answer_is_no_error() -> None:
    result, asked = ask()
    assert asked == ["Which colour?"]
    assert result == Result.say(
        "the user gave no answer. Do not ask the same again: decide sensibly, and say what you "
        "decided.",
        display="no answer",
        facts=(Asked("Which colour?", None),),
    )


def test_nobody_there_is_no_error_and_is_on_record() -> None:
    result, asked = ask(interactive=False)
    assert asked == ["Which colour?"]  # the gate records that nobody was there
    assert result.ok
    assert result.text == (
        "nobody is there to answer. Decide sensibly by yourself, go on, and say in your answer "
        "what you decided and that it was not confirmed."
    )
    assert result.facts == (Asked("Which colour?", None),)


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (None, []),
        (["red", None, "blue", None], ["red", "blue"]),
        (["red", " red ", "", "deep\n blue"], ["red", "deep blue"]),
        ([{"label": "red", "description": "warm"}, {"label": "blue"}], ["red: warm", "blue"]),
        ([4, 2.5], ["4", "2.5"]),
    ],
)
def test_options_as_models_write_them(given: Any, options: list[str]) -> None:
    assert AskArguments.model_validate({"question": "?", "options": given}).options == options


@pytest.mark.parametrize(
    "wrong",
    [
        {"question": " \n"},
        {},
        {"question": "?", "options": ["x"] * 7},
        {"question": "?", "options": ["x" * 301]},
        {"question": "?", "options": [["x"]]},
        {"question": "?", "options": "red"},
        {"question": "?" * 2_001},
        {"question": "?", "more": 1},
    ],
)
def test_what_is_no_question(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AskArguments.model_validate(wrong)


def test_several_questions_get_a_word_of_advice() -> None:
    with pytest.raises(ValidationError, match="one question at a time: give question and its opt"):
        AskArguments.model_validate({"questions": [{"question": "?", "options": ["x"]}]})
