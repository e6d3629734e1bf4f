"""What comes of an answer: rules that are remembered, words for the model, previews."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from harness import FakeTool, Opened, opened, run
from turnloop_core.api import PermissionAnswer, Subject, SubjectKind
from turnloop_core.log.reader import read_log
from turnloop_core.log.records import QuestionRecord
from turnloop_core.testing.fakes import ScriptedApprover, call
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.types.codec import from_json
from turnloop_core.types.events import Notice, QuestionAsked
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.subjects import Verdict

SECRET = "sk-very-secret-value"


class Line(FakeTool):
    """A tool whose text is commands, one a word; it says what it would write."""

    shown = ""

    def __init__(self, **more: Any) -> None:
        super().__init__(subject=SubjectKind.COMMAND, read_only=False, **more)

    def subjects(self, args: Any, scope: Any) -> Sequence[Subject]:
        words = args.text.split()
        return tuple(Subject(SubjectKind.COMMAND, word, display=word) for word in words)

    def preview(self, args: Any, scope: Any) -> str:
        if self.shown == "boom":
            raise RuntimeError
        return self.shown


def going(
    check: Callable[[Project, Opened], Awaitable[None]],
    *texts: str,
    tool: FakeTool | None = None,
    approver: ScriptedApprover,
    **more: Any,
) -> None:
    async def scenario() -> None:
        replies = [call("Say", {"text": text}) for text in texts]
        with temporary_project() as project:
            async with opened(
                project, *replies, "ok", tools=[tool or Line()], approver=approver, **more
            ) as o:
                await o.session.run("go")
                await check(project, o)

    run(scenario)


def results(o: Opened) -> list[Result]:
    return [result for turn in o.session.view.turns for result in turn.results]


def questions(o: Opened) -> list[QuestionRecord]:
    found = [record.body for record in read_log(o.session.log_path).records]
    return [body for body in found if isinstance(body, QuestionRecord)]


def warned(o: Opened) -> list[str]:
    return [notice.text for notice in o.observer.of(Notice) if notice.level == "warning"]


def test_all_rules_of_an_answer_are_remembered_at_once() -> None:
    approver = ScriptedApprover([PermissionAnswer(True, "session")])

    async def check(project: Project, o: Opened) -> None:
        assert [q.proposals[0] for q in approver.asked] == [("Bash(make)", "Bash(ship)")]
        assert [result.ok for result in results(o)] == [True, True, True]
        wanted = QuestionRecord(
            "permission",
            "Say(make, ship)",
            "yes",
            tool="Say",
            rules=("Bash(make)", "Bash(ship)"),
        )
        assert questions(o) == [wanted]

    going(check, "make ship", "ship", "make", approver=approver)


def test_the_question_says_it_of_each_part() -> None:
    approver = ScriptedApprover([True])

    async def check(project: Project, o: Opened) -> None:
        (question,) = approver.asked
        said = [(part.verdict, part.rule) for part in question.decision.parts]
        assert said == [(Verdict.ALLOW, "Bash(ls)"), (Verdict.ASK, "")]
        assert question.proposals == (("Bash(make)",),)

    going(check, "ls make", approver=approver, extra_rules={"allow": ("Bash(ls)",)})


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (("Bash(",), "no closing parenthesis"),
        (("bash(make)",), "write Bash"),
        (("Bash(other)",), "Bash(other) does not make this question go away: running `make`"),
        (("Bash(make)", "Edit(["), "no closing parenthesis"),
    ],
)
def test_rules_that_would_not_do_are_not_taken(wrong: tuple[str, ...], told: str) -> None:
    right = PermissionAnswer(True, "session", ("Bash(ma*)",))
    approver = ScriptedApprover([PermissionAnswer(True, "session", wrong), right])

    async def check(project: Project, o: Opened) -> None:
        first, second = approver.asked
        assert (first.complaint, first.id) == ("", second.id)
        assert told in second.complaint
        assert [q.rules for q in questions(o)] == [("Bash(ma*)",)]
        assert [result.ok for result in results(o)] == [True, True]

    going(check, "make", "make", approver=approver)


def test_the_same_wrong_rule_twice_is_a_yes_that_is_not_remembered() -> None:
    approver = ScriptedApprover([PermissionAnswer(True, "always", ("Bash(other)",))])

    async def check(project: Project, o: Opened) -> None:
        assert len(approver.asked) == 4
        assert [q.rules for q in questions(o)] == [(), ()]
        assert [result.ok for result in results(o)] == [True, True]
        assert [text[:14] for text in warned(o)] == ["not remembered"] * 2
        assert not project.path(".turnloop").exists()

    going(check, "make", "make", approver=approver, trust_project=True)


def test_what_cannot_be_saved_runs_all_the_same_and_is_told() -> None:
    approver = ScriptedApprover([PermissionAnswer(True, "always")])

    class Blocking(Line):
        def subjects(self, args: Any, scope: Any) -> Sequence[Subject]:
            blocked = scope.root / ".turnloop"
            if not blocked.exists():
                blocked.write_text("in the way")
            return super().subjects(args, scope)

    async def check(project: Project, o: Opened) -> None:
        assert [result.ok for result in results(o)] == [True, True]
        assert len(approver.asked) == 1
        (told,) = [text for text in warned(o) if "this session only" in text]
        assert told.startswith("Bash(make) holds for this session only: ")

    going(check, "make", "make", tool=Blocking(), approver=approver, trust_project=True)


@pytest.mark.parametrize(
    ("layer", "file"),
    [("local", "settings.local.json"), ("project", "settings.json"), ("user", "settings.json")],
)
def test_always_is_saved_to_the_layer_that_was_picked(layer: Any, file: str) -> None:
    approver = ScriptedApprover([PermissionAnswer(True, "always", layer=layer)])

    async def check(project: Project, o: Opened) -> None:
        folder = project.home if layer == "user" else project.root
        saved = (folder / ".turnloop" / file).read_text()
        assert '"Bash(make)"' in saved

    going(check, "make", approver=approver, trust_project=True)


def test_a_rule_that_would_hold_a_key_is_not_proposed_and_nothing_shows_one() -> None:
    approver = ScriptedApprover([True])
    tool = Line()
    tool.shown = f"+{SECRET}"

    async def check(project: Project, o: Opened) -> None:
        (question,) = approver.asked
        assert question.proposals == ()
        assert SECRET not in repr(question)
        assert question.preview == "+[value of MY_KEY]"
        assert SECRET not in repr(o.observer.of(QuestionAsked))
        assert [args.text for args in tool.ran] == [f"use={SECRET}"]

    going(
        check,
        f"use={SECRET}",
        tool=tool,
        approver=approver,
        variables={"MY_KEY": SECRET},
        settings={"providers": {"other": {"kind": "scripted", "api_key_env": "MY_KEY"}}},
    )


@pytest.mark.parametrize(("shown", "preview"), [("+x", "+x"), ("boom", ""), (7, "")])
def test_a_preview_is_shown_and_one_that_fails_is_none(shown: Any, preview: str) -> None:
    approver = ScriptedApprover([True])
    tool = Line()
    tool.shown = shown

    async def check(project: Project, o: Opened) -> None:
        assert [q.preview for q in approver.asked] == [preview]
        assert results(o)[0].ok

    going(check, "make", tool=tool, approver=approver)


def test_a_preview_is_bounded() -> None:
    approver = ScriptedApprover([True])
    tool = Line()
    tool.shown = "+line\n" * 100_000

    async def check(project: Project, o: Opened) -> None:
        (question,) = approver.asked
        assert len(question.preview) < 61_000
        assert question.preview.endswith("(90,001 more lines)")

    going(check, "make", tool=tool, approver=approver)


def test_where_nothing_tells_of_a_call_its_arguments_are_shown() -> None:
    approver = ScriptedApprover([True])

    async def check(project: Project, o: Opened) -> None:
        assert [q.preview for q in approver.asked] == ['{\n  "text": "é"\n}']

    going(check, "é", tool=FakeTool(read_only=False), approver=approver)


def test_a_word_with_a_refusal_is_masked_and_bounded() -> None:
    comment = f"not with {SECRET} " + "x" * 5_000
    approver = ScriptedApprover([PermissionAnswer(False, comment=comment)])

    async def check(project: Project, o: Opened) -> None:
        (result,) = results(o)
        assert result.error is ErrorKind.DECLINED
        assert result.text.startswith(
            'Say was not run: the user declined it. The user says: "not with [value of MY_KEY] xxx'
        )
        assert result.text.endswith('…". Go by that, and do not try the same in another form.')
        assert len(result.text) < 2_000

    going(
        check,
        "make",
        approver=approver,
        variables={"MY_KEY": SECRET},
        settings={"providers": {"other": {"kind": "scripted", "api_key_env": "MY_KEY"}}},
    )


def test_a_denial_says_which_part_where_the_rule_stands_and_what_became_of_the_rest() -> None:
    async def check(project: Project, o: Opened) -> None:
        (result,) = results(o)
        assert result.error is ErrorKind.DENIED
        assert result.text == (
            "Say was not run: running `rm` is denied by rule Bash(rm) (command line). Do not look "
            "for another way to it: go on without it, or say why it is needed. Denied too: running "
            "`rmdir`. The other parts were not run either; by themselves they need no consent."
        )
        assert result.display == "not run: running `rm` is denied by rule Bash(rm) (command line)"

    rules = {"deny": ("Bash(rm)", "Bash(rmdir)"), "allow": ("Bash(ls)",)}
    going(check, "ls rm rmdir", approver=ScriptedApprover([True]), extra_rules=rules)


@pytest.mark.parametrize(
    ("text", "told", "shown"),
    [
        (
            "make",
            (
                "(running `make` needs consent in default mode). The user can allow it beforehand: "
                "Bash(make). Do what"
            ),
            "not run: nobody was there to consent; a rule that allows it: Bash(make)",
        ),
        (
            "ls make ship",
            (
                "(running `make` needs consent in default mode (and 1 more)). The user can allow "
                "it beforehand: Bash(make), Bash(ship). The other parts were not run either; by "
                "themselves they need no consent. Do what"
            ),
            "not run: nobody was there to consent; rules for it: Bash(make), Bash(ship)",
        ),
    ],
)
def test_with_nobody_there_the_rules_that_would_do_are_named(
    text: str, told: str, shown: str
) -> None:
    async def check(project: Project, o: Opened) -> None:
        (result,) = results(o)
        head = "Say was not run: it needs consent and nobody is there to give it "
        assert result.text.startswith(head + told)
        assert (result.error, result.display) == (ErrorKind.NO_CONSENT, shown)

    quiet = ScriptedApprover(interactive=False)
    going(check, text, approver=quiet, extra_rules={"allow": ("Bash(ls)",)})


def test_a_question_in_an_older_log_is_read() -> None:
    old = {"kind": "question", "what": "permission", "question": "Say(x)", "answer": "yes"}
    read = from_json(QuestionRecord, {**old, "rule": "Bash(x)", "tool": "Say"})
    assert read == QuestionRecord("permission", "Say(x)", "yes", rule="Bash(x)", tool="Say")


def test_a_remembered_tool_has_a_preview_only_where_the_tool_has_one() -> None:
    from turnloop_core.remembered import RememberedTool, Told

    def preview(tool: FakeTool) -> Any:
        remembered = RememberedTool("Say", Told(tool.descriptions, {}), lambda: tool)
        return getattr(remembered, "preview", None)

    tool = Line()
    for shown in ("+x", None):
        tool.shown = shown
        assert preview(tool)(None, None) == shown
    assert preview(FakeTool()) is None
