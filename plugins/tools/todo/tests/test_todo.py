"""The list that holds, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from pydantic import ValidationError

from turnloop_core.api import Fact, PlanStep, Result, SavedPlan
from turnloop_core.testing.contexts import call_context
from turnloop_core.testing.project import Project, temporary_project
from turnloop_todo.tool import TodoArguments, TodoWrite


@dataclass
class Pad:
    """Calls the tool again and again: facts of one call are known to the next."""

    project: Project
    facts: list[Fact] = field(default_factory=list)

    def write(self, *todos: Any) -> Result:
        args = TodoArguments.model_validate({"todos": [a_todo(todo) for todo in todos]})
        context = call_context(self.project)
        context.known_facts = tuple(self.facts)
        result = anyio.run(TodoWrite().run, args, context)
        self.facts += result.facts
        return result

    @property
    def held(self) -> tuple[PlanStep, ...]:
        last = self.facts[-1]
        assert isinstance(last, SavedPlan)
        return last.steps


def a_todo(todo: Any) -> Any:
    """`">mend"` is a step that is in progress, `"xlook"` one that is done, `"mend"` a new one."""
    if not isinstance(todo, str):
        return todo
    status = {">": "in_progress", "x": "completed"}.get(todo[0], "pending")
    return {"text": todo.lstrip(">x"), "status": status}


@pytest.fixture
def pad() -> Iterator[Pad]:
    with temporary_project() as project:
        yield Pad(project)


def test_the_list_that_holds_is_shown(pad):
    result = pad.write("xlook", ">mend", "tell")
    assert result.text == (
        "the list that holds (1 of 3 completed):\n1. [x] look\n2. [>] mend\n3. [ ] tell"
    )
    assert result.display == "1. [x] look\n2. [>] mend\n3. [ ] tell"
    assert result.facts == (
        SavedPlan(
            (
                PlanStep("look", "completed"),
                PlanStep("mend", "in_progress"),
                PlanStep("tell", "pending"),
            )
        ),
    )


NO_CHANGE = "no change: the list holds as it is. Go on with the work."


def test_equal_lists_are_no_change(pad):
    pad.write("look at it", ">mend")
    for again in (["look at it", ">mend"], ["Look  at IT", ">Mend "]):
        assert pad.write(*again).text == NO_CHANGE
        assert pad.held == (PlanStep("look at it", "pending"), PlanStep("mend", "in_progress"))
    assert pad.write("look at it", "mend").text != NO_CHANGE


def test_empty_lists(pad):
    assert pad.write().text == NO_CHANGE
    pad.write("look")
    assert pad.write().text == "the list is empty now."
    assert pad.write().text == NO_CHANGE
    assert pad.held == ()


def test_rewording_is_no_removal(pad):
    pad.write("mend the parser", "test it")
    assert "[" not in pad.write("repair parsing", "run tests").text.replace("[ ]", "")
    by_id = [{"id": "1", "text": "a"}, {"id": "2", "text": "b"}]
    pad.write(*by_id)
    reworded = pad.write({"id": "2", "text": "other words", "status": "completed"})
    assert "new list" not in reworded.text
    assert pad.held == (PlanStep("other words", "completed", "2"),)


def test_an_id_stays_with_its_step(pad):
    pad.write({"id": "7", "text": "look"})
    pad.write(">Look")
    assert pad.held == (PlanStep("look", "in_progress", "7"),)


def test_a_list_of_an_earlier_task_does_not_vanish_unsaid(pad):
    pad.write("xlook", ">mend", "tell")
    result = pad.write("something else")
    assert result.text.splitlines()[-1] == "[a new list: 2 unfinished of the earlier one are gone]"
    pad.write("xsomething else")
    assert "new list" not in pad.write("third", "task").text


def test_several_in_progress_are_advised_against(pad):
    result = pad.write(">a", ">b")
    assert result.ok
    assert result.text.splitlines()[-1] == "[2 steps are in_progress; one at a time is better]"


def test_what_models_write(pad):
    pad.write(
        {"content": "look", "status": "done", "activeForm": "Looking", "priority": "high", "id": 3},
        {"text": "two\nlines", "status": "In-Progress"},
        {"text": "plain", "status": None, "id": None},
    )
    assert pad.held == (
        PlanStep("look", "completed", "3"),
        PlanStep("two lines", "in_progress"),
        PlanStep("plain", "pending"),
    )


@pytest.mark.parametrize(
    "todo", [{"text": " "}, {"text": "a", "status": "maybe"}, {"status": "pending"}, "text", 3]
)
def test_what_is_no_step(todo):
    with pytest.raises(ValidationError):
        TodoArguments.model_validate({"todos": [todo]})


def test_the_newest_list_counts(pad):
    pad.facts += [
        SavedPlan((PlanStep("old", "pending"),)),
        SavedPlan((PlanStep("new", "pending"),)),
    ]
    assert pad.write("new").text == NO_CHANGE
