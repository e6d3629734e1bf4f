"""Judges, interceptors and observers within a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from harness import FakeTool, opened, run
from turnloop_core.ports.interceptor import NOTHING, Intervention
from turnloop_core.ports.judge import Done, Go, Halt, JudgeContext, Judgement, Nudge, RunSoFar
from turnloop_core.testing.fakes import call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.content import Call
from turnloop_core.types.events import Notice, RunEnd
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.subjects import SubjectKind

RUNS = "make it so"


def command_tool(name: str = "Say") -> FakeTool:
    return FakeTool(name, subject=SubjectKind.COMMAND, read_only=False)


def errors(session: Any) -> list[ErrorKind | None]:
    return [r.error for turn in session.view.turns for r in turn.results]


# --- judges ---------------------------------------------------------------------------------


@dataclass
class ScriptedJudge:
    name: str
    says: list[Judgement | Exception]
    seen: list[RunSoFar] = field(default_factory=list)

    async def judge(self, run: RunSoFar, context: JudgeContext) -> Judgement:
        self.seen.append(run)
        said = self.says.pop(0) if self.says else Go()
        if isinstance(said, Exception):
            raise said
        return said


def test_a_nudge_keeps_the_run_going_and_joins_the_results() -> None:
    async def scenario() -> None:
        judge = ScriptedJudge("j", [Nudge("look again")])
        with temporary_project() as project:
            async with opened(
                project,
                call("Say", {"text": "x"}),
                "ok",
                tools=[FakeTool()],
                more={"judges": [judge]},
            ) as o:
                await o.session.run("go")
                sent = [item.kind for item in o.provider.requests[1].view.items]
                assert sent == ["prompt", "turn", "nudge"]

    run(scenario)


@pytest.mark.parametrize(
    ("says", "end", "requests"),
    [
        ([Nudge("a"), Nudge("a")], RunEnd.HALTED, 2),  # the same word twice did not help
        ([Nudge("a"), Nudge("b")], RunEnd.DONE, 3),
        ([Halt("enough")], RunEnd.HALTED, 1),
        ([RuntimeError("broken")], RunEnd.DONE, 1),  # a broken judge is named, and has no say
        ([Done()], RunEnd.DONE, 1),
    ],
)
def test_judgements(says: list[Any], end: RunEnd, requests: int) -> None:
    async def scenario() -> None:
        judge = ScriptedJudge("j", list(says))
        broken = any(isinstance(s, Exception) for s in says)
        with temporary_project() as project:
            async with opened(project, "1", "2", "3", more={"judges": [judge]}) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, len(o.provider.requests)) == (end, requests)
                assert bool([n for n in o.observer.of(Notice) if "judge j" in n.text]) == broken

    run(scenario)


def test_a_halt_beats_a_nudge_beats_done() -> None:
    async def scenario() -> None:
        judges = [
            ScriptedJudge("a", [Nudge("more"), Nudge("again")]),
            ScriptedJudge("b", [Go(), Halt("stop")]),
        ]
        with temporary_project() as project:
            async with opened(project, "1", "2", more={"judges": judges}) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.reason) == (RunEnd.HALTED, "stop")
                assert len(o.provider.requests) == 2

    run(scenario)


# --- interceptors ---------------------------------------------------------------------------


@dataclass
class ScriptedInterceptor:
    name: str = "guard"
    prompt: Intervention | Exception = NOTHING
    call: Intervention | Exception = NOTHING
    result: Intervention | Exception = NOTHING
    stop: list[Intervention] = field(default_factory=list)

    async def before_prompt(self, text: str) -> Intervention:
        return self._say(self.prompt)

    async def before_call(self, call: Call, arguments: dict[str, Any]) -> Intervention:
        return self._say(self.call)

    async def after_call(self, call: Call, result: Result) -> Intervention:
        return self._say(self.result)

    async def before_compact(self, reason: str) -> Intervention:
        return NOTHING

    async def on_stop(self, reason: str) -> Intervention:
        return self.stop.pop(0) if self.stop else NOTHING

    @staticmethod
    def _say(what: Intervention | Exception) -> Intervention:
        if isinstance(what, Exception):
            raise what
        return what


@pytest.mark.parametrize("said", [Intervention(deny="not now"), RuntimeError("broken")])
def test_a_guard_that_denies_or_breaks_keeps_the_call_from_running(said: Any) -> None:
    async def scenario() -> None:
        say = FakeTool()
        with temporary_project() as project:
            async with opened(
                project,
                call("Say", {"text": "x"}),
                "ok",
                tools=[say],
                more={"interceptors": [ScriptedInterceptor(call=said)]},
            ) as o:
                await o.session.run("go")
                assert errors(o.session) == [ErrorKind.DENIED]
                assert say.ran == []

    run(scenario)


def test_replaced_arguments_are_validated_and_judged_again() -> None:
    async def scenario() -> None:
        say = command_tool()
        guard = ScriptedInterceptor(call=Intervention(arguments={"text": "rm -rf /"}))
        with temporary_project() as project:
            async with opened(
                project,
                call("Say", {"text": RUNS}),
                "ok",
                tools=[say],
                more={"interceptors": [guard]},
                extra_rules={"allow": (f"Bash({RUNS})",)},
            ) as o:
                await o.session.run("go")
                assert errors(o.session) == [ErrorKind.NO_CONSENT]
                assert say.ran == []

    run(scenario)


def test_text_can_be_added_to_prompts_and_results() -> None:
    async def scenario() -> None:
        guard = ScriptedInterceptor(
            prompt=Intervention(add_text="remember the tests"),
            result=Intervention(add_text="formatted afterwards"),
        )
        with temporary_project() as project:
            async with opened(
                project,
                call("Say", {"text": "x"}),
                "ok",
                tools=[FakeTool()],
                more={"interceptors": [guard]},
            ) as o:
                await o.session.run("go")
                prompt, turn, nudge = o.provider.requests[1].view.items
                assert "remember the tests" in str(prompt.blocks)
                assert turn.results[0].text == "x"
                assert nudge.text == "After Say: formatted afterwards"

    run(scenario)


def test_a_prompt_can_be_refused_and_a_stop_put_off() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            guard = ScriptedInterceptor(prompt=Intervention(deny="no prompts today"))
            async with opened(project, more={"interceptors": [guard]}) as o:
                outcome = await o.session.run("go")
                assert outcome.end is RunEnd.FAILED
                assert o.provider.requests == []
            guard = ScriptedInterceptor(stop=[Intervention(nudge="run the tests first")])
            async with opened(project, "done", "done now", more={"interceptors": [guard]}) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.text) == (RunEnd.DONE, "done now")

    run(scenario)


# --- observers ------------------------------------------------------------------------------


def test_an_observer_that_raises_is_named_once_and_left_alone() -> None:
    class Broken:
        name = "broken"

        def on_event(self, event: Any) -> None:
            raise RuntimeError("no")

        def status(self) -> str:
            return ""

        def exit_note(self) -> str:
            return ""

    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, "1", more={"observers": [Broken()]}) as o:
                outcome = await o.session.run("go")
                assert outcome.end is RunEnd.DONE
                assert len([n for n in o.observer.of(Notice) if "broken" in n.text]) == 1

    run(scenario)
