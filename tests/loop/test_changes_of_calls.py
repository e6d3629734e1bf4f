"""What a running call sees of the project's files, in a whole session."""

from __future__ import annotations

import os
from typing import Any

from harness import FakeTool, opened, run
from turnloop_core.log.reader import read_log
from turnloop_core.testing.fakes import call
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.types.changes import Changes
from turnloop_core.types.events import Notice
from turnloop_core.types.facts import RanCommand
from turnloop_core.types.results import Result
from turnloop_core.types.subjects import SubjectKind


def program(project: Project, seen: list[Changes | None]) -> FakeTool:
    """A tool that runs what is no program: it writes the file that it is told, or moves the root
    away.
    """

    async def behaviour(args: Any, context: Any) -> Result:
        async with context.changes_during() as watch:
            if args.text == "away":
                project.root.rename(project.base / "elsewhere")
            elif args.text:
                (project.root / args.text).write_text("x")
        seen.append(watch.changes)
        files = None if watch.changes is None else watch.changes.paths
        return Result.say("done", facts=(RanCommand(args.text, 0, 0.1, changed_files=files),))

    return FakeTool("Program", behaviour, SubjectKind.COMMAND, read_only=False)


def writer(project: Project) -> FakeTool:
    def behaviour(args: Any, context: Any) -> Result:
        (project.root / args.text).write_text("x")
        return Result.say("written")

    return FakeTool("Writer", behaviour, SubjectKind.WRITE, read_only=False)


def test_a_call_is_told_what_changed_while_it_ran_and_no_more() -> None:
    async def scenario() -> None:
        seen: list[Changes | None] = []
        odd = os.fsdecode(b"\xff.py")
        with temporary_project({"a.py": ""}, git=True) as project:
            tools = [program(project, seen), writer(project)]
            replies = [
                call("Program", {"text": "b.py"}),
                call("Writer", {"text": "by-writer.py"}),
                call("Program", {"text": ""}),
                call("Program", {"text": odd}),
                "done",
            ]
            async with opened(project, *replies, tools=tools, permission_mode="bypass") as o:
                await o.session.run("go")
                log = o.session.log_path
            assert seen == [Changes(added=("b.py",)), Changes(), Changes(added=(odd,))]
            facts = [f for r in read_log(log).records for f in _facts(r.body)]
            assert [f.changed_files for f in facts] == [("b.py",), (), (odd,)]

    run(scenario)


def _facts(body: Any) -> list[RanCommand]:
    result = getattr(body, "result", None)
    return [f for f in getattr(result, "facts", ()) if isinstance(f, RanCommand)]


def test_the_user_is_told_once_when_nobody_looks_any_more() -> None:
    async def scenario() -> None:
        seen: list[Changes | None] = []
        with temporary_project({"a.py": ""}) as project:
            replies = [*(call("Program", {"text": t}) for t in ("away", "", "", "")), "done"]
            tools = [program(project, seen)]
            async with opened(project, *replies, tools=tools, permission_mode="bypass") as o:
                await o.session.run("go")
            why = "the project folder is gone"
            gone = Changes(complete=False, why=why)
            assert seen == [gone, gone, None, None]
            notices = [e.text for e in o.observer.events if isinstance(e, Notice)]
            text = f"which files commands change is not looked at any more: {why}"
            assert notices.count(text) == 1

    run(scenario)
