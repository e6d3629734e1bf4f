"""AskUserQuestion: one question to the user, with or without options to choose from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from turnloop_core.api import (
    Asked,
    CallContext,
    Descriptions,
    FactoryContext,
    Result,
    Scope,
    Subject,
)

MOST_OPTIONS = 6
LONGEST_QUESTION = 2_000
LONGEST_OPTION = 300

_NOBODY = (
    "nobody is there to answer. Decide sensibly by yourself, go on, and say in your answer what "
    "you decided and that it was not confirmed."
)
_NO_ANSWER = (
    "the user gave no answer. Do not ask the same again: decide sensibly, and say what you decided."
)

_DESCRIPTIONS = Descriptions(
    terse="Ask what only the user knows.",
    normal=(
        "Ask the user one question that only the user can decide, and wait. Own words are always "
        "possible as an answer."
    ),
    verbose=(
        "Ask the user one question and wait for the answer. Use it where only the user can decide "
        "and a wrong guess would cost much work; not for what the files or a command can tell, nor "
        "for leave to go on: permission is asked for by itself. Give up to 6 options where there "
        "are clear ones, the one you would take first; the user may choose one, or several, or "
        "answer in own words, so there is no need of an option for anything else. When nobody is "
        "there you are told so: then decide, and say so in your answer."
    ),
)


class AskArguments(BaseModel):
    """Arguments of AskUserQuestion."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(description="whole, in plain words", max_length=LONGEST_QUESTION)
    options: list[str] = Field([], description="short, at most 6", max_length=MOST_OPTIONS)

    @model_validator(mode="before")
    @classmethod
    def _one(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and "questions" in value:
            raise ValueError("one question at a time: give question and its options, not questions")
        return value

    @field_validator("question")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("is empty")
        return value.strip()

    @field_validator("options", mode="before")
    @classmethod
    def _as_lines(cls, value: Any) -> Any:
        """What models write instead: null, numbers, or a label with its description."""
        if value is None:
            return []
        if not isinstance(value, list):
            return value
        return [_line(option) for option in value if option is not None]

    @field_validator("options")
    @classmethod
    def _different(cls, value: list[str]) -> list[str]:
        """Blank ones and repetitions give nobody a choice."""
        options = list(dict.fromkeys(" ".join(option.split()) for option in value))
        for option in options:
            if len(option) > LONGEST_OPTION:
                raise ValueError(f"an option has at most {LONGEST_OPTION} characters")
        return [option for option in options if option]


def _line(option: Any) -> Any:
    if isinstance(option, Mapping) and isinstance(option.get("label"), str):
        more = option.get("description")
        return f"{option['label']}: {more}" if isinstance(more, str) and more else option["label"]
    return str(option) if isinstance(option, int | float) else option


class AskUserQuestion:
    """Asks the user. Without an answer the work goes on."""

    name = "AskUserQuestion"
    arguments = AskArguments
    descriptions = _DESCRIPTIONS

    def subjects(self, args: AskArguments, scope: Scope) -> Sequence[Subject]:
        return ()  # it touches nothing

    async def run(self, args: AskArguments, context: CallContext) -> Result:
        somebody = context.interactive
        # Asked in any case: that nobody was there belongs into the record.
        answer = await context.ask(args.question, args.options)
        fact = Asked(args.question, answer)
        if answer is not None:
            said = f"The user answers: {answer}"
            return Result.say(said, display=answer, facts=(fact,))
        if not somebody:
            return Result.say(_NOBODY, display=f"nobody was there: {args.question}", facts=(fact,))
        return Result.say(_NO_ANSWER, display="no answer", facts=(fact,))


def create(_context: FactoryContext) -> AskUserQuestion:
    """The tool."""
    return AskUserQuestion()
