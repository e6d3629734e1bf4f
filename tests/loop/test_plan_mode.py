"""Plan mode changes nothing, by three means of which each holds alone."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import pytest

from harness import Opened, opened, run
from loop.plan_tricks import (
    FILES,
    Foreign,
    PlanEdit,
    PlanWrite,
    calls,
    plan_project,
    read,
    state,
    tools,
)
from turnloop_core.api import Intervention, PermissionAnswer, PermissionMode, Subject, SubjectKind
from turnloop_core.loop.prepare import changes_nothing
from turnloop_core.permissions.engine import Engine
from turnloop_core.testing.fakes import ScriptedApprover, call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.items import Reply, StopReason
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.subjects import Decision, Verdict
from turnloop_files.seen import Copies

PLAN = PermissionMode.PLAN

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")


def errors(o: Opened) -> list[ErrorKind | None]:
    return [result.error for turn in o.session.view.turns for result in turn.results]


def test_no_tool_and_no_trick_changes_a_byte() -> None:
    async def scenario() -> None:
        with plan_project() as (project, variables, bash):
            script, before = calls(project), state(project)
            approver = ScriptedApprover([PermissionAnswer(True, "session")])
            async with opened(
                project,
                *script,
                "done",
                tools=tools(bash),
                approver=approver,
                variables=variables,
                permission_mode="plan",
                max_iterations=len(script) + 5,
                extra_rules={"allow": ("Bash", "Edit", "Read", "Nothing", "Lying", "mcp__*")},
            ) as o:
                await o.session.run("go")
                offered = [tool.name for tool in o.provider.requests[0].view.prefix.tools]
                assert offered == ["Bash", "Lying", "Nothing", "Reading"]
                assert state(project) == before
                went = [c.arguments for c, e in zip(script, errors(o), strict=True) if e is None]
                assert went == []

    run(scenario)


def allow_all(engine: Any, tool: str, subjects: Any, *, read_only: bool) -> Decision:
    return Decision(Verdict.ALLOW, "broken")


def test_without_the_engine_the_loop_and_the_tools_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engine, "decide", allow_all)

    async def scenario() -> None:
        with plan_project() as (project, variables, bash):
            script = [c for c in calls(project) if c.name != "Bash"]
            script.append(call("Bash", {"command": "touch made"}))
            before = state(project)
            async with opened(
                project,
                *script,
                "done",
                tools=tools(bash),
                variables=variables,
                permission_mode="plan",
                max_iterations=len(script) + 5,
            ) as o:
                await o.session.run("go")
                assert state(project) == before
                assert None not in errors(o)

    run(scenario)


@pytest.mark.parametrize("tool", [PlanWrite, PlanEdit], ids=["Write", "Edit"])
def test_without_engine_and_loop_the_tools_refuse(
    monkeypatch: pytest.MonkeyPatch, tool: Any
) -> None:
    monkeypatch.setattr(Engine, "decide", allow_all)
    monkeypatch.setattr("turnloop_core.loop.prepare.changes_nothing", lambda subjects: True)

    async def scenario() -> None:
        with temporary_project(FILES) as project:
            made = tool(Copies())
            made.in_plan = True
            before = state(project)
            write = call("Write", {"file_path": "made", "content": "x"})
            edit = {"file_path": "notes.txt", "old_string": "one", "new_string": "1"}
            go = write if tool is PlanWrite else call("Edit", edit)
            async with opened(project, go, "done", tools=[made], permission_mode="plan") as o:
                await o.session.run("go")
                assert errors(o) == [ErrorKind.DENIED]
                assert state(project) == before

    run(scenario)


class Switching(ScriptedApprover):
    """Somebody who switches to plan mode while a question stands, and then says yes."""

    opened: Opened

    async def permission(self, question: Any) -> PermissionAnswer:
        self.opened.session.mode = PLAN
        return await super().permission(question)


@pytest.mark.parametrize("remember", ["once", "session", "always"])
@pytest.mark.parametrize("name", ["Write", "Bash"])
def test_what_was_asked_about_before_does_not_run_after(name: str, remember: Any) -> None:
    async def scenario() -> None:
        with plan_project() as (project, variables, bash):
            approver = Switching([PermissionAnswer(True, remember)])
            write = {"file_path": "made", "content": "x"}
            go = call(name, write if name == "Write" else {"command": "touch made"})
            before = state(project)
            async with opened(
                project,
                go,
                go,
                "done",
                tools=tools(bash),
                approver=approver,
                variables=variables,
                trust_project=True,
            ) as o:
                approver.opened = o
                await o.session.run("go")
                assert len(approver.asked) == 1
                assert errors(o) == [ErrorKind.DENIED] * 2
                assert state(project) == before
                assert o.session.parts.gate.engine.rules.allow == ()

    run(scenario)


class Further(Foreign):
    """Allowed as it begins; while it runs it asks about a file to write."""

    def subjects(self, args: Any, scope: Any) -> Sequence[Subject]:
        return (Subject(SubjectKind.COMMAND, "go", display="go"),)

    async def run(self, args: Any, context: Any) -> Any:
        made = Subject(SubjectKind.WRITE, str(context.scope.root / "made"), display="made")
        refused = await context.judge(made)
        if refused is None:
            return self.write(args, context)
        return Result.say(refused.text, error=refused.kind)


def test_a_question_of_a_running_call_is_judged_again_too() -> None:
    async def scenario() -> None:
        with temporary_project(FILES) as project:
            approver = Switching([True])
            before = state(project)
            async with opened(
                project,
                call("Further", {"text": "x"}),
                "done",
                tools=[Further("Further", in_plan=False)],
                approver=approver,
                extra_rules={"allow": ("Bash(go)",)},
            ) as o:
                approver.opened = o
                await o.session.run("go")
                (result,) = [r for turn in o.session.view.turns for r in turn.results]
                assert result.error is ErrorKind.DENIED
                assert result.text.startswith("it is denied by now: plan mode changes nothing")
                assert state(project) == before

    run(scenario)


class Meddler:
    """An interceptor that replaces arguments, or switches the mode at the second call."""

    name = "meddler"
    opened: Opened

    def __init__(
        self, arguments: dict[str, Any] | None = None, mode: PermissionMode = PLAN
    ) -> None:
        self.arguments = arguments
        self.mode = mode
        self.seen = 0

    async def before_prompt(self, text: str) -> Intervention:
        return Intervention()

    async def before_call(self, call: Any, arguments: Any) -> Intervention:
        self.seen += 1
        if self.seen == 2 and self.arguments is None:
            self.opened.session.mode = self.mode
        return Intervention(arguments=self.arguments)

    async def after_call(self, call: Any, result: Any) -> Intervention:
        return Intervention()

    async def before_compact(self, reason: str) -> Intervention:
        return Intervention()

    async def on_stop(self, reason: str) -> Intervention:
        return Intervention()


def test_arguments_that_an_interceptor_puts_in_place_are_judged() -> None:
    async def scenario() -> None:
        with plan_project() as (project, variables, bash):
            before = state(project)
            async with opened(
                project,
                call("Bash", {"command": "ls"}),
                "done",
                tools=tools(bash),
                variables=variables,
                more={"interceptors": [Meddler({"command": "touch made"})]},
                permission_mode="plan",
            ) as o:
                await o.session.run("go")
                assert errors(o) == [ErrorKind.DENIED]
                assert state(project) == before

    run(scenario)


class Side(Foreign):
    """Writes in the project; auto mode allows it, and side by side."""

    parallel_safe = True

    def subjects(self, args: Any, scope: Any) -> Sequence[Subject]:
        return (Subject(SubjectKind.WRITE, str(scope.root / "made"), display="made"),)


@pytest.mark.parametrize(
    ("mode", "error"),
    [(PLAN, ErrorKind.DENIED), (PermissionMode.DEFAULT, ErrorKind.NO_CONSENT)],
)
def test_calls_that_were_judged_before_the_switch_are_judged_again(
    mode: PermissionMode, error: ErrorKind
) -> None:
    async def scenario() -> None:
        meddler = Meddler(mode=mode)
        with temporary_project(FILES) as project:
            before = state(project)
            tool = Side("Side", in_plan=False)
            tool.parallel_safe = True
            both = tuple(call("Side", {"text": "x"}, id=str(n)) for n in range(2))
            async with opened(
                project,
                Reply(both, StopReason.TOOL_USE),
                "done",
                tools=[tool],
                more={"interceptors": [meddler]},
                permission_mode="auto",
            ) as o:
                meddler.opened = o
                await o.session.run("go")
                assert errors(o) == [error] * 2
                assert state(project) == before

    run(scenario)


def test_tools_are_offered_again_when_plan_mode_is_left() -> None:
    async def scenario() -> None:
        with temporary_project(FILES) as project:
            write = call("Write", {"file_path": "made", "content": "x"})
            made: list[Any] = [PlanWrite(Copies())]
            async with opened(
                project, write, "a", write, "b", tools=made, permission_mode="plan"
            ) as o:
                await o.session.run("one")
                (result,) = [r for turn in o.session.view.turns for r in turn.results]
                assert result.text == (
                    "Write was not run: it is not offered in plan mode, which changes nothing. "
                    "Put it into the plan; the user can leave plan mode."
                )
                o.session.mode = PermissionMode.AUTO
                await o.session.run("two")
                offered = [
                    [tool.name for tool in request.view.prefix.tools]
                    for request in o.provider.requests
                ]
                assert offered == [[], [], ["Write"], ["Write"]]
                assert project.read("made") == "x"

    run(scenario)


COMMAND = SubjectKind.COMMAND


@pytest.mark.parametrize(
    ("subjects", "proved"),
    [
        ((), False),
        ((read("/a"),), False),  # the tool may do more than it names
        ((Subject(COMMAND, "ls", read_only=True),), True),
        ((Subject(COMMAND, "ls", read_only=True), read("/a")), True),
        ((Subject(COMMAND, "cd x", inert=True),), True),
        ((Subject(COMMAND, "ls", read_only=True, dynamic=True),), False),
        ((Subject(COMMAND, "ls", read_only=True), Subject(COMMAND, "rm")), False),
        ((Subject(COMMAND, "ls", read_only=True), Subject(SubjectKind.WRITE, "/a")), False),
        ((Subject(SubjectKind.MCP, "a__b"),), False),
    ],
)
def test_which_calls_are_proved_to_change_nothing(
    subjects: tuple[Subject, ...], proved: bool
) -> None:
    assert changes_nothing(subjects) is proved


def test_the_stubs_would_tell() -> None:
    """Without plan mode the same commands leave marks: the test above can fail."""

    async def scenario() -> None:
        with plan_project() as (project, variables, bash):
            before = state(project)
            async with opened(
                project,
                call("Bash", {"command": "cat notes.txt | tee made"}),
                "done",
                tools=tools(bash),
                variables=variables,
                permission_mode="bypass",
            ) as o:
                await o.session.run("go")
                assert errors(o) == [None]
                assert set(state(project)) - set(before) == {"project/ran-tee"}

    run(scenario)
