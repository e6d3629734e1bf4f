"""Permission within a run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness import FakeTool, opened, run
from turnloop_core.ports.approver import PermissionAnswer
from turnloop_core.testing.fakes import ScriptedApprover, call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.edits import trim_marker
from turnloop_core.types.events import Notice, RunEnd
from turnloop_core.types.items import Reply, StopReason
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.subjects import SubjectKind, Verdict

RUNS = "make it so"


def command_tool(name: str = "Say") -> FakeTool:
    return FakeTool(name, subject=SubjectKind.COMMAND, read_only=False)


def errors(session: Any) -> list[ErrorKind | None]:
    return [r.error for turn in session.view.turns for r in turn.results]


def test_nobody_there_means_not_run_and_another_exit_code() -> None:
    async def scenario() -> None:
        say = command_tool()
        with temporary_project() as project:
            async with opened(project, call("Say", {"text": RUNS}), "ok", tools=[say]) as o:
                outcome = await o.session.run("go")
                assert errors(o.session) == [ErrorKind.NO_CONSENT]
                assert (outcome.end, outcome.refused, outcome.exit_code) == (RunEnd.DONE, 1, 4)
                assert say.ran == []

    run(scenario)


@pytest.mark.parametrize(
    ("answer", "error"),
    [(True, None), (False, ErrorKind.DECLINED)],
)
def test_the_user_decides(answer: bool, error: ErrorKind | None) -> None:
    async def scenario() -> None:
        say = command_tool()
        approver = ScriptedApprover([answer])
        with temporary_project() as project:
            async with opened(
                project, call("Say", {"text": RUNS}), "ok", tools=[say], approver=approver
            ) as o:
                outcome = await o.session.run("go")
                assert errors(o.session) == [error]
                assert len(say.ran) == int(answer)
                assert outcome.exit_code == 0
                assert [q.decision.verdict for q in approver.asked] == [Verdict.ASK]
                assert o.observer.kinds.count("question") == o.observer.kinds.count("answer") == 1

    run(scenario)


def test_a_word_with_a_refusal_reaches_the_model() -> None:
    async def scenario() -> None:
        approver = ScriptedApprover([PermissionAnswer(False, comment="use the other one")])
        with temporary_project() as project:
            tools = [command_tool()]
            async with opened(
                project, call("Say", {"text": RUNS}), "ok", tools=tools, approver=approver
            ) as o:
                await o.session.run("go")
                assert "use the other one" in next(o.session.view.turns).results[0].text

    run(scenario)


def test_an_answer_for_the_session_is_asked_for_once() -> None:
    async def scenario() -> None:
        say = command_tool()
        approver = ScriptedApprover([PermissionAnswer(True, "session")])
        replies = [call("Say", {"text": RUNS}) for _ in range(3)]
        with temporary_project() as project:
            async with opened(project, *replies, "ok", tools=[say], approver=approver) as o:
                await o.session.run("go")
                assert len(say.ran) == 3
                assert len(approver.asked) == 1
            assert not project.path(".turnloop").exists()

    run(scenario)


def test_an_answer_for_good_is_saved_where_the_next_session_finds_it() -> None:
    async def scenario() -> None:
        approver = ScriptedApprover([PermissionAnswer(True, "always")])
        reply = call("Say", {"text": RUNS})
        with temporary_project() as project:
            asking = {"tools": [command_tool()], "approver": approver, "trust_project": True}
            async with opened(project, reply, "ok", **asking) as o:
                await o.session.run("go")
            again = command_tool()
            async with opened(project, reply, "ok", tools=[again], trust_project=True) as o:
                await o.session.run("go")
                assert len(again.ran) == 1

    run(scenario)


def test_answers_for_good_add_up_and_carry_along_what_the_user_allows() -> None:
    async def scenario() -> None:
        approver = ScriptedApprover([PermissionAnswer(True, "always")])
        replies = [call("Say", {"text": text}) for text in ("first", "second")]
        with temporary_project() as project:
            folder = project.home / ".turnloop"
            folder.mkdir(exist_ok=True)
            mine = {"permissions": {"allow": ["Bash(mine)"]}}
            (folder / "settings.json").write_text(json.dumps(mine))
            asking = {"tools": [command_tool()], "approver": approver, "trust_project": True}
            async with opened(project, *replies, "ok", **asking) as o:
                await o.session.run("go")
            kept = json.loads(project.read(".turnloop/settings.local.json"))
            allowed = kept["permissions"]["allow"]
            assert allowed == ["Bash(mine)", "Bash(first)", "Bash(second)"]

    run(scenario)


@pytest.mark.parametrize("beside", [False, True])
def test_an_answer_for_good_is_not_kept_beside_rules_that_nobody_approved(beside: bool) -> None:
    async def scenario() -> None:
        say = command_tool()
        approver = ScriptedApprover([PermissionAnswer(True, "always")])
        replies = [call("Say", {"text": RUNS}) for _ in range(2)]
        with temporary_project() as project:
            path = project.path(".turnloop/settings.local.json")
            if beside:
                path.parent.mkdir()
                path.write_text('{"permissions": {"allow": ["Bash(theirs)"]}}')
            async with opened(project, *replies, "ok", tools=[say], approver=approver) as o:
                await o.session.run("go")
                assert (len(say.ran), len(approver.asked)) == (2, 1)
                told = [n.text for n in o.observer.of(Notice) if "this session only" in n.text]
                assert len(told) == beside
            assert ("theirs" in path.read_text(), RUNS in path.read_text()) == (beside, not beside)

    run(scenario)


def test_a_deny_rule_holds_in_bypass() -> None:
    async def scenario() -> None:
        say = command_tool()
        with temporary_project() as project:
            async with opened(
                project,
                call("Say", {"text": RUNS}),
                "ok",
                tools=[say],
                permission_mode="bypass",
                extra_rules={"deny": (f"Bash({RUNS})",)},
            ) as o:
                await o.session.run("go")
                assert errors(o.session) == [ErrorKind.DENIED]
                assert say.ran == []

    run(scenario)


def test_plan_mode_offers_only_what_changes_nothing() -> None:
    async def scenario() -> None:
        tools = [FakeTool("Look"), command_tool("Change")]
        with temporary_project() as project:
            async with opened(
                project, call("Change", {"text": "x"}), "ok", tools=tools, permission_mode="plan"
            ) as o:
                await o.session.run("go")
                offered = [tool.name for tool in o.provider.requests[0].view.prefix.tools]
                assert offered == ["Look"]
                assert errors(o.session) == [ErrorKind.DENIED]

    run(scenario)


def test_a_question_in_a_batch_makes_it_run_one_after_the_other() -> None:
    async def scenario() -> None:
        ask = FakeTool("Ask", subject=SubjectKind.COMMAND, read_only=False, parallel_safe=True)
        look = FakeTool("Look", parallel_safe=True)
        approver = ScriptedApprover([True])
        calls = (call("Look", {"text": "1"}), call("Ask", {"text": "2"}))
        with temporary_project() as project:
            reply = Reply(calls, StopReason.TOOL_USE)
            async with opened(project, reply, "ok", tools=[ask, look], approver=approver) as o:
                await o.session.run("go")
                assert errors(o.session) == [None, None]
                assert len(approver.asked) == 1

    run(scenario)


def test_a_path_that_was_not_judged_cannot_be_opened() -> None:
    from turnloop_core.permissions.paths import path_subject

    async def scenario() -> None:
        def behaviour(args, context):
            subject = path_subject("secret.txt", context.scope, SubjectKind.READ)
            return Result.say(context.open_checked(subject, "rb").read().decode())

        with temporary_project({"secret.txt": "s3cret"}) as project:
            tools = [FakeTool(behaviour=behaviour)]
            async with opened(project, call("Say", {"text": "x"}), "ok", tools=tools) as o:
                await o.session.run("go")
                assert errors(o.session) == [ErrorKind.DENIED]
                assert "s3cret" not in str(o.session.view)

    run(scenario)


def test_a_marker_of_trimmed_text_is_never_written_back() -> None:
    async def scenario() -> None:
        say = FakeTool(bulk_args=("text",), read_only=False)
        with temporary_project() as project:
            text = f"before {trim_marker(4_000, 'a.py')} after"
            async with opened(project, call("Say", {"text": text}), "ok", tools=[say]) as o:
                await o.session.run("go")
                assert errors(o.session) == [ErrorKind.TRIMMED_MARKER]
                assert say.ran == []

    run(scenario)


def test_key_values_are_masked_in_results() -> None:
    async def scenario() -> None:
        say = FakeTool(
            behaviour=lambda a, c: Result.say("key is sk-very-secret", display="sk-very-secret")
        )
        with temporary_project() as project:
            async with opened(
                project,
                call("Say", {"text": "x"}),
                "ok",
                tools=[say],
                variables={"MY_KEY": "sk-very-secret"},
                settings={"providers": {"other": {"kind": "scripted", "api_key_env": "MY_KEY"}}},
            ) as o:
                await o.session.run("go")
                assert "sk-very-secret" not in o.session.log_path.read_text()

    run(scenario)
