"""The tool suite, tried on right tools and on deliberately wrong ones."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from pydantic import BaseModel, Field

from doubles.right_tools import (
    ReadArguments,
    ReadSuite,
    RightRead,
    RightRun,
    RightWrite,
    RunSuite,
    WriteSuite,
)
from turnloop_core.api import (
    Descriptions,
    OtherFact,
    PermissionMode,
    ReadRange,
    Result,
    Subject,
    SubjectKind,
    Text,
    ToolEntry,
    TurnloopError,
)
from turnloop_core.permissions.paths import path_subject
from turnloop_core.testing.tool_suite import ToolConformance
from turnloop_core.testing.unabridged import failing_checks, standard_checks


class TestRightRead(ReadSuite):
    """The right reader passes."""


class TestRightWrite(WriteSuite):
    """The right writer passes."""


class TestRightRun(RunSuite):
    """The right runner passes."""


class NameWithBlanks(RightRead):
    name = "Show it"


class EmptyTerse(RightRead):
    descriptions = Descriptions(" ", "Shows a file.", "Shows a file, all of it.")


class TerseIsLongest(RightRead):
    descriptions = Descriptions("Shows a file, all of it.", "Shows a file.", "Shows.")


class Undescribed(RightRead):
    class arguments(BaseModel):  # noqa: N801 - an attribute of the tool
        file_path: str


class NotAnObject(RightRead):
    class arguments(ReadArguments):  # noqa: N801 - an attribute of the tool
        @classmethod
        def model_json_schema(cls, **_: Any) -> dict[str, Any]:
            return {"type": "string"}


class NotJson(RightRead):
    class arguments(ReadArguments):  # noqa: N801 - an attribute of the tool
        @classmethod
        def model_json_schema(cls, **_: Any) -> dict[str, Any]:
            return {"type": "object", "default": {1, 2}}


class TreeArguments(BaseModel):
    file_path: str = Field(description="The file.")
    children: list[TreeArguments] = Field([], description="More.")


class Endless(RightRead):
    arguments = TreeArguments


class SubjectsOpen(RightRead):
    def subjects(self, args, scope):
        (scope.cwd / args.file_path).read_text()
        return super().subjects(args, scope)


class SubjectsWrite(RightRead):
    def subjects(self, args, scope):
        (scope.cwd / "log").mkdir(exist_ok=True)
        return super().subjects(args, scope)


class SubjectsChange(RightRead):
    count = 0

    def subjects(self, args, scope):
        self.count += 1
        (subject,) = super().subjects(args, scope)
        return [
            subject,
            Subject(SubjectKind.READ, str(scope.cwd / "notes"), display=f"{self.count}"),
        ]


class RelativeSubject(RightRead):
    def subjects(self, args, scope):
        (subject,) = super().subjects(args, scope)
        return [subject, Subject(SubjectKind.READ, "notes")]


class ReadsMoreThanItNames(RightRead):
    def content(self, args, context):
        text = super().content(args, context)
        other = context.scope.root / ".hidden"
        os.close(os.open(other, os.O_RDONLY | os.O_CREAT))
        return text


class SaysNothing(RightRead):
    async def run(self, args, context):
        result = await super().run(args, context)
        return Result((), facts=result.facts)


class SaysABlank(RightRead):
    async def run(self, args, context):
        result = await super().run(args, context)
        return Result((Text(" \n"),), facts=result.facts)


class ReturnsText(RightRead):
    async def run(self, args, context):
        return self.content(args, context)


class SplitsAtBlanks(RightRead):
    def content(self, args, context):
        if " & " in str(context.scope.root):
            raise TurnloopError("no such file")
        return super().content(args, context)


class StrangeFact(RightRead):
    def facts(self, path, text):
        return [OtherFact({"kind": "strange"})]


class NoFact(RightRead):
    def facts(self, path, text):
        return ["read"]


class FactThatCannotBeStored(RightRead):
    def facts(self, path, text):
        return [ReadRange(str(path), 1, 2, None)]


class RelativeFact(RightRead):
    def facts(self, path, text):
        return [ReadRange(path.name, 1, 2, "0")]


class ReadOnlyThatWrites(RightRead):
    def subjects(self, args, scope):
        return [*super().subjects(args, scope), path_subject("x", scope, SubjectKind.WRITE)]


class FollowsLinks(RightRead):
    def content(self, args, context):
        return Path(context.subjects[0].narrow).read_text()


WRONG_READERS = {
    NameWithBlanks: "test_name",
    EmptyTerse: "test_descriptions",
    TerseIsLongest: "test_descriptions",
    Undescribed: "test_schema",
    NotAnObject: "test_schema",
    NotJson: "test_schema",
    Endless: "test_schema",
    SubjectsOpen: "test_subjects_only_look",
    SubjectsWrite: "test_subjects_only_look",
    SubjectsChange: "test_subjects_are_stable",
    RelativeSubject: "test_path_subjects_are_real",
    SaysNothing: "test_gives_a_result",
    SaysABlank: "test_gives_a_result",
    SplitsAtBlanks: "test_works_in_an_odd_place",
    StrangeFact: "test_facts",
    NoFact: "test_facts",
    FactThatCannotBeStored: "test_facts",
    RelativeFact: "test_facts",
    ReadOnlyThatWrites: "test_read_only_means_it",
    FollowsLinks: "test_what_was_judged_is_what_is_opened",
}


class WritesBesides(RightWrite):
    async def run(self, args, context):
        result = await super().run(args, context)
        if result.ok:
            (context.scope.root / "b.txt").write_text("changed")
        return result


class IgnoresPlanMode(RightWrite):
    async def run(self, args, context):
        context.mode = PermissionMode.DEFAULT
        return await super().run(args, context)


class RefusesTooLate(RightWrite):
    async def run(self, args, context):
        with context.open_checked(context.subjects[0], "wb") as stream:
            stream.write(b"too late")
        return await super().run(args, context)


class WritesThroughLinks(RightWrite):
    async def run(self, args, context):
        if context.mode is not PermissionMode.PLAN:
            self.write(Path(context.subjects[0].narrow), args.content)
        return await super().run(args, context)

    def write(self, path, content):
        path.write_text(content)


class LooksOnlyAtTheOther(RightWrite):
    """Names a write, but opens something that only a read subject names."""

    def subjects(self, args, scope):
        return [*super().subjects(args, scope), path_subject("b.txt", scope, SubjectKind.READ)]

    async def run(self, args, context):
        result = await super().run(args, context)
        if result.ok:
            with (context.scope.root / "b.txt").open("r+"):
                pass
        return result


WRONG_WRITERS = {
    WritesBesides: "test_subjects_cover_the_run",
    LooksOnlyAtTheOther: "test_subjects_cover_the_run",
    IgnoresPlanMode: "test_refuses_in_plan_mode",
    RefusesTooLate: "test_refuses_in_plan_mode",
    WritesThroughLinks: "test_what_was_judged_is_what_is_opened",
}


def _spawn(command: list[str], environment: Mapping[str, str]) -> int:
    return os.posix_spawn(command[0], command, dict(environment))


def _ended(child: int) -> bool:
    return os.waitpid(child, os.WNOHANG) != (0, 0)


class LeavesItsChild(RightRun):
    async def run(self, args, context):
        if context.mode is PermissionMode.PLAN:
            raise TurnloopError("not in plan mode")
        command = [sys.executable, "-c", args.code]
        child = _spawn(command, context.environment)
        while not _ended(child):  # noqa: ASYNC110 - there is no event for it
            await anyio.sleep(0.01)
        return Result.say("It ran.")


WRONG_RUNNERS = {LeavesItsChild: "test_leaves_no_processes"}

WRONG = [
    *((ReadSuite, tool, check) for tool, check in WRONG_READERS.items()),
    *((WriteSuite, tool, check) for tool, check in WRONG_WRITERS.items()),
    *((RunSuite, tool, check) for tool, check in WRONG_RUNNERS.items()),
]


@pytest.mark.parametrize(("suite", "tool", "check"), WRONG, ids=[w[1].__name__ for w in WRONG])
def test_a_wrong_tool_fails_the_check_meant_for_it(suite: type, tool: type, check: str) -> None:
    failed = failing_checks(type("Wrong", (suite,), {"tool": tool}))
    assert set(failed) == {check}, failed


def test_bulk_args_must_exist() -> None:
    entry = ToolEntry("Put", "", bulk_args=("body",))
    failed = failing_checks(type("Wrong", (WriteSuite,), {"entry": entry}))
    assert set(failed) == {"test_schema"}, failed


def test_what_is_no_result_fails_wherever_a_result_is_looked_at() -> None:
    failed = failing_checks(type("Wrong", (ReadSuite,), {"tool": ReturnsText}))
    assert "test_gives_a_result" in failed


def test_every_check_can_fail() -> None:
    covered = {check for _, _, check in WRONG}
    assert set(standard_checks(ToolConformance)) - covered == {"test_suite_is_unabridged"}
