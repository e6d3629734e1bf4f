"""Calls of a reply: understood, run, and answered, whatever they are."""

from __future__ import annotations

import pytest

from harness import FakeTool, opened, run
from turnloop_core.log.reader import read_log
from turnloop_core.testing.fakes import call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.content import Call, Text
from turnloop_core.types.deltas import CallArguments, CallStart, End, TextDelta
from turnloop_core.types.events import RunEnd
from turnloop_core.types.items import Reply, StopReason
from turnloop_core.types.results import ErrorKind, Result


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("Say", '{"text": "x"', ErrorKind.TRUNCATED_ARGUMENTS),
        ("Say", '{"text": "x', ErrorKind.TRUNCATED_ARGUMENTS),
        ("Say", "{text: 1}", ErrorKind.MALFORMED_ARGUMENTS),
        ("Say", "[1]", ErrorKind.MALFORMED_ARGUMENTS),
        ("Say", '{"text": NaN}', ErrorKind.MALFORMED_ARGUMENTS),
        ("Say", '{"text": ' + "[" * 100_000, ErrorKind.MALFORMED_ARGUMENTS),
        ("Say", "", ErrorKind.SCHEMA_VIOLATION),
        ("Say", '{"text": 1}', ErrorKind.SCHEMA_VIOLATION),
        ("Say", '{"text": "x", "loud": true}', ErrorKind.SCHEMA_VIOLATION),
        ("Shout", '{"text": "x"}', ErrorKind.UNKNOWN_TOOL),
        ("", "{}", ErrorKind.UNKNOWN_TOOL),
    ],
)
def test_a_broken_call_gets_a_result_that_says_why(name, arguments, kind) -> None:
    async def scenario() -> None:
        say = FakeTool()
        with temporary_project() as project:
            async with opened(project, call(name, arguments, id="c"), "sorry", tools=[say]) as o:
                outcome = await o.session.run("go")
                turn = next(o.session.view.turns)
                assert [r.error for r in turn.results] == [kind]
                assert "othing was run" in turn.results[0].text
                assert say.ran == []
                assert outcome.end is RunEnd.DONE

    run(scenario)


def test_a_name_in_another_case_is_accepted_and_counted() -> None:
    async def scenario() -> None:
        say = FakeTool()
        with temporary_project() as project:
            async with opened(project, call("sAY", {"text": "x"}), "ok", tools=[say]) as o:
                await o.session.run("go")
                assert len(say.ran) == 1
                path = o.session.log_path
            marks = [r.body for r in read_log(path).records if r.body.kind == "call"]
            assert [mark.corrected for mark in marks] == [True]

    run(scenario)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RuntimeError("no"), ErrorKind.EXCEPTION),
        (GeneratorExit(), ErrorKind.EXCEPTION),
        (SystemExit(3), ErrorKind.EXCEPTION),
        (BaseException("odd"), ErrorKind.EXCEPTION),
        (TimeoutError("5 s"), ErrorKind.TIMEOUT),
        (PermissionError(13, "Permission denied", "x"), ErrorKind.TOOL_ERROR),
        (KeyError("x"), ErrorKind.EXCEPTION),
    ],
)
def test_a_tool_that_raises_gives_a_result(error, kind) -> None:
    def behaviour(args, context):
        raise error

    async def scenario() -> None:
        with temporary_project() as project:
            tools = [FakeTool(behaviour=behaviour)]
            async with opened(project, call("Say", {"text": "x"}), "ok", tools=tools) as o:
                outcome = await o.session.run("go")
                assert [r.error for r in next(o.session.view.turns).results] == [kind]
                assert outcome.end is RunEnd.DONE

    run(scenario)


def test_a_tool_that_gives_nonsense_or_nothing_gives_a_result() -> None:
    async def scenario() -> None:
        tools = [
            FakeTool("Say", lambda args, context: None),
            FakeTool("Mute", lambda args, context: Result(())),
        ]
        with temporary_project() as project:
            calls = (call("Say", {"text": "x"}), call("Mute", {"text": "x"}))
            reply = Reply(calls, StopReason.TOOL_USE)
            async with opened(project, reply, "ok", tools=tools) as o:
                await o.session.run("go")
                results = next(o.session.view.turns).results
                assert [r.error for r in results] == [ErrorKind.EXCEPTION, None]
                assert results[1].text == "(no output)"

    run(scenario)


def test_parallel_safe_calls_run_side_by_side_and_keep_their_order() -> None:
    import anyio

    async def scenario() -> None:
        arrived: list[str] = []
        all_there = anyio.Event()

        async def meet(args, context):
            arrived.append(args.text)
            if len(arrived) == 3:
                all_there.set()
            await all_there.wait()  # would hang if they ran one after the other
            return Result.say(args.text)

        tools = [FakeTool(behaviour=meet, parallel_safe=True)]
        calls = tuple(call("Say", {"text": t}, id=t) for t in "abc")
        with temporary_project() as project:
            reply = Reply(calls, StopReason.TOOL_USE)
            async with opened(project, reply, "ok", tools=tools) as o:
                await o.session.run("go")
                assert [r.text for r in next(o.session.view.turns).results] == ["a", "b", "c"]

    run(scenario)


def test_calls_that_are_not_parallel_safe_run_one_after_the_other() -> None:
    import anyio

    async def scenario() -> None:
        running = 0
        most = 0

        async def count(args, context):
            nonlocal running, most
            running += 1
            most = max(most, running)
            await anyio.lowlevel.checkpoint()
            running -= 1
            return Result.say("x")

        tools = [FakeTool("Say", count, parallel_safe=True), FakeTool("Write", count)]
        calls = (call("Say", {"text": "a"}), call("Write", {"text": "b"}))
        with temporary_project() as project:
            reply = Reply(calls, StopReason.TOOL_USE)
            async with opened(project, reply, "ok", tools=tools) as o:
                await o.session.run("go")
                assert most == 1

    run(scenario)


def test_calls_without_an_id_or_with_the_same_get_ids_of_their_own() -> None:
    stream = (
        CallStart("a", "Say", ""),
        CallArguments("a", '{"text":"1"}'),
        CallStart("b", "Say", "same"),
        CallArguments("b", '{"text":"2"}'),
        CallStart("c", "Say", "same"),
        CallArguments("c", '{"text":"3"}'),
        End(StopReason.END_TURN),
    )

    async def scenario() -> None:
        say = FakeTool()
        with temporary_project() as project:
            async with opened(project, stream, stream, "ok", tools=[say]) as o:
                await o.session.run("go")
                assert [a.text for a in say.ran] == ["1", "2", "3"] * 2
                ids = [c.id for t in o.session.view.turns for c in t.reply.calls]
                made = [i for i in ids if i != "same"]
                assert len(set(made)) == 4

    run(scenario)


def test_blank_blocks_are_left_out_of_a_reply() -> None:
    reply = (
        TextDelta("  \n", "1"),
        CallStart("c", "Say", "c"),
        CallArguments("c", '{"text":"x"}'),
        TextDelta("", "2"),
        End(StopReason.TOOL_USE),
    )

    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, reply, "ok", tools=[FakeTool()]) as o:
                await o.session.run("go")
                turn = next(o.session.view.turns)
                assert turn.reply.blocks == (Call("c", "Say", '{"text":"x"}'),)
                assert Text("ok") in [b for t in o.session.view.turns for b in t.reply.blocks]

    run(scenario)


def test_an_argument_of_another_name_is_told_the_right_one() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            wrong = call("Say", {"text": "x", "time": 2})
            async with opened(project, wrong, "ok", tools=[FakeTool()]) as o:
                await o.session.run("go")
                (turn, _) = o.session.view.turns
                assert "time is not an argument of this tool: use times" in turn.results[0].text

    run(scenario)
