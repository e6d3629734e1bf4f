"""Calls that the server itself rejected, and earlier reasoning that it does not take back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from harness import FakeTool, Opened, opened, run
from loop.on_record import attempts
from turnloop_core.errors import ReasoningRefusedError, RejectedCallError
from turnloop_core.log.reader import read_log
from turnloop_core.log.view import fold
from turnloop_core.ports.compactor import Plan
from turnloop_core.ports.provider import Request
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.fakes import ScriptedProvider, call
from turnloop_core.testing.loopback import Answer, Loopback, chat_chunks, sse
from turnloop_core.testing.project import temporary_project
from turnloop_core.transport.client import Transport
from turnloop_core.types.content import Call, Reasoning, Text
from turnloop_core.types.deltas import ReasoningDelta, TextDelta
from turnloop_core.types.edits import DropReasoning
from turnloop_core.types.events import (
    AttemptEnd,
    AttemptEnded,
    Edited,
    ReplyVoided,
    RunEnd,
    TextShown,
)
from turnloop_core.types.items import NudgeItem, Reply, StopReason
from turnloop_openai_compat.options import OpenAICompatOptions
from turnloop_openai_compat.provider import create

SAID = "attempted to call tool 'say' which was not in request.tools"
REJECTED = RejectedCallError(f"p: the server rejected the model's tool call (400): {SAID}")


def ends(o: Opened) -> list[AttemptEnd]:
    return [event.end for event in o.observer.of(AttemptEnded)]


def kinds(o: Opened) -> list[str]:
    return [item.kind for item in o.session.view.items]


# --- calls that were rejected -------------------------------------------------------------------


def test_the_model_is_told_what_the_server_said_and_the_third_try_is_good() -> None:
    async def scenario() -> None:
        say = FakeTool()
        midway = (ReasoningDelta("I call it. ", "r"), TextDelta("Half", "t"), REJECTED)
        good = call("Say", {"text": "x"})
        with temporary_project() as project:
            async with opened(project, REJECTED, midway, good, "done", tools=[say]) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.text, outcome.attempts) == (RunEnd.DONE, "done", 4)
                assert [args.text for args in say.ran] == ["x"]
                assert kinds(o) == ["prompt", "nudge", "nudge", "turn", "turn"]
                nudges = [i.text for i in o.session.view.items if isinstance(i, NudgeItem)]
                assert all(SAID in text and "Say" in text for text in nudges)
                assert nudges[0] != nudges[1]
                assert "Half" not in str(o.session.view)
                assert o.observer.of(TextShown)[0].text == "Half"
                assert len(o.observer.of(ReplyVoided)) == 1
                records = attempts(o.session.log_path)
                assert [r.end for r in records] == [
                    AttemptEnd.REJECTED_CALL,
                    AttemptEnd.REJECTED_CALL,
                    AttemptEnd.TURN,
                    AttemptEnd.TURN,
                ]
                assert records[1].partial == "Half"
                assert [r.retries for r in records] == [0] * 4  # no waiting, no ladder

    run(scenario)


def test_a_third_rejected_call_in_a_row_halts_the_run() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, REJECTED, REJECTED, REJECTED, tools=[FakeTool()]) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.exit_code) == (RunEnd.HALTED, 1)
                assert "3 tool calls in a row" in outcome.reason
                assert SAID in outcome.reason
                assert kinds(o) == ["prompt", "nudge", "nudge"]
                o.provider.add("fresh")
                assert (await o.session.run("go on")).text == "fresh"

    run(scenario)


def test_a_good_call_between_begins_the_count_again() -> None:
    async def scenario() -> None:
        other = RejectedCallError("p: rejected (400): another name")
        third = RejectedCallError("p: rejected (400): a third name")
        good = call("Say", {"text": "x"})
        script = (REJECTED, other, good, third, REJECTED, "done")
        with temporary_project() as project:
            async with opened(project, *script, tools=[FakeTool()]) as o:
                assert (await o.session.run("go")).end is RunEnd.DONE

    run(scenario)


def test_the_same_rejection_after_a_good_call_is_no_progress() -> None:
    async def scenario() -> None:
        script = (REJECTED, call("Say", {"text": "x"}), REJECTED)
        with temporary_project() as project:
            async with opened(project, *script, tools=[FakeTool()]) as o:
                outcome = await o.session.run("go")
                assert outcome.end is RunEnd.HALTED
                assert "no progress" in outcome.reason

    run(scenario)


# --- over the wire ------------------------------------------------------------------------------


def adapter(project: Any, url: str, transport: Transport, **fields: Any) -> Any:
    options = OpenAICompatOptions(
        kind="openai_compat", base_url=f"{url}/v1", model="m", max_retries=2, **fields
    )
    return create(factory_context(project, "scripted", options=options, transport=transport))


@asynccontextmanager
async def served(
    *answers: Answer, handler: Any = None, **fields: Any
) -> AsyncIterator[tuple[Opened, Loopback, FakeTool]]:
    transport, say = Transport(), FakeTool()
    with temporary_project() as project, Loopback(*answers, handler=handler) as server:
        provider = adapter(project, server.url, transport, **fields)
        try:
            async with opened(project, scripted=provider, tools=[say]) as o:
                yield o, server, say
        finally:
            await transport.aclose()


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()


FAILED = {
    "message": f"tool call validation failed: {SAID}",
    "type": "invalid_request_error",
    "code": "tool_use_failed",
    "failed_generation": '{"name": "say"}',
}


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(lambda: Answer(400, body=as_json({"error": FAILED})), id="an answer"),
        pytest.param(
            lambda: Answer(
                body=sse(
                    *chat_chunks(reasoning="I call it.", finish="", usage=None, done=False),
                    {"error": {**FAILED, "status_code": 400}},
                )
            ),
            id="an event after thoughts",
        ),
        pytest.param(
            lambda: Answer(
                body=b"event: error\n" + sse({"error": {**FAILED, "status_code": 400}, "id": "x"})
            ),
            id="an event, the first",
        ),
    ],
)
def test_a_rejected_call_over_the_wire(bad: Callable[[], Answer]) -> None:
    async def scenario() -> None:
        good = Answer(body=sse(*chat_chunks(calls=[("c1", "Say", '{"text": "x"}')])))
        last = Answer(body=sse(*chat_chunks(text="done")))
        async with served(bad(), bad(), good, last) as (o, server, say):
            outcome = await o.session.run("go")
            assert (outcome.end, outcome.text) == (RunEnd.DONE, "done")
            assert [args.text for args in say.ran] == ["x"]
            assert len(server.requests) == 4  # not asked again by the ladder
            assert kinds(o) == ["prompt", "nudge", "nudge", "turn", "turn"]
            told = str(server.requests[2].json["messages"])
            assert "attempted to call tool" in told
            assert "I call it." not in told

    run(scenario)


# --- reasoning that was refused -----------------------------------------------------------------

REFUSED = ReasoningRefusedError("p: reasoning that was sent back is not accepted (400): signature")


def thought(text: str, *, attached: Any = None) -> Reply:
    blocks = (Reasoning("hm", {"sig": text}), Text(f"I say {text}.", attached))
    return Reply(
        (*blocks, Call(f"c{text}", "Say", f'{{"text": "{text}"}}', attached)), StopReason.TOOL_USE
    )


def blocks_of(request: Request) -> list[Any]:
    return [block for turn in request.view.turns for block in turn.reply.blocks]


def test_it_is_dropped_on_record_and_asked_once_more_in_the_same_attempt() -> None:
    async def scenario() -> None:
        say = FakeTool()
        sealed = thought("b", attached={"thoughtSignature": "s"})
        script = (thought("a"), sealed, REFUSED, "done", "and more")
        seals = [None, None, {"thoughtSignature": "s"}, {"thoughtSignature": "s"}]
        with temporary_project() as project:
            async with opened(project, *script, tools=[say]) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.attempts) == (RunEnd.DONE, 3)
                refused, again = o.provider.requests[2:4]
                assert any(isinstance(block, Reasoning) for block in blocks_of(refused))
                assert [type(block) for block in blocks_of(again)] == [Text, Call, Text, Call]
                assert [block.opaque for block in blocks_of(again)] == seals
                assert [a.text for a in say.ran] == ["a", "b"]  # nothing ran twice
                record = attempts(o.session.log_path)[-1]
                assert (record.end, record.retries) == (AttemptEnd.TURN, 1)
                [edited] = o.observer.of(Edited)
                turns = tuple(turn.id for turn in refused.view.turns)
                assert edited.edits == (DropReasoning(turns),)
                whole = fold(read_log(o.session.log_path).records)
                assert whole.view() == o.session.view
                # the session lives on, and the edit holds
                assert (await o.session.run("next")).text == "and more"
                assert not any(isinstance(b, Reasoning) for b in blocks_of(o.provider.requests[4]))

    run(scenario)


def test_signatures_without_readable_reasoning_are_dropped_too() -> None:
    """Some servers sign the call alone: without this the session would be dead from here on."""

    async def scenario() -> None:
        signed = Reply((Call("c1", "Say", '{"text": "x"}', {"sig": "s"}),), StopReason.TOOL_USE)
        blank = Reply((Text("", {"sig": "t"}), *signed.blocks), StopReason.TOOL_USE)
        with temporary_project() as project:
            async with opened(project, blank, REFUSED, "done", tools=[FakeTool()]) as o:
                assert (await o.session.run("go")).end is RunEnd.DONE
                again = blocks_of(o.provider.requests[-1])
                assert again == [Call("c1", "Say", '{"text": "x"}')]

    run(scenario)


def test_what_is_refused_still_goes_without_what_was_attached_to_the_rest() -> None:
    async def scenario() -> None:
        sealed = thought("b", attached={"thoughtSignature": "s"})
        script = (thought("a"), sealed, REFUSED, REFUSED, "done")
        with temporary_project() as project:
            async with opened(project, *script, tools=[FakeTool()]) as o:
                assert (await o.session.run("go")).end is RunEnd.DONE
                again = blocks_of(o.provider.requests[-1])
                assert [(type(block), block.opaque) for block in again] == [
                    (Text, None),
                    (Call, None),
                ] * 2
                assert attempts(o.session.log_path)[-1].retries == 2
                whole = fold(read_log(o.session.log_path).records)
                assert whole.view() == o.session.view

    run(scenario)


def test_a_strategy_cannot_take_off_what_is_attached_to_a_call() -> None:
    class Greedy:
        name = "greedy"

        def plan(self, view: Any, *_: Any) -> Plan:
            turns = tuple(turn.id for turn in view.turns)
            return Plan((DropReasoning(turns, attached=True),) if turns else ())

    async def scenario() -> None:
        with temporary_project() as project:
            script = (thought("a", attached={"sig": "s"}), "done")
            settings = {"compaction": {"strategy": "greedy"}}
            options = {"more": {"compactors": [Greedy()]}, "settings": settings}
            async with opened(project, *script, tools=[FakeTool()], **options) as o:
                assert (await o.session.run("go")).end is RunEnd.DONE
                seen = [(type(b), b.opaque) for b in blocks_of(o.provider.requests[-1])]
                assert seen == [(Text, {"sig": "s"}), (Call, {"sig": "s"})]

    run(scenario)


def test_what_is_still_refused_is_a_fault_and_no_loop() -> None:
    async def scenario() -> None:
        script = (thought("a"), REFUSED, REFUSED, "fresh")
        with temporary_project() as project:
            async with opened(project, *script, tools=[FakeTool()]) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.error) == (RunEnd.FAILED, REFUSED)
                assert len(o.provider.requests) == 3
                assert ends(o)[-1] is AttemptEnd.FAULT
                assert (await o.session.run("go on")).text == "fresh"

    run(scenario)


def test_with_nothing_to_drop_it_is_a_fault_at_once() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(
                project, call("Say", {"text": "x"}), REFUSED, tools=[FakeTool()]
            ) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.error) == (RunEnd.FAILED, REFUSED)
                assert len(o.provider.requests) == 2

    run(scenario)


def test_new_reasoning_of_a_later_attempt_may_be_refused_again() -> None:
    async def scenario() -> None:
        script = (thought("a"), REFUSED, thought("b"), REFUSED, "done")
        with temporary_project() as project:
            async with opened(project, *script, tools=[FakeTool()]) as o:
                assert (await o.session.run("go")).end is RunEnd.DONE

    run(scenario)


def test_a_resumed_session_lives_on_as_well() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, thought("a"), "one", tools=[FakeTool()]) as o:
                await o.session.run("go")
            provider = ScriptedProvider(REFUSED, "two")
            more = {"scripted": provider, "tools": [FakeTool()], "resume": ""}
            async with opened(project, **more) as o:
                assert (await o.session.run("go on")).text == "two"
                assert not any(isinstance(b, Reasoning) for b in blocks_of(provider.requests[-1]))

    run(scenario)


def test_a_server_that_refuses_the_field_gets_the_history_without_it() -> None:
    """Over the wire: the strict server takes no reasoning in its history at all."""
    message = "'messages.2' : property 'reasoning_content' is unsupported"
    called = Answer(body=sse(*chat_chunks(reasoning="Hm.", calls=[("c1", "Say", '{"text": "x"}')])))
    refused: list[bool] = []

    def strict(request: Any) -> Answer:
        messages = request.json["messages"]
        refused.append(any("reasoning_content" in m for m in messages))
        if refused[-1]:
            return Answer(400, body=as_json({"error": {"message": message, "type": "bad"}}))
        answered = any(m["role"] == "tool" for m in messages)
        return Answer(body=sse(*chat_chunks(text="done"))) if answered else called

    async def scenario() -> None:
        fields = {"reasoning_field": "reasoning_content", "caps": {"reasoning": True}}
        async with served(handler=strict, **fields) as (o, _, say):
            outcome = await o.session.run("go")
            assert (outcome.end, outcome.text) == (RunEnd.DONE, "done")
            assert refused == [False, True, False]
            assert len(say.ran) == 1

    run(scenario)
