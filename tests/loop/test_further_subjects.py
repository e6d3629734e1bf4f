"""A running call asks about one thing more: rules, mode and user answer as before a call."""

from __future__ import annotations

from typing import Any

import pytest

from harness import FakeTool, opened, run
from turnloop_core.api import url_subject
from turnloop_core.testing.fakes import ScriptedApprover, call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.results import Result

GO = call("Say", {"text": "go"})


async def look(args: Any, context: Any) -> Result:
    return Result.say(await context.judge(url_subject("https://b.example/admin")) or "may")


@pytest.mark.parametrize(
    ("rules", "answers", "interactive", "said"),
    [
        ({"allow": ("WebFetch(https://b.example/*)",)}, (), False, "may"),
        ({"deny": ("WebFetch(https://b.example/admin)",)}, (True,), True, "it is denied: "),
        ({}, (True,), True, "may"),
        ({}, (False,), True, "The user declined"),
        ({}, (), False, "needs consent and nobody is there"),
    ],
)
def test_one_thing_more(
    rules: dict[str, tuple[str, ...]], answers: tuple[bool, ...], interactive: bool, said: str
) -> None:
    async def scenario() -> None:
        approver = ScriptedApprover(answers, interactive=interactive)
        with temporary_project() as project:
            tools = [FakeTool(behaviour=look)]
            async with opened(
                project, GO, "ok", tools=tools, approver=approver, extra_rules=rules
            ) as o:
                await o.session.run("go")
                (turn, _) = o.session.view.turns
                assert turn.results[0].text.startswith(said) or said in turn.results[0].text
                asked = [question.summary for question in approver.asked]
                assert asked == (["Say(https://b.example/admin)"] if answers and not rules else [])

    run(scenario)
