"""A running call asks about one thing more: rules, mode and user answer as before a call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from harness import FakeTool, Opened, opened, run
from turnloop_core.api import PermissionAnswer, Refusal, Reply, StopReason, Subject, url_subject
from turnloop_core.testing.fakes import ScriptedApprover, call
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.types.results import ErrorKind, Result

GO = call("Say", {"text": "go"})
ADMIN = url_subject("https://b.example/admin")

Rules = dict[str, tuple[str, ...]]


def told(refused: Refusal | None) -> Result:
    if refused is None:
        return Result.say("may")
    return Result.say(f"Not seen: {refused.text}", display=refused.display, error=refused.kind)


async def look(args: Any, context: Any) -> Result:
    return told(await context.judge(ADMIN))


def going(
    check: Callable[[Project, Opened], Awaitable[None]],
    *replies: Any,
    tool: FakeTool,
    approver: ScriptedApprover,
    rules: Rules,
) -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(
                project, *replies, tools=[tool], approver=approver, extra_rules=rules
            ) as o:
                await check(project, o)

    run(scenario)


@pytest.mark.parametrize(
    ("rules", "answers", "interactive", "error", "said", "shown"),
    [
        ({"allow": ("WebFetch(https://b.example/*)",)}, (), False, None, "may", None),
        (
            {"deny": ("WebFetch(https://b.example/admin)",)},
            (True,),
            True,
            ErrorKind.DENIED,
            "Not seen: it is denied: fetching https://b.example/admin is denied by rule ",
            "fetching https://b.example/admin is denied by rule ",
        ),
        ({}, (True,), True, None, "may", None),
        (
            {},
            (False,),
            True,
            ErrorKind.DECLINED,
            "Not seen: the user declined it. Do not try the same in another form: ",
            "declined",
        ),
        (
            {},
            (),
            False,
            ErrorKind.NO_CONSENT,
            "Not seen: it needs consent and nobody is there to give it (fetching https://b.",
            "nobody was there to consent; a rule that allows it: WebFetch(https://b.example/*)",
        ),
    ],
)
def test_one_thing_more(
    rules: Rules,
    answers: tuple[bool, ...],
    interactive: bool,
    error: ErrorKind | None,
    said: str,
    shown: str | None,
) -> None:
    approver = ScriptedApprover(answers, interactive=interactive)

    async def check(project: Project, o: Opened) -> None:
        outcome = await o.session.run("go")
        (turn, _) = o.session.view.turns
        (result,) = turn.results
        assert result.error is error
        assert result.text.startswith(said)
        assert (result.display or "").startswith(shown or "")
        asked = [question.summary for question in approver.asked]
        assert asked == (["Say(https://b.example/admin)"] if answers and not rules else [])
        # Counted as calls are that never ran: the exit code of `tl -p` hangs on it.
        assert outcome.refused == (error is ErrorKind.NO_CONSENT)

    going(check, GO, "ok", tool=FakeTool(behaviour=look), approver=approver, rules=rules)


class Fetching(FakeTool):
    """A tool that is judged by an address, as the text of its arguments says."""

    def subjects(self, args: Any, scope: Any) -> tuple[Subject, ...]:
        return (url_subject(args.text),)


async def follow(args: Any, context: Any) -> Result:
    """Two hops, each taken for the same as the one before it."""
    (at,) = context.subjects
    for url in ("https://a.example/2", "https://a.example/3"):
        following = url_subject(url)
        refused = await context.judge(following, like=at)
        if refused:
            return told(refused)
        at = following
    return told(None)


@pytest.mark.parametrize(
    ("rules", "asked", "error"),
    [
        # The user consented to the first.
        ({}, ["/1"], None),
        ({"ask": ("WebFetch(https://a.example/*)",)}, ["/1"], None),
        # A rule allowed the first: nobody consented to anything yet.
        ({"allow": ("WebFetch(https://a.example/1)",)}, ["/2"], None),
        # Another rule speaks of the second.
        ({"ask": ("WebFetch(https://a.example/2)",)}, ["/1", "/2"], None),
        ({"deny": ("WebFetch(https://a.example/3)",)}, ["/1"], ErrorKind.DENIED),
    ],
)
def test_what_is_like_something_consented_to_is_not_asked_again(
    rules: Rules, asked: list[str], error: ErrorKind | None
) -> None:
    approver = ScriptedApprover((True, True, True))

    async def check(project: Project, o: Opened) -> None:
        await o.session.run("go")
        (turn, _) = o.session.view.turns
        assert turn.results[0].error is error
        shown = [question.summary for question in approver.asked]
        assert shown == [f"Say(https://a.example{path})" for path in asked]

    first = call("Say", {"text": "https://a.example/1"})
    going(check, first, "ok", tool=Fetching(behaviour=follow), approver=approver, rules=rules)


def test_calls_side_by_side_ask_once_for_the_same() -> None:
    approver = ScriptedApprover((PermissionAnswer(True, "session"), False))
    calls = tuple(call("Say", {"text": text}, id=text) for text in "ab")

    async def check(project: Project, o: Opened) -> None:
        await o.session.run("go")
        assert [result.text for result in next(iter(o.session.view.turns)).results] == [
            "may",
            "may",
        ]
        assert len(approver.asked) == 1

    tool = FakeTool(behaviour=look, parallel_safe=True)
    reply = Reply(calls, StopReason.TOOL_USE)
    going(check, reply, "ok", tool=tool, approver=approver, rules={})


def test_consent_holds_for_its_call_alone() -> None:
    approver = ScriptedApprover((True, True))

    async def check(project: Project, o: Opened) -> None:
        await o.session.run("go")
        assert len(approver.asked) == 2

    tool = FakeTool(behaviour=look)
    going(check, GO, GO, "ok", tool=tool, approver=approver, rules={})
