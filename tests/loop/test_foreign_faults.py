"""Faults of foreign code within a run: it is named, and the run goes on or ends in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pytest

from harness import FakeTool, interrupted, opened, run
from turnloop_core.log.reader import read_log
from turnloop_core.log.view import fold
from turnloop_core.ports.interceptor import NOTHING, Intervention
from turnloop_core.ports.tool import Scope, SourcedTool
from turnloop_core.testing.fakes import ScriptedApprover, call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.content import Text
from turnloop_core.types.events import CallProgress, CallStarted, Notice, ReplyVoided, RunEnd
from turnloop_core.types.items import Reply, StopReason
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.subjects import SubjectKind


def errors(session) -> list[ErrorKind | None]:
    return [r.error for turn in session.view.turns for r in turn.results]


@pytest.mark.parametrize(
    "result",
    [
        Result(("text",)),  # type: ignore[arg-type]
        Result([Text("x")]),  # type: ignore[arg-type]
        Result((Text(b"x"),)),  # type: ignore[arg-type]
        Result((Text("x"),), display=b"x"),  # type: ignore[arg-type]
        Result((Text("x"),), facts=({"kind": "read"},)),  # type: ignore[arg-type]
        Result((Text("x"),), error="tool_error"),  # type: ignore[arg-type]
    ],
)
def test_a_result_that_is_none_inside_is_an_error_and_reads_back_the_same(result) -> None:
    async def scenario() -> None:
        tools = [FakeTool(behaviour=lambda args, context: result)]
        with temporary_project() as project:
            async with opened(project, call("Say", {"text": "x"}), "ok", tools=tools) as o:
                await o.session.run("go")
                assert errors(o.session) == [ErrorKind.EXCEPTION]
                assert fold(read_log(o.session.log_path).records).view() == o.session.view

    run(scenario)


def test_a_tool_whose_own_task_was_cancelled_does_not_end_the_run() -> None:
    def behaviour(args, context):
        raise asyncio.CancelledError

    async def scenario() -> None:
        with temporary_project() as project:
            tools = [FakeTool(behaviour=behaviour)]
            async with opened(project, call("Say", {"text": "x"}), "ok", tools=tools) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, errors(o.session)) == (RunEnd.DONE, [ErrorKind.EXCEPTION])

    run(scenario)


def test_a_provider_that_raises_anything_ends_the_run_in_order() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, KeyError("choices"), "better") as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.exit_code) == (RunEnd.FAILED, 1)
                assert "scripted broke down: KeyError" in outcome.reason
                assert o.observer.kinds[-1] == "run_ended"
                assert (await o.session.run("again")).end is RunEnd.DONE

    run(scenario)


def test_arguments_that_break_the_tools_own_model_are_an_error() -> None:
    class Odd:
        def __init__(self, error: Exception) -> None:
            self.error = error

        def model_json_schema(self) -> dict[str, object]:
            return {"type": "object", "properties": {}}

        def model_validate(self, arguments: object) -> object:
            raise self.error

    async def scenario(error: Exception, kind: ErrorKind) -> None:
        with temporary_project() as project:
            tool = FakeTool()
            tool.arguments = Odd(error)  # type: ignore[assignment]
            async with opened(project, call("Say", {"text": "x"}), "ok", tools=[tool]) as o:
                await o.session.run("go")
                assert errors(o.session) == [kind]

    run(lambda: scenario(KeyError("x"), ErrorKind.EXCEPTION))
    run(lambda: scenario(ValueError("text is too short"), ErrorKind.SCHEMA_VIOLATION))


def test_an_interrupt_while_a_call_runs_voids_nothing_of_the_reply() -> None:
    async def scenario() -> None:
        started = anyio.Event()

        async def hang(args, context):
            started.set()
            await anyio.sleep_forever()

        with temporary_project() as project:
            reply = Reply((Text("I look."), call("Say", {"text": "x"})), StopReason.TOOL_USE)
            async with opened(project, reply, tools=[FakeTool(behaviour=hang)]) as o:
                await interrupted(o, started.wait)
                assert o.observer.of(ReplyVoided) == []
                records = read_log(o.session.log_path).records
                assert [r.body.partial for r in records if r.body.kind == "attempt"] == [""]

    run(scenario)


@dataclass
class Guard:
    """Denies a tool by its own name, and takes its time after a call."""

    name: str = "guard"
    denied: str = ""
    pause: bool = False
    reached: anyio.Event = field(default_factory=anyio.Event)

    async def before_prompt(self, text):
        return NOTHING

    async def before_call(self, call, arguments):
        return Intervention(deny="never") if call.name == self.denied else NOTHING

    async def after_call(self, call, result):
        if self.pause:
            self.reached.set()
            await anyio.sleep_forever()
        return NOTHING

    async def before_compact(self, reason):
        return NOTHING

    async def on_stop(self, reason):
        return NOTHING


def test_a_guard_knows_a_tool_by_its_own_name_however_it_was_written() -> None:
    async def scenario() -> None:
        say = FakeTool()
        with temporary_project() as project:
            async with opened(
                project,
                call("say", {"text": "x"}),
                "ok",
                tools=[say],
                more={"interceptors": [Guard(denied="Say")]},
            ) as o:
                await o.session.run("go")
                assert (errors(o.session), say.ran) == ([ErrorKind.DENIED], [])

    run(scenario)


def test_a_result_is_on_record_before_anything_else_happens() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            guard = Guard(pause=True)
            async with opened(
                project,
                call("Say", {"text": "kept"}),
                tools=[FakeTool()],
                more={"interceptors": [guard]},
            ) as o:
                await interrupted(o, guard.reached.wait)
                assert errors(o.session) == [None]
                assert next(o.session.view.turns).results[0].text == "kept"

    run(scenario)


def test_one_answer_for_the_session_settles_the_rest_of_a_batch() -> None:
    from turnloop_core.ports.approver import PermissionAnswer

    async def scenario() -> None:
        ask = FakeTool("Ask", subject=SubjectKind.COMMAND, read_only=False, parallel_safe=True)
        approver = ScriptedApprover([PermissionAnswer(True, "session")])
        calls = tuple(call("Ask", {"text": "same"}, id=str(n)) for n in range(3))
        with temporary_project() as project:
            reply = Reply(calls, StopReason.TOOL_USE)
            async with opened(project, reply, "ok", tools=[ask], approver=approver) as o:
                await o.session.run("go")
                assert (len(ask.ran), len(approver.asked)) == (3, 1)

    run(scenario)


def test_keys_are_masked_wherever_a_call_shows_them() -> None:
    secret = "sk-very-secret-value"

    async def scenario() -> None:
        async def behaviour(args, context):
            context.emit(CallProgress(context.call_id, f"live {secret}"))
            raise RuntimeError(secret)

        with temporary_project() as project:
            entry = {"kind": "scripted", "api_key_env": "MY_KEY"}
            async with opened(
                project,
                call("Say", {"text": "x"}),
                call("Say", {"text": secret, "bogus": 1}),
                "ok",
                tools=[FakeTool(behaviour=behaviour)],
                variables={"MY_KEY": secret},
                settings={"providers": {"other": entry}},
            ) as o:
                await o.session.run("go")
                shown = [e.text for e in o.observer.of(CallProgress)]
                assert shown and secret not in shown[0]
                results = [r for t in o.session.view.turns for r in t.results]
                assert len(results) == 2
                assert not any(secret in r.text for r in results)
                assert not any(secret in e.summary for e in o.observer.of(CallStarted))

    run(scenario)


def test_a_subscriber_that_raises_comes_out_as_itself() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            calls = tuple(call("Say", {"text": t}, id=t) for t in "ab")
            reply = Reply(calls, StopReason.TOOL_USE)
            tools = [FakeTool(parallel_safe=True)]
            with pytest.raises(BrokenPipeError):
                async with opened(project, reply, "ok", tools=tools) as o:

                    def broken(event):
                        if event.kind == "call_ended":
                            raise BrokenPipeError

                    o.session.subscribe(broken)
                    await o.session.run("go")

    run(scenario)


# --- sources of tools -------------------------------------------------------------------------


class Source:
    """A source with a task group inside, as protocol clients have."""

    def __init__(self, name: str, *tools: FakeTool, error: Exception | None = None) -> None:
        self.name = name
        self.tools = tools
        self.error = error
        self.closed = False

    @asynccontextmanager
    async def open(self, scope: Scope) -> AsyncIterator[Sequence[SourcedTool]]:
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.sleep_forever)
            if self.error is not None:
                group.cancel_scope.cancel()
                raise self.error
            try:
                yield [SourcedTool(tool, read_only=True) for tool in self.tools]
            finally:
                self.closed = True
                group.cancel_scope.cancel()


def test_sources_bring_tools_and_cannot_take_a_name_that_is_there() -> None:
    async def scenario() -> None:
        mine, theirs, other = FakeTool("Say"), FakeTool("Say"), FakeTool("Other")
        sources = [Source("one", theirs, other), Source("two", error=OSError("no such program"))]
        with temporary_project() as project:
            calls = (call("Say", {"text": "x"}), call("Other", {"text": "y"}))
            reply = Reply(calls, StopReason.TOOL_USE)
            more = {"tool_sources": sources}
            async with opened(project, reply, "ok", tools=[mine], more=more) as o:
                await o.session.run("go")
                assert errors(o.session) == [None, None]
                assert (len(mine.ran), len(theirs.ran), len(other.ran)) == (1, 0, 1)
                texts = " ".join(n.text for n in o.observer.of(Notice))
                assert "a tool called Say" in texts
                assert "two" in texts
            assert sources[0].closed

    run(scenario)


def test_a_rule_that_is_none_is_not_remembered_and_the_answer_holds() -> None:
    from turnloop_core.ports.approver import PermissionAnswer

    async def scenario() -> None:
        ask = FakeTool("Ask", subject=SubjectKind.COMMAND, read_only=False)
        approver = ScriptedApprover([PermissionAnswer(True, "session", rules=("Bash(",))])
        with temporary_project() as project:
            reply = call("Ask", {"text": "x"})
            async with opened(project, reply, "ok", tools=[ask], approver=approver) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, len(ask.ran)) == (RunEnd.DONE, 1)
                assert any("not remembered" in n.text for n in o.observer.of(Notice))

    run(scenario)


def test_an_answer_that_was_cut_is_given_whole() -> None:
    from turnloop_core.types.deltas import End, TextDelta

    cut = (TextDelta("one "), End(StopReason.MAX_TOKENS))

    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, cut, "two", "three") as o:
                assert (await o.session.run("go")).text == "one two"
                assert (await o.session.run("go")).text == "three"

    run(scenario)


def test_a_section_that_is_never_the_same_does_not_change_the_prefix() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, "1", "2") as o:
                await o.session.run("a")
                project.write("TURNLOOP.md", "New instructions.")  # read again at the next start
                await o.session.run("b")
                before, after = o.provider.requests
                assert before.view.prefix is after.view.prefix

    run(scenario)


def test_an_error_in_a_session_with_sources_comes_out_as_itself() -> None:
    from turnloop_core.errors import UsageError

    async def scenario() -> None:
        with temporary_project() as project:
            more = {"tool_sources": [Source("one", FakeTool("Other"))]}
            with pytest.raises(UsageError, match="mine"):
                async with opened(project, more=more):
                    raise UsageError("mine")

    run(scenario)


def test_what_begins_also_ends_when_a_question_is_interrupted() -> None:
    async def scenario() -> None:
        class Silent(ScriptedApprover):
            async def permission(self, question):
                asked.set()
                await anyio.sleep_forever()
                raise AssertionError

        asked = anyio.Event()
        ask = FakeTool("Ask", subject=SubjectKind.COMMAND, read_only=False)
        with temporary_project() as project:
            reply = call("Ask", {"text": "x"})
            async with opened(project, reply, tools=[ask], approver=Silent()) as o:
                outcome = await interrupted(o, asked.wait)
                assert outcome.end is RunEnd.INTERRUPTED
                assert o.observer.kinds.count("question") == o.observer.kinds.count("answer") == 1
                records = read_log(o.session.log_path).records
                outcomes = [r.body.outcome for r in records if r.body.kind == "question"]
                assert outcomes == ["dismissed"]
                assert errors(o.session) == [ErrorKind.NOT_RUN]

    run(scenario)
