"""Peek: the beginning of a file."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from pydantic import BaseModel, ConfigDict, Field

from turnloop_core.api import (
    CallContext,
    Descriptions,
    ErrorKind,
    FactoryContext,
    ReadRange,
    Result,
    Scope,
    Subject,
    SubjectKind,
    path_subject,
)

LARGEST = 1_000_000


class Arguments(BaseModel):
    """Arguments of Peek."""

    model_config = ConfigDict(extra="forbid")

    path: str = Field(description="The file.")
    lines: int = Field(40, ge=1, le=400, description="How many lines of it.")


class Peek:
    """Shows the first lines of a file, and says how many there are."""

    name = "Peek"
    arguments = Arguments
    descriptions = Descriptions(
        terse="First lines of a text file.",
        normal="Shows the first lines of a text file and how many it has.",
        verbose="Shows the first lines of a text file and how many it has, to find out what a file "
        "is about before it is read as a whole.",
    )

    def subjects(self, args: Arguments, scope: Scope) -> Sequence[Subject]:
        return (path_subject(args.path, scope, SubjectKind.READ),)

    async def run(self, args: Arguments, context: CallContext) -> Result:
        (subject,) = context.subjects
        try:
            with context.open_checked(subject, "rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            why = error.strerror or type(error).__name__
            return Result.say(f"cannot open {args.path}: {why}.", error=ErrorKind.TOOL_ERROR)
        if len(data) > LARGEST:
            return Result.say(f"{args.path} is too large.", error=ErrorKind.TOOL_ERROR)
        found = data.decode("utf-8", "replace").splitlines()
        shown = found[: args.lines]
        digest = blake2b(data, digest_size=16).hexdigest()
        whole = len(shown) == len(found)
        fact = ReadRange(subject.narrow, min(1, len(shown)), len(shown), digest, whole=whole)
        title = f"{args.path}: {len(shown)} of {len(found)} lines"
        return Result.say("\n".join([title, *shown]), display=title, facts=(fact,))


def create(context: FactoryContext) -> Peek:
    """The tool."""
    return Peek()
