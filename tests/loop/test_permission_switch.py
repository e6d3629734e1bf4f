"""Another mode while a question stands: it is decided anew, and comes again only where it must."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from harness import FakeTool, Opened, opened, run
from turnloop_core.log.reader import read_log
from turnloop_core.log.records import CallRecord, QuestionRecord
from turnloop_core.ports.approver import PermissionAnswer, PermissionQuestion
from turnloop_core.testing.fakes import ScriptedApprover, call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.events import QuestionAnswered
from turnloop_core.types.results import Result
from turnloop_core.types.subjects import PermissionMode, Subject, SubjectKind, Verdict

DEFAULT, AUTO, PLAN = PermissionMode.DEFAULT, PermissionMode.AUTO, PermissionMode.PLAN


class Switching(ScriptedApprover):
    """Somebody who switches to one mode after the other, and answers what still stands then."""

    opened: Opened

    def __init__(self, *modes: PermissionMode, answers: Sequence[Any] = ()) -> None:
        super().__init__(answers)
        self._modes = list(modes)

    async def permission(self, question: PermissionQuestion) -> PermissionAnswer:
        if self._modes:
            self.asked.append(question)
            self.opened.session.mode = self._modes.pop(0)
            await anyio.sleep_forever()
        return await super().permission(question)


class Both(FakeTool):
    """Runs what no mode knows, and writes in the project."""

    def __init__(self) -> None:
        super().__init__(read_only=False)

    def subjects(self, args: Any, scope: Any) -> Sequence[Subject]:
        write = Subject(SubjectKind.WRITE, str(scope.root / "made"), display="made")
        command = Subject(SubjectKind.COMMAND, "ship", display="ship")
        return (write, command) if args.text == "both" else (write,)


class Seen:
    """What came of a call, with the modes that were switched to."""

    def __init__(self, text: str, approver: Switching, mode: str, tool: FakeTool | None = None):
        self.tool = tool or Both()
        self.approver = approver
        self.records: list[Any] = []
        self.results: list[Result] = []

        async def scenario() -> None:
            with temporary_project() as project:
                async with opened(
                    project,
                    call("Say", {"text": text}),
                    "ok",
                    tools=[self.tool],
                    approver=approver,
                    permission_mode=mode,
                ) as o:
                    approver.opened = o
                    await o.session.run("go")
                    self.records = [r.body for r in read_log(o.session.log_path).records]
                    self.results = [r for turn in o.session.view.turns for r in turn.results]
                    self.answered = [e.answer for e in o.observer.of(QuestionAnswered)]

        run(scenario)

    def of(self, kind: type) -> list[Any]:
        return [record for record in self.records if isinstance(record, kind)]


def test_what_the_new_mode_allows_runs_without_an_answer() -> None:
    seen = Seen("one", Switching(AUTO), "default")
    assert [result.ok for result in seen.results] == [True]
    assert [record.allowed_by for record in seen.of(CallRecord)] == ["mode auto"]
    wanted = QuestionRecord("permission", "Say(made)", "", outcome="dismissed", tool="Say")
    assert (seen.of(QuestionRecord), seen.answered) == ([wanted], [""])
    assert len(seen.approver.asked) == 1


def test_what_the_new_mode_denies_is_refused_without_an_answer() -> None:
    seen = Seen("one", Switching(PLAN, answers=[True]), "default")
    (result,) = seen.results
    assert result.text == (
        "Say was not run: it is denied by now: plan mode changes nothing: writing made has to "
        "wait. Put it into the plan; the user can leave plan mode."
    )
    assert result.display == "not run: plan mode changes nothing: writing made has to wait"
    assert (seen.tool.ran, len(seen.approver.asked)) == ([], 1)


def test_what_the_new_mode_asks_about_too_is_asked_as_it_is_then() -> None:
    seen = Seen("both", Switching(DEFAULT, answers=[PermissionAnswer(True, "session")]), "auto")
    before, after = seen.approver.asked
    assert (before.id, before.complaint) == (after.id, "")
    assert after.complaint == "the mode is default now"
    ask, allow = Verdict.ASK, Verdict.ALLOW
    assert [part.verdict for part in before.decision.parts] == [allow, ask]
    assert [part.verdict for part in after.decision.parts] == [ask, ask]
    assert before.proposals == (("Bash(ship)",),)
    assert after.proposals == (("Edit(made)", "Bash(ship)"),)
    (record,) = seen.of(QuestionRecord)
    assert (record.answer, record.rules) == ("yes", ("Edit(made)", "Bash(ship)"))
    assert [record.allowed_by for record in seen.of(CallRecord)] == ["user"]


def test_the_same_mode_leaves_a_question_as_it_is() -> None:
    class Same(Switching):
        async def permission(self, question: PermissionQuestion) -> PermissionAnswer:
            self.opened.session.mode = DEFAULT
            return await super().permission(question)

    seen = Seen("one", Same(answers=[True]), "default")
    assert [question.complaint for question in seen.approver.asked] == [""]
    assert [result.ok for result in seen.results] == [True]


def test_a_mode_that_changes_while_the_preview_is_made_counts() -> None:
    approver = Switching(answers=[True])

    class Looking(Both):
        def preview(self, args: Any, scope: Any) -> str:
            anyio.from_thread.run_sync(setattr, approver.opened.session, "mode", AUTO)
            return "+x"

    seen = Seen("one", approver, "default", Looking())
    assert [result.ok for result in seen.results] == [True]
    assert approver.asked == []


@pytest.mark.parametrize(("mode", "ok"), [(AUTO, True), (PLAN, False)])
def test_a_question_of_a_running_call_is_settled_too(mode: PermissionMode, ok: bool) -> None:
    class Further(FakeTool):
        async def run(self, args: Any, context: Any) -> Result:
            made = Subject(SubjectKind.WRITE, str(context.scope.root / "made"), display="made")
            refused = await context.judge(made)
            return Result.say(refused.text, error=refused.kind) if refused else Result.say("made")

    seen = Seen("x", Switching(mode), "default", Further())
    (result,) = seen.results
    denied = "it is denied by now: plan mode changes nothing: writing made has to wait"
    assert result.ok is ok
    assert result.text.startswith("made" if ok else denied)
    assert len(seen.approver.asked) == 1
