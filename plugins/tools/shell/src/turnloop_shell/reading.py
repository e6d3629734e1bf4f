"""BashOutput: what commands in the background print, and their end."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
)

from turnloop_core.api import (
    CallContext,
    ErrorKind,
    FactoryContext,
    PermissionMode,
    Result,
    Scope,
    Subject,
)
from turnloop_shell.arguments import LONGEST_LIMIT
from turnloop_shell.background import Background, Command, started_before
from turnloop_shell.descriptions import OUTPUT_DESCRIPTIONS
from turnloop_shell.report import exit_words, named, report_news
from turnloop_shell.tool import background_of

_TITLE = 80


class OutputArguments(BaseModel):
    """Arguments of BashOutput."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(
        "",
        validation_alias=AliasChoices("id", "bash_id", "shell_id"),
        description="empty lists all",
    )
    wait_s: float = Field(0, description="wait for output or the end")
    kill: bool = Field(False, description="end it")

    @field_validator("*", mode="before")
    @classmethod
    def _left_out(cls, value: object, info: ValidationInfo) -> object:
        return cls.model_fields[str(info.field_name)].default if value is None else value

    @field_validator("id", mode="before")
    @classmethod
    def _name(cls, value: object) -> object:
        """`3` means `bg3`."""
        name = str(value).strip() if isinstance(value, str | int) else value
        return f"bg{name}" if isinstance(name, str) and name.isdecimal() else name


class BashOutput:
    """Shows and ends commands in the background: those of its session, and nothing else."""

    name = "BashOutput"
    arguments = OutputArguments
    descriptions = OUTPUT_DESCRIPTIONS

    def __init__(self, background: Background) -> None:
        self._background = background

    def subjects(self, args: OutputArguments, scope: Scope) -> Sequence[Subject]:
        return ()  # what it reads and ends was judged when it was started

    async def run(self, args: OutputArguments, context: CallContext) -> Result:
        if not args.id and args.kill:
            said = f"nothing was ended: the id is missing.\n{await self._all()}"
            return Result.say(said, error=ErrorKind.TOOL_ERROR)
        if not args.id:
            return Result.say(await self._all())
        command = self._background.find(args.id)
        if command is None:
            return Result.say(await self._unknown(args.id, context), error=ErrorKind.TOOL_ERROR)
        if not args.kill:
            began = time.monotonic()
            await command.wait(max(0.0, min(args.wait_s, LONGEST_LIMIT)))
            return _shown(command, waited=time.monotonic() - began)
        if context.mode is PermissionMode.PLAN:
            return Result.say("plan mode: nothing is ended.", error=ErrorKind.DENIED)
        return _shown(command, stubborn=await command.kill())

    async def _all(self) -> str:
        await self._background.survey()
        commands = self._background.commands
        return "\n".join(map(_line, commands)) or "no command was started in the background"

    async def _unknown(self, name: str, context: CallContext) -> str:
        number = re.fullmatch(r"bg(\d{1,9})", name)
        if number and 0 < int(number[1]) <= started_before(context.facts()):
            why = (
                f"{name} is not known any more: it ended long ago, or was started before this "
                "session was resumed, and then it may still run: look with ps before you start it "
                "again."
            )
        else:
            why = f"there is no command {name} in the background."
        return f"{why}\n{await self._all()}"


def _shown(
    command: Command, *, waited: float | None = None, stubborn: Sequence[int] = ()
) -> Result:
    """What is new, and how it stands. It counts as told from now on."""
    text = command.output.take(last=command.over)
    result = report_news(command, text, waited=waited, stubborn=stubborn)
    command.told = command.exit_code is not None
    return result


def _line(command: Command) -> str:
    code = command.exit_code
    state = f"{command.seconds:.0f} s so far" if code is None else exit_words(code)
    if code is not None and command.left:
        state = f"{state}; still running: {named(command.left)}"
    news = f", {command.output.size:,} new bytes" if command.output.size else ""
    title = " ".join(command.text.split())
    return f"{command.id} ({state}{news}): {title[:_TITLE]}{'...' if title[_TITLE:] else ''}"


def create(context: FactoryContext) -> BashOutput:
    """The tool, with what Bash of the same session started."""
    return BashOutput(background_of(context))
