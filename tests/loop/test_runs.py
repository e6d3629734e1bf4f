"""Runs from the prompt to the end: how they go on, and how they end."""

from __future__ import annotations

import itertools

from harness import FakeTool, interrupted, opened, run
from turnloop_core.testing.fakes import Pause, ScriptedProvider, call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.deltas import TextDelta
from turnloop_core.types.events import AttemptEnd, AttemptEnded, Notice, RunEnd
from turnloop_core.types.items import NudgeItem, Prompt, Reply, StopReason, Turn
from turnloop_core.types.results import ErrorKind, Result


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


def test_the_cap_stops_the_run_and_tells_the_model_why() -> None:
    async def scenario() -> None:
        replies = [call("Say", {"text": str(n)}) for n in range(3)]
        with temporary_project() as project:
            async with opened(project, *replies, tools=[FakeTool()], max_iterations=3) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.exit_code) == (RunEnd.LIMIT, 3)
                last = o.session.view.items[-1]
                assert isinstance(last, NudgeItem) and "3 attempts" in last.text
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
                outcome = await interrupted(o, started.wait)
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

    async def scenario() -> None:
        pause = Pause()
        with temporary_project() as project:
            async with opened(project, (TextDelta("half"), pause), "again") as o:
                outcome = await interrupted(o, pause.reached)
                assert outcome.end is RunEnd.INTERRUPTED
                assert o.provider.open_streams == 0
                assert kinds(o.session) == ["prompt"]
                assert (await o.session.run("go on")).text == "again"

    run(scenario)


def test_a_line_that_steers_and_is_too_long_is_refused_and_the_run_goes_on() -> None:
    async def scenario() -> None:
        holder = []

        def behaviour(args, context):
            holder[0].session.steer("word " * 500_000)
            return Result.say("x")

        with temporary_project() as project:
            tools = [FakeTool(behaviour=behaviour)]
            async with opened(project, call("Say", {"text": "a"}), "done", tools=tools) as o:
                holder.append(o)
                outcome = await o.session.run("go")
                assert (outcome.end, kinds(o.session)) == (RunEnd.DONE, ["prompt", "turn", "turn"])
                assert any("tokens long" in n.text for n in o.observer.of(Notice))

    run(scenario)
