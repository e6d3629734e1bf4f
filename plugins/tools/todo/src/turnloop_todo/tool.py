"""TodoWrite: the model writes down its plan; the list lives in the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator

from turnloop_core.api import (
    CallContext,
    Descriptions,
    FactoryContext,
    PlanStep,
    Result,
    SavedPlan,
    Scope,
    Subject,
)
from turnloop_todo.lists import held, is_new_list, unfinished

MOST_STEPS = 200
LONGEST = 1_000

_MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}
_SPELLINGS = {"done": "completed", "complete": "completed", "todo": "pending", "open": "pending"}

_DESCRIPTIONS = Descriptions(
    terse="List the steps of longer work. Send the whole list each time.",
    normal=(
        "Keep a list of steps, shown to the user, for longer work. Each call replaces it: send all "
        "of it, one step in_progress, beside the calls that do the work."
    ),
    verbose=(
        "Keep a list of the steps of your work. It is shown to the user and stays known to you "
        "when the conversation is shortened. Use it for work that takes several steps, not for "
        "simple tasks or answers. Each call replaces the whole list: send every step, finished "
        "ones too, with its status: pending, in_progress or completed. Have one step in_progress "
        "at a time. Mark a step completed only when it is: what failed or is left half done stays "
        "in_progress. An `id` is kept with its step, so that it can be reworded. Send an empty "
        "list when the work is over. Updating the list is not progress: call it beside the calls "
        "that do the work, and only when something changed."
    ),
)


class Todo(BaseModel):
    """One step."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    text: str = Field(
        validation_alias=AliasChoices("text", "content"),
        description="what to do",
        max_length=LONGEST,
    )
    status: Literal["pending", "in_progress", "completed"] = Field("pending", description="state")
    id: str = Field("", description="kept when reworded", max_length=100)

    @field_validator("text")
    @classmethod
    def _text(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("a step needs words")
        return " ".join(value.split())

    @field_validator("status", mode="before")
    @classmethod
    def _status(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return "pending" if value is None else value
        word = value.strip().lower().replace("-", "_").replace(" ", "_")
        return _SPELLINGS.get(word, word)

    @field_validator("id", mode="before")
    @classmethod
    def _id(cls, value: Any) -> Any:
        return "" if value is None else str(value) if isinstance(value, int) else value


class TodoArguments(BaseModel):
    """Arguments of TodoWrite."""

    model_config = ConfigDict(extra="forbid")

    todos: list[Todo] = Field(description="all, in order", max_length=MOST_STEPS)


class TodoWrite:
    """Replaces the list of steps."""

    name = "TodoWrite"
    arguments = TodoArguments
    descriptions = _DESCRIPTIONS

    def subjects(self, args: TodoArguments, scope: Scope) -> Sequence[Subject]:
        return ()  # it touches no file: the list lives in the log

    async def run(self, args: TodoArguments, context: CallContext) -> Result:
        facts = reversed(context.facts())
        before = next((fact.steps for fact in facts if isinstance(fact, SavedPlan)), ())
        given = [PlanStep(todo.text, todo.status, todo.id) for todo in args.todos]
        steps = held(given, before)
        fact = SavedPlan(steps)
        if _without_ids(steps) == _without_ids(before):
            said = "no change: the list holds as it is. Go on with the work."
            return Result.say(said, display="todos: no change", facts=(fact,))
        if not steps:
            return Result.say("the list is empty now.", display="todos: none", facts=(fact,))
        lines = [f"{number}. {_MARKS[s.status]} {s.text}" for number, s in enumerate(steps, 1)]
        checklist = "\n".join(lines)
        told = "\n".join([f"the list that holds ({_counts(steps)}):", checklist, *_notes(steps)])
        if is_new_list(steps, before) and unfinished(before):
            told += f"\n[a new list: {unfinished(before)} unfinished of the earlier one are gone]"
        return Result.say(told, display=checklist, facts=(fact,))


def _without_ids(steps: Sequence[PlanStep]) -> list[tuple[str, str]]:
    return [(step.text, step.status) for step in steps]


def _counts(steps: Sequence[PlanStep]) -> str:
    count = Counter(step.status for step in steps)
    return f"{count['completed']} of {len(steps)} completed"


def _notes(steps: Sequence[PlanStep]) -> list[str]:
    going = sum(step.status == "in_progress" for step in steps)
    return [f"[{going} steps are in_progress; one at a time is better]"] if going > 1 else []


def create(_context: FactoryContext) -> TodoWrite:
    """The tool."""
    return TodoWrite()
