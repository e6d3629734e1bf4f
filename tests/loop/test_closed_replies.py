"""Replies that were closed early leave a history that every server takes."""

from __future__ import annotations

from typing import Any

import pytest

from harness import FakeTool, opened, run
from turnloop_core.errors import RejectedCallError
from turnloop_core.testing.fakes import ScriptedProvider, call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.content import Reasoning, Text
from turnloop_core.types.deltas import ReasoningDelta, TextDelta
from turnloop_core.types.events import RunEnd


@pytest.mark.parametrize(
    "closed",
    [
        pytest.param(
            (TextDelta(" \n", "t"), RejectedCallError("p: rejected (400)")),
            id="blank text, rejected",
        ),
        pytest.param((ReasoningDelta("x" * 40_000, "r"),), id="thoughts, cut"),
        pytest.param(tuple(TextDelta("no ", "t") for _ in range(5_000)), id="over and over"),
    ],
)
def test_a_reply_that_was_closed_leaves_no_blank_and_no_open_call(closed: Any) -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            settings = {"thinking_cap": 1_000}
            script = (call("Say", {"text": "x"}), closed, "done")
            async with opened(project, *script, tools=[FakeTool()], settings=settings) as o:
                assert (await o.session.run("go")).end is RunEnd.DONE
                for request in o.provider.requests:
                    for turn in request.view.turns:
                        assert len(turn.results) == len(turn.reply.calls)
                        assert all(
                            block.text.strip()
                            for block in turn.reply.blocks
                            if isinstance(block, (Text, Reasoning))
                        )
            again = ScriptedProvider("later")
            async with opened(project, scripted=again, tools=[FakeTool()], resume="") as o:
                assert (await o.session.run("go on")).text == "later"
                assert again.requests[0].view.items[:-1] == o.session.view.items[:-2]

    run(scenario)
