"""Replies that did not become a plain turn, and requests that do not fit."""

from __future__ import annotations

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
from turnloop_core.testing.fakes import ScriptedProvider, call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.content import Reasoning
from turnloop_core.types.deltas import CallArguments, CallStart, End, TextDelta
from turnloop_core.types.events import AttemptEnd, AttemptEnded, ReplyVoided, RunEnd
from turnloop_core.types.items import NudgeItem, Reply, StopReason
from turnloop_core.types.results import Result

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


def test_a_call_cut_by_the_output_limit_never_runs_and_the_model_is_told_once() -> None:
    async def scenario() -> None:
        say = FakeTool()
        with temporary_project() as project:
            async with opened(project, CUT_CALL, "in parts then", tools=[say]) as o:
                outcome = await o.session.run("go")
                assert say.ran == []
                assert kinds(o.session) == ["prompt", "nudge", "turn"]
                nudge = o.session.view.items[1]
                assert isinstance(nudge, NudgeItem)
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


def test_the_same_text_cut_over_and_over_halts_the_run() -> None:
    """Going on where it stopped does not work with this server: it would take all attempts."""
    cut = (TextDelta("first half "), End(StopReason.MAX_TOKENS))

    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, cut, cut, cut, "never") as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.attempts) == (RunEnd.HALTED, 3)
                assert "the same text" in outcome.reason

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


def test_streams_that_are_cut_again_and_again_fail_the_run() -> None:
    """It is the line's fault, not the model's: no halt for want of progress."""

    async def scenario() -> None:
        cut = (TextDelta("half"),)
        with temporary_project() as project:
            async with opened(project, cut, cut, cut) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.exit_code) == (RunEnd.FAILED, 5)
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
