"""Replies that think beyond the cap: closed, and asked for again with less thinking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from harness import FakeTool, Opened, interrupted, opened, run
from loop.on_record import attempts
from turnloop_core.log.reader import read_log
from turnloop_core.log.view import fold
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.fakes import Pause, ScriptedProvider, call
from turnloop_core.testing.loopback import Answer, Gate, Loopback, chat_chunks, sse
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.transport.client import Transport
from turnloop_core.types.capabilities import Capabilities, ThinkingOff
from turnloop_core.types.content import Reasoning
from turnloop_core.types.deltas import (
    CallArguments,
    CallStart,
    End,
    OpaqueData,
    ReasoningDelta,
    Restart,
    TextDelta,
    UsageSoFar,
)
from turnloop_core.types.events import (
    AttemptEnd,
    AttemptEnded,
    ReplyVoided,
    RunEnd,
    TextShown,
    ThinkingReduced,
)
from turnloop_core.types.items import NudgeItem, Reply, StopReason
from turnloop_core.types.results import Result
from turnloop_core.types.usage import Usage
from turnloop_openai_compat.options import OpenAICompatOptions
from turnloop_openai_compat.provider import create

WORDS = [f"thought {n} of many, " for n in range(3_000)]
LONG: list[Any] = [ReasoningDelta(words, "r") for words in WORDS]  # far beyond 8,192 tokens
SHORT = [ReasoningDelta("Hm. ", "r")]


def thinker(*replies: Any, off: ThinkingOff = "flag") -> ScriptedProvider:
    can = Capabilities(
        max_context=200_000, max_output=8_192, reasoning=True, thinking_off=off, known=True
    )
    return ScriptedProvider(*replies, capabilities=can)


def asked(provider: ScriptedProvider) -> list[str]:
    return [request.thinking for request in provider.requests]


def ends(o: Opened) -> list[AttemptEnd]:
    return [event.end for event in o.observer.of(AttemptEnded)]


@pytest.mark.parametrize(("off", "less"), [("flag", "off"), ("lowest_effort", "low")])
def test_it_is_asked_again_with_less_thinking_in_the_same_attempt(
    off: ThinkingOff, less: str
) -> None:
    async def scenario() -> None:
        provider = thinker(LONG, "the answer", off=off)
        with temporary_project() as project:
            async with opened(project, scripted=provider) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.text, outcome.attempts) == (
                    RunEnd.DONE,
                    "the answer",
                    1,
                )
                assert asked(provider) == ["on", less]
                assert provider.open_streams == 0
                [record] = attempts(o.session.log_path)
                assert (record.number, record.end, record.thinking) == (1, AttemptEnd.TURN, less)
                assert record.retries == 1
                assert 8_192 < record.discarded < 9_500
                [reduced] = o.observer.of(ThinkingReduced)
                assert (reduced.thinking, reduced.tokens) == (less, record.discarded)
                assert [item.kind for item in o.session.view.items] == ["prompt", "turn"]
                assert "thought 1" not in str(o.session.view)
                assert o.observer.of(ReplyVoided) == []

    run(scenario)


def test_a_model_that_cannot_think_less_gets_one_word_and_then_the_run_halts() -> None:
    async def scenario() -> None:
        provider = thinker(LONG, LONG, off="never")
        with temporary_project() as project:
            async with opened(project, scripted=provider) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.exit_code) == (RunEnd.HALTED, 1)
                assert "thinking_cap" in outcome.reason
                assert ends(o) == [AttemptEnd.CUT_THINKING] * 2
                assert asked(provider) == ["on", "on"]
                first, second = attempts(o.session.log_path)
                assert first.discarded > 8_192
                assert "8,192" in first.reason
                assert (first.retries, second.retries) == (0, 0)
                [_, nudge] = o.session.view.items
                assert isinstance(nudge, NudgeItem)
                assert "8,192" in nudge.text

    run(scenario)


def test_a_model_that_cannot_think_less_may_do_better_after_the_word() -> None:
    async def scenario() -> None:
        provider = thinker(LONG, "fine", LONG, "fine again", off="never")
        with temporary_project() as project:
            async with opened(project, scripted=provider) as o:
                assert (await o.session.run("go")).end is RunEnd.DONE
                assert (await o.session.run("more")).end is RunEnd.DONE

    run(scenario)


@pytest.mark.parametrize(("off", "less"), [("flag", "off"), ("lowest_effort", "low")])
def test_a_reply_that_thinks_on_with_less_thinking_is_no_loop(off: ThinkingOff, less: str) -> None:
    async def scenario() -> None:
        provider = thinker(LONG, LONG, LONG, off=off)
        with temporary_project() as project:
            async with opened(project, scripted=provider) as o:
                outcome = await o.session.run("go")
                assert outcome.end is RunEnd.HALTED
                assert asked(provider) == ["on", less, less]
                assert ends(o) == [AttemptEnd.CUT_THINKING] * 2
                first, second = attempts(o.session.log_path)
                assert first.discarded > 2 * 8_192  # of both replies
                assert 8_192 < second.discarded < 9_500

    run(scenario)


@pytest.mark.parametrize("wanted", ["low", "medium", "high"])
def test_what_the_user_wants_is_where_it_begins_and_begins_again(wanted: str) -> None:
    async def scenario() -> None:
        say = FakeTool()
        use = call("Say", {"text": "x"})
        provider = thinker(use, use, LONG, use, use, "done", use, "done again")
        with temporary_project() as project:
            options = {"thinking": wanted, "settings": {"thinking_cap": 2_000}}
            async with opened(project, scripted=provider, tools=[say], **options) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.attempts) == (RunEnd.DONE, 5)
                await o.session.run("next")
                # the loop's third turn is cut; the rest of the loop stays as it was cut to
                before, after = [wanted] * 3, ["off"] * 3
                assert asked(provider) == [*before, *after, wanted, wanted]
                numbers = [record.number for record in attempts(o.session.log_path)]
                assert numbers == [1, 2, 3, 4, 5, 1, 2]
                thinking = [record.thinking for record in attempts(o.session.log_path)]
                assert thinking == [wanted, wanted, "off", "off", "off", wanted, wanted]

    run(scenario)


@pytest.mark.parametrize(("cap", "cut"), [(8_192, False), (2_000, True)])
def test_a_model_that_is_to_think_hard_may_think_four_times_as_long(cap: int, cut: bool) -> None:
    async def scenario() -> None:
        provider = thinker([*LONG, TextDelta("late", "t"), End(StopReason.END_TURN)], "again")
        options = {"thinking": "high", "settings": {"thinking_cap": cap}}
        with temporary_project() as project:
            async with opened(project, scripted=provider, **options) as o:
                assert (await o.session.run("go")).end is RunEnd.DONE
                assert asked(provider) == (["high", "off"] if cut else ["high"])
                [record] = attempts(o.session.log_path)
                assert (4 * cap < record.discarded < 5 * cap) == cut

    run(scenario)


def test_steering_within_the_run_changes_nothing() -> None:
    async def scenario() -> None:
        o: Opened

        def steer(*_: Any) -> Result:
            o.session.steer("and the other one")
            return Result.say("ok")

        provider = thinker(LONG, call("Say", {"text": "x"}), call("Say", {"text": "y"}), "done")
        say = FakeTool(behaviour=steer)
        with temporary_project() as project:
            async with opened(project, scripted=provider, tools=[say]) as made:
                o = made
                assert (await o.session.run("go")).end is RunEnd.DONE
                assert asked(provider)[:4] == ["on", "off", "off", "off"]
                kinds = [item.kind for item in o.session.view.items]
                assert kinds.count("prompt") == 3
                provider.add("fresh")

    run(scenario)


def test_what_is_said_after_the_last_turn_is_a_new_run() -> None:
    async def scenario() -> None:
        o: Opened
        provider = thinker(LONG, lambda _: o.session.steer("one more") or "done", "and that")
        with temporary_project() as project:
            async with opened(project, scripted=provider) as made:
                o = made
                await o.session.run("go")
                assert asked(provider) == ["on", "off", "on"]

    run(scenario)


@pytest.mark.parametrize(
    "begun",
    [
        pytest.param([TextDelta("I begin. ", "t"), *LONG], id="text first"),
        pytest.param([CallStart("c", "Say", "1"), CallArguments("c", "{}"), *LONG], id="call"),
        pytest.param([*LONG[:800], TextDelta("So. ", "t"), *LONG], id="text between"),
        pytest.param([*LONG[:800], Restart("again"), *LONG[:800], TextDelta("x")], id="restart"),
        pytest.param([TextDelta("word " * 20_000, "t")], id="long text"),
    ],
)
def test_a_reply_that_has_begun_may_think_as_it_likes(begun: list[Any]) -> None:
    async def scenario() -> None:
        # Whatever repeats itself here is not what this test is about.
        settings = {"repetition_limit": 0}
        provider = thinker([*begun, End(StopReason.END_TURN)], "done")
        with temporary_project() as project:
            tools = [FakeTool()]
            async with opened(project, scripted=provider, tools=tools, settings=settings) as o:
                assert (await o.session.run("go")).end is RunEnd.DONE
                assert set(asked(provider)) == {"on"}
                assert o.observer.of(ThinkingReduced) == []

    run(scenario)


@pytest.mark.parametrize(
    "before",
    [
        pytest.param([TextDelta(" \n", "t")], id="blank text"),
        pytest.param([UsageSoFar(Usage(500, 1))], id="usage"),
        pytest.param([OpaqueData("r", {"s": 1}, "reasoning")], id="sealed"),
    ],
)
def test_what_says_nothing_is_no_beginning(before: list[Any]) -> None:
    async def scenario() -> None:
        provider = thinker([*before, *LONG], "done")
        with temporary_project() as project:
            async with opened(project, scripted=provider) as o:
                assert (await o.session.run("go")).text == "done"
                assert asked(provider) == ["on", "off"]
                assert [shown.text for shown in o.observer.of(TextShown)][-1] == "ne"

    run(scenario)


@pytest.mark.parametrize(
    ("settings", "requests"),
    [
        ({"thinking_cap": 0}, ["on"]),
        ({"thinking_cap": 100_000}, ["on"]),
        ({"thinking_cap": 100}, ["on", "off"]),
        ({}, ["on", "off"]),
    ],
)
def test_the_cap_is_a_setting_and_0_is_none(settings: Any, requests: list[str]) -> None:
    async def scenario() -> None:
        provider = thinker([*LONG, TextDelta("late", "t"), End(StopReason.END_TURN)], "again")
        with temporary_project() as project:
            async with opened(project, scripted=provider, settings=settings) as o:
                assert (await o.session.run("go")).end is RunEnd.DONE
                assert asked(provider) == requests

    run(scenario)


def test_tokens_told_before_the_cut_are_counted() -> None:
    async def scenario() -> None:
        first = [UsageSoFar(Usage(input=700, output=1)), *LONG]
        answer = [TextDelta("done", "t"), End(StopReason.END_TURN, Usage(input=710, output=5))]
        provider = thinker(first, answer)
        with temporary_project() as project:
            async with opened(project, scripted=provider) as o:
                outcome = await o.session.run("go")
                [record] = attempts(o.session.log_path)
                assert record.usage == Usage(input=1_410, output=6)
                assert outcome.usage == record.usage

    run(scenario)


@pytest.mark.parametrize("where", ["first", "again"])
def test_an_interrupt_meanwhile_is_clean(where: str) -> None:
    async def scenario() -> None:
        pause = Pause()
        replies = [[*SHORT, pause]] if where == "first" else [LONG, [*SHORT, pause]]
        provider = thinker(*replies)
        with temporary_project() as project:
            async with opened(project, scripted=provider) as o:
                outcome = await interrupted(o, pause.reached)
                assert (outcome.end, outcome.exit_code) == (RunEnd.INTERRUPTED, 130)
                assert provider.open_streams == 0
                [record] = attempts(o.session.log_path)
                assert record.end is AttemptEnd.INTERRUPTED
                assert (record.discarded > 0) == (where == "again")
                provider.add("fresh")
                assert (await o.session.run("go on")).text == "fresh"
                assert asked(provider)[-1] == "on"
                whole = fold(read_log(o.session.log_path).records)
                assert whole.view() == o.session.view

    run(scenario)


def test_earlier_thoughts_of_the_loop_stay_on_record() -> None:
    """A cut is no edit: what the request cannot carry is the adapter's to leave out."""

    async def scenario() -> None:
        signed = Reply(
            (Reasoning("hm", {"sig": "s"}), call("Say", {"text": "x"})), StopReason.TOOL_USE
        )
        provider = thinker(signed, LONG, "done")
        with temporary_project() as project:
            async with opened(project, scripted=provider, tools=[FakeTool()]) as o:
                await o.session.run("go")
                again = provider.requests[-1]
                assert again.thinking == "off"
                assert next(again.view.turns).reply.blocks == signed.blocks
                assert o.session.view.epoch == 0

    run(scenario)


# --- over the wire ----------------------------------------------------------------------------

TOOL_LOOP = 2  # turns before the one that thinks too long
THOUGHTS = sse(*chat_chunks(reasoning="".join(WORDS), finish="", usage=None, done=False, size=400))


def _tool_turn(number: int) -> Answer:
    calls = [(f"c{number}", "Say", '{"text": "x"}')]
    return Answer(body=sse(*chat_chunks(reasoning=f"Step {number}.", calls=calls, usage=None)))


def _adapter(project: Project, url: str, transport: Transport) -> Any:
    options = OpenAICompatOptions(
        kind="openai_compat",
        base_url=f"{url}/v1",
        model="m",
        max_retries=1,
        reasoning_field="reasoning_content",
        thinking_off_body={"think": False},
        caps={"reasoning": True, "thinking_off": "flag", "max_context": 200_000},
    )
    return create(factory_context(project, "scripted", options=options, transport=transport))


@pytest.mark.parametrize("cut", [[THOUGHTS], [THOUGHTS[:9_000], THOUGHTS[9_000:]]])
def test_the_connection_closes_at_turn_3_of_a_tool_loop(cut: Sequence[bytes]) -> None:
    gate = Gate()
    script = [
        *(_tool_turn(number) for number in range(TOOL_LOOP)),
        Answer(body=[*cut, gate]),  # never opened: only a client that leaves ends this answer
        _tool_turn(3),
        Answer(body=sse(*chat_chunks(text="all done"))),
        Answer(body=sse(*chat_chunks(text="and more"))),
    ]

    async def scenario() -> None:
        transport = Transport()
        with temporary_project() as project, Loopback(*script) as server:
            provider = _adapter(project, server.url, transport)
            async with opened(project, scripted=provider, tools=[FakeTool()]) as o:
                try:
                    outcome = await o.session.run("go")
                    assert (outcome.end, outcome.text) == (RunEnd.DONE, "all done")
                    assert await anyio.to_thread.run_sync(gate.left.wait, 10)
                    await o.session.run("next")
                finally:
                    await transport.aclose()
            sent = [request.json for request in server.requests]
            assert [body.get("think") for body in sent] == [None] * 3 + [False] * 2 + [None]
            assert sent[2]["messages"] == sent[3]["messages"]
            records = attempts(o.session.log_path)
            assert [r.number for r in records] == [1, 2, 3, 4, 1]
            assert [r.retries for r in records] == [0, 0, 1, 0, 0]
            assert [r.discarded > 0 for r in records] == [False, False, True, False, False]
            assert "thought 1" not in str(o.session.view)

    run(scenario)
