"""Runs from the prompt to the end: what becomes a turn, what the model is told, how it ends."""

from __future__ import annotations

import itertools

import pytest
from harness import FakeTool, opened, run

from turnloop_core.errors import (
    AuthError,
    ContextOverflowError,
    RetryableError,
    StreamCutError,
)
from turnloop_core.log.reader import read_log
from turnloop_core.log.view import fold
from turnloop_core.testing.fakes import Pause, ScriptedProvider, call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.content import Call, Reasoning, Text
from turnloop_core.types.deltas import CallArguments, CallStart, End, TextDelta
from turnloop_core.types.events import AttemptEnd, AttemptEnded, ReplyVoided, RunEnd
from turnloop_core.types.items import Nudge, Prompt, Reply, StopReason, Turn
from turnloop_core.types.results import ErrorKind, Result

CUT_CALL = (
    TextDelta("I write it. ", "t"),
    CallStart("c", "Say", "c1"),
    CallArguments("c", '{"text": "half'),
    End(StopReason.MAX_TOKENS, raw_stop="length"),
)


def kinds(session) -> list[str]:
    return [item.kind for item in session.view.items]


def ends(observer) -> list[AttemptEnd]:
    return [event.end for event in observer.of(AttemptEnded)]


def test_a_text_answers_the_prompt() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, "Hello.") as o:
                outcome = await o.session.run("Hi")
                assert (outcome.end, outcome.text, outcome.exit_code) == (RunEnd.DONE, "Hello.", 0)
                assert kinds(o.session) == ["prompt", "turn"]
                events = o.observer.kinds
                assert events[0] == "run_started"
                assert events[-1] == "run_ended"
                assert events.count("attempt_started") == events.count("attempt_ended") == 1

    run(scenario)


def test_calls_run_and_their_results_go_back() -> None:
    async def scenario() -> None:
        say = FakeTool()
        with temporary_project() as project:
            async with opened(project, call("Say", {"text": "one"}), "done", tools=[say]) as o:
                outcome = await o.session.run("go")
                assert outcome.end is RunEnd.DONE
                assert [args.text for args in say.ran] == ["one"]
                turn = o.provider.requests[1].view.items[1]
                assert isinstance(turn, Turn)
                assert [result.text for result in turn.results] == ["one"]

    run(scenario)


def test_what_was_sent_stays_as_it_was() -> None:
    async def scenario() -> None:
        say = FakeTool()
        replies = [call("Say", {"text": str(n)}) for n in range(5)]
        with temporary_project() as project:
            async with opened(project, *replies, "done", tools=[say]) as o:
                await o.session.run("go")
                requests = o.provider.requests
                for before, after in itertools.pairwise(requests):
                    kept = after.view.items[: len(before.view.items)]
                    same = zip(kept, before.view.items, strict=True)
                    assert all(mine is yours for mine, yours in same)
                    assert after.view.prefix is before.view.prefix

    run(scenario)


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


def test_a_call_cut_by_the_output_limit_never_runs_and_the_model_is_told_once() -> None:
    async def scenario() -> None:
        say = FakeTool()
        with temporary_project() as project:
            async with opened(project, CUT_CALL, "in parts then", tools=[say]) as o:
                outcome = await o.session.run("go")
                assert say.ran == []
                assert kinds(o.session) == ["prompt", "nudge", "turn"]
                nudge = o.session.view.items[1]
                assert isinstance(nudge, Nudge)
                assert "8,192" in nudge.text and "smaller parts" in nudge.text
                assert ends(o.observer) == [AttemptEnd.CUT_CALL, AttemptEnd.TURN]
                assert outcome.end is RunEnd.DONE
                assert o.observer.of(ReplyVoided)
                log = o.session.log_path.read_text()
                assert "I write it." in log  # on record, though not in the view
                assert "half" not in str(o.session.view)

    run(scenario)


def test_two_calls_cut_in_a_row_halt_the_run() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, CUT_CALL, CUT_CALL, tools=[FakeTool()]) as o:
                outcome = await o.session.run("go")
                assert outcome.end is RunEnd.HALTED
                assert "output limit" in outcome.reason
                assert outcome.exit_code == 1

    run(scenario)


def test_text_cut_by_the_output_limit_is_a_turn_and_goes_on() -> None:
    cut = (TextDelta("first half "), End(StopReason.MAX_TOKENS))

    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, cut, cut, "the end") as o:
                outcome = await o.session.run("go")
                assert kinds(o.session) == ["prompt", "turn", "nudge", "turn", "nudge", "turn"]
                assert [t.reply.cut for t in o.session.view.turns] == [True, True, False]
                assert outcome.end is RunEnd.DONE

    run(scenario)


@pytest.mark.parametrize(
    "cut",
    [
        pytest.param((TextDelta("half"),), id="no ending mark"),
        pytest.param((TextDelta("half"), StreamCutError("gone", cause="dropped")), id="dropped"),
        pytest.param(
            (CallStart("c", "Say", "1"), CallArguments("c", '{"text":"x"}')),
            id="whole call, no end",
        ),
        pytest.param((TextDelta("half"), End(StopReason.ERROR)), id="error"),
        pytest.param((TextDelta("half"), End(StopReason.INCOMPLETE)), id="incomplete"),
    ],
)
def test_a_cut_stream_is_asked_again_and_leaves_nothing(cut) -> None:
    async def scenario() -> None:
        say = FakeTool()
        with temporary_project() as project:
            async with opened(project, cut, "whole", tools=[say]) as o:
                outcome = await o.session.run("go")
                assert outcome.end is RunEnd.DONE
                assert kinds(o.session) == ["prompt", "turn"]
                assert say.ran == []
                assert ends(o.observer) == [AttemptEnd.CUT_STREAM, AttemptEnd.TURN]

    run(scenario)


def test_streams_that_are_cut_again_and_again_halt_the_run() -> None:
    async def scenario() -> None:
        cut = (TextDelta("half"),)
        with temporary_project() as project:
            async with opened(project, cut, cut, cut) as o:
                outcome = await o.session.run("go")
                assert outcome.end is RunEnd.HALTED
                assert len(o.provider.requests) == 3

    run(scenario)


def test_an_empty_reply_is_asked_again_once_and_is_no_success() -> None:
    blank = Reply((Reasoning("hm"),), StopReason.END_TURN)

    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, blank, blank) as o:
                outcome = await o.session.run("go")
                assert outcome.end is RunEnd.HALTED
                assert kinds(o.session) == ["prompt", "nudge"]

    run(scenario)


def test_a_refusal_ends_the_run_and_its_calls_do_not_run() -> None:
    refused = (
        TextDelta("I cannot."),
        CallStart("c", "Say", "1"),
        CallArguments("c", '{"text":"x"}'),
        End(StopReason.REFUSAL, raw_stop="content_filter"),
    )

    async def scenario() -> None:
        say = FakeTool()
        with temporary_project() as project:
            async with opened(project, refused, tools=[say]) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.exit_code) == (RunEnd.HALTED, 1)
                assert "content_filter" in outcome.reason
                assert say.ran == []

    run(scenario)


@pytest.mark.parametrize(
    ("error", "code"),
    [(AuthError("wrong key"), 5), (RetryableError("busy"), 5), (ContextOverflowError("long"), 1)],
)
def test_a_provider_fault_ends_the_run_with_its_exit_code(error, code) -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, error) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.exit_code) == (RunEnd.FAILED, code)
                assert outcome.error is error
                o.provider.add("better")
                assert (await o.session.run("again")).end is RunEnd.DONE

    run(scenario)


def test_a_request_that_is_too_long_is_made_smaller_within_the_same_attempt() -> None:
    async def scenario() -> None:
        say = FakeTool(behaviour=lambda args, context: Result.say("x" * 50_000))
        with temporary_project() as project:
            async with opened(
                project,
                call("Say", {"text": "a"}),
                ContextOverflowError("too long"),
                "fits",
                tools=[say],
            ) as o:
                outcome = await o.session.run("go")
                assert outcome.end is RunEnd.DONE
                assert outcome.attempts == 2
                result = next(o.session.view.turns).results[0]
                assert len(result.text) < 2_000
                assert "cut to make room" in result.text
                whole = fold(read_log(o.session.log_path).records)
                assert whole.view() == o.session.view

    run(scenario)


def test_a_request_that_would_not_fit_is_never_sent() -> None:
    async def scenario() -> None:
        small = Capabilities(max_context=10_000, max_output=1_000, known=True)
        say = FakeTool(behaviour=lambda args, context: Result.say("word " * 20_000))
        provider = ScriptedProvider(call("Say", {"text": "a"}), "ok", capabilities=small)
        with temporary_project() as project:
            async with opened(project, scripted=provider, tools=[say]) as o:
                assert (await o.session.run("go")).end is RunEnd.DONE
                sent = o.provider.requests[1].view
                assert len(next(sent.turns).results[0].text) < 3_000
                provider.add("never asked for")
                outcome = await o.session.run("word " * 20_000)
                assert (outcome.end, outcome.exit_code) == (RunEnd.FAILED, 1)
                assert "window" in outcome.reason
                assert len(provider.requests) == 2

    run(scenario)


def test_the_cap_stops_the_run_and_tells_the_model_why() -> None:
    async def scenario() -> None:
        replies = [call("Say", {"text": str(n)}) for n in range(3)]
        with temporary_project() as project:
            async with opened(project, *replies, tools=[FakeTool()], max_iterations=3) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.exit_code) == (RunEnd.LIMIT, 3)
                last = o.session.view.items[-1]
                assert isinstance(last, Nudge) and "3 attempts" in last.text
                o.provider.add("as you say")
                assert (await o.session.run("go on")).end is RunEnd.DONE
                assert o.provider.requests[-1].view.items[-2] is last

    run(scenario)


def test_steering_joins_the_run_between_two_turns() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            holder = []

            def behaviour(args, context):
                holder[0].session.steer("rather in French")
                return Result.say("x")

            tools = [FakeTool(behaviour=behaviour)]
            async with opened(project, call("Say", {"text": "a"}), "oui", tools=tools) as o:
                holder.append(o)
                await o.session.run("go")
                assert kinds(o.session) == ["prompt", "turn", "prompt", "turn"]
                steered = o.session.view.items[2]
                assert isinstance(steered, Prompt) and steered.steering
                assert o.session.queued == ()

    run(scenario)


def test_what_is_said_during_the_last_turn_starts_a_run_of_its_own() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            provider = ScriptedProvider()
            async with opened(project, scripted=provider) as o:

                def late(request):
                    o.session.steer("one more thing")
                    return "first answer"

                provider.add(late, "second answer")
                outcome = await o.session.run("go")
                assert outcome.text == "second answer"
                prompts = [i for i in o.session.view.items if isinstance(i, Prompt)]
                assert [p.steering for p in prompts] == [False, False]

    run(scenario)


def test_an_interrupt_while_a_call_runs_leaves_a_legal_history() -> None:
    import anyio

    async def scenario() -> None:
        started = anyio.Event()

        async def hang(args, context):
            started.set()
            await anyio.sleep_forever()

        calls = tuple(call("Say", {"text": t}, id=t) for t in "abc")
        fast = FakeTool("Fast")
        with temporary_project() as project:
            reply = Reply((call("Fast", {"text": "f"}), *calls), StopReason.TOOL_USE)
            tools = [FakeTool(behaviour=hang), fast]
            async with opened(project, reply, "and on", tools=tools) as o:
                async with anyio.create_task_group() as group:

                    async def interrupt() -> None:
                        await started.wait()
                        o.session.interrupt()

                    group.start_soon(interrupt)
                    outcome = await o.session.run("go")
                assert (outcome.end, outcome.exit_code) == (RunEnd.INTERRUPTED, 130)
                turn = next(o.session.view.turns)
                assert [r.error for r in turn.results] == [
                    None,
                    ErrorKind.INTERRUPTED,
                    ErrorKind.NOT_RUN,
                    ErrorKind.NOT_RUN,
                ]
                assert ends(o.observer) == [AttemptEnd.INTERRUPTED]
                assert o.observer.kinds[-1] == "run_ended"
                assert (await o.session.run("go on")).end is RunEnd.DONE
                assert len(fast.ran) == 1

    run(scenario)


def test_an_interrupt_while_the_reply_streams_closes_the_stream() -> None:
    import anyio

    async def scenario() -> None:
        pause = Pause()
        with temporary_project() as project:
            async with opened(project, (TextDelta("half"), pause), "again") as o:
                async with anyio.create_task_group() as group:

                    async def interrupt() -> None:
                        await pause.reached()
                        o.session.interrupt()

                    group.start_soon(interrupt)
                    outcome = await o.session.run("go")
                assert outcome.end is RunEnd.INTERRUPTED
                assert o.provider.open_streams == 0
                assert kinds(o.session) == ["prompt"]
                assert (await o.session.run("go on")).text == "again"

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
