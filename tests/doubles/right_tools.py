"""Right tools, and the suite on each: wrong ones are made from these."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import anyio
from pydantic import BaseModel, Field

from turnloop_core.api import (
    CallContext,
    Descriptions,
    ErrorKind,
    Fact,
    PermissionMode,
    RanCommand,
    ReadRange,
    Result,
    Scope,
    Subject,
    SubjectKind,
    ToolEntry,
    TurnloopError,
    WroteFile,
)
from turnloop_core.permissions.paths import path_subject
from turnloop_core.testing.project import Project
from turnloop_core.testing.tool_suite import ToolConformance


class ReadArguments(BaseModel):
    file_path: str = Field(description="The file.")


class RightRead:
    """Reads a file. Wrong ones change one method."""

    name = "Show"
    arguments: type[BaseModel] = ReadArguments
    descriptions = Descriptions("Shows.", "Shows a file.", "Shows a file, all of it.")

    def subjects(self, args: Any, scope: Scope) -> list[Subject]:
        return [path_subject(args.file_path, scope, SubjectKind.READ)]

    async def run(self, args: Any, context: CallContext) -> Result:
        text = self.content(args, context)
        facts = self.facts(Path(context.subjects[0].narrow), text)
        return Result.say(text, facts=tuple(facts))

    def content(self, args: Any, context: CallContext) -> str:
        with context.open_checked(context.subjects[0], "rb") as stream:
            return stream.read().decode()

    def facts(self, path: Path, text: str) -> list[Fact]:
        digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        return [ReadRange(str(path), 1, len(text.splitlines()), digest, whole=True)]


class WriteArguments(BaseModel):
    file_path: str = Field(description="The file.")
    content: str = Field(description="What it is to hold.")


class RightWrite:
    """Writes a file."""

    name = "Put"
    arguments = WriteArguments
    descriptions = Descriptions("Puts.", "Puts a file.", "Puts a file there.")

    def subjects(self, args: Any, scope: Scope) -> list[Subject]:
        return [path_subject(args.file_path, scope, SubjectKind.WRITE)]

    async def run(self, args: Any, context: CallContext) -> Result:
        if context.mode is PermissionMode.PLAN:
            return Result.say("Not in plan mode.", error=ErrorKind.DENIED)
        with context.open_checked(context.subjects[0], "wb") as stream:
            stream.write(args.content.encode())
        fact = WroteFile(context.subjects[0].narrow, len(args.content), "0" * 32)
        return Result.say("Written.", facts=(fact,))


class RunArguments(BaseModel):
    code: str = Field(description="What Python is to do.")


class RightRun:
    """Runs a program, and ends it when it is cancelled."""

    name = "Go"
    arguments = RunArguments
    descriptions = Descriptions("Runs.", "Runs Python.", "Runs some Python.")

    def subjects(self, args: Any, scope: Scope) -> list[Subject]:
        return [Subject(SubjectKind.COMMAND, f"python -c {args.code}", dynamic=True)]

    async def run(self, args: Any, context: CallContext) -> Result:
        if context.mode is PermissionMode.PLAN:
            raise TurnloopError("not in plan mode")
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", args.code, cwd=context.scope.cwd, env=dict(context.environment)
        )
        try:
            status = await process.wait()
        finally:
            await self.end(process)
        return Result.say("It ran.", facts=(RanCommand(args.code, status, 0.1),))

    async def end(self, process: asyncio.subprocess.Process) -> None:
        if process.returncode is None:
            process.kill()
            with anyio.CancelScope(shield=True):
                await process.wait()


class ReadSuite(ToolConformance):
    tool: ClassVar[Any] = RightRead
    entry = ToolEntry("Show", "", read_only=True)
    files: ClassVar[Mapping[str, str | bytes]] = {"notes/a b.txt": "one\ntwo\n"}

    def make(self, project: Project) -> Any:
        return self.tool()

    def valid(self, project: Project) -> dict[str, Any]:
        return {"file_path": str(project.path("notes/a b.txt"))}


class WriteSuite(ToolConformance):
    tool: ClassVar[Any] = RightWrite
    entry = ToolEntry("Put", "", bulk_args=("content",))
    files: ClassVar[Mapping[str, str | bytes]] = {"a.txt": "old", "b.txt": "other"}

    def make(self, project: Project) -> Any:
        return self.tool()

    def valid(self, project: Project) -> dict[str, Any]:
        return {"file_path": "a.txt", "content": "new"}


class RunSuite(ToolConformance):
    tool: ClassVar[Any] = RightRun
    entry = ToolEntry("Go", "")

    def make(self, project: Project) -> Any:
        return self.tool()

    def valid(self, project: Project) -> dict[str, Any]:
        return {"code": f"open({str(project.path('made.txt'))!r}, 'w').close()"}

    def long_running(self, project: Project) -> dict[str, Any]:
        return {"code": "import time; time.sleep(600)"}
