"""The provider passes the suite that every provider with a wire must pass."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import anyio
import anyio.lowlevel
import pytest
from anthropic_events import Event, begin, call, end, stream, text, thinking
from anthropic_strict import complaints

from turnloop_anthropic.options import AnthropicOptions
from turnloop_anthropic.provider import create
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.http_suite import HttpProviderConformance, Served
from turnloop_core.testing.loopback import Answer, Gate, Loopback, Recorded
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.scenarios import Scenario
from turnloop_core.transport.client import Transport
from turnloop_core.types.items import StopReason

MARK = re.compile(rb',"cache_control":\{[^}]*\}')
# The suite's replies are nobody's: after calls without a thought a budget may not be given.
THINKING = re.compile(rb'"max_tokens":\d+,|"thinking":\{"type":"enabled","budget_tokens":\d+\},')
WORDS = {
    StopReason.END_TURN: "end_turn",
    StopReason.TOOL_USE: "tool_use",
    StopReason.MAX_TOKENS: "max_tokens",
}


def error(status: int, kind: str, message: str, **headers: str) -> Answer:
    body = f'{{"type":"error","error":{{"type":"{kind}","message":"{message}"}}}}'
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, names, body.encode())


REFUSALS = {
    "overloaded": error(529, "overloaded_error", "Overloaded", retry_after="0"),
    "too_long": error(400, "invalid_request_error", "prompt is too long: 3 tokens > 2 maximum"),
    "wrong_key": error(401, "authentication_error", "invalid x-api-key"),
}


def content(scenario: Scenario) -> list[Event]:
    usage = scenario.usage
    events: list[Event] = [
        begin(
            {
                "input_tokens": usage.input,
                "cache_read_input_tokens": usage.cache_read,
                "cache_creation_input_tokens": usage.cache_write,
                "output_tokens": 1,
            }
        )
    ]
    index = 0
    if scenario.reasoning:
        events += thinking(index, "c2lnbmVk", scenario.reasoning)
        index += 1
    if scenario.text:
        whole = text(index, *scenario.text_pieces)
        events += whole if scenario.ending == "whole" else whole[:-1]
        index += 1
    cut = scenario.stop is StopReason.MAX_TOKENS or scenario.ending != "whole"
    for one in scenario.calls:
        events += call(index, one.id, one.name, one.fragments, whole=not cut)
        index += 1
    return events


class Server:
    """Meets one scenario at every request."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._count = 0
        self.gate = Gate()

    def __call__(self, _: Recorded) -> Answer:
        self._count += 1
        scenario = self._scenario
        refusal = REFUSALS.get(scenario.refusal)
        if refusal is not None and (scenario.refusal != "overloaded" or self._count == 1):
            return refusal
        body = stream(*content(scenario))
        if scenario.ending == "held":
            return Answer(body=[body, self.gate])
        if scenario.ending == "dropped":
            return Answer(body=[body], drop="close")
        ending = end(WORDS[scenario.stop], scenario.usage.output)
        return Answer(body=body + stream(*ending))

    async def closed(self) -> bool:
        return await anyio.to_thread.run_sync(self.gate.left.wait, 10.0)


async def no_sleep(_: float) -> None:
    await anyio.lowlevel.checkpoint()


class _Suite(HttpProviderConformance):
    vision_model: ClassVar[str] = "claude-haiku-4-5"
    returns_opaque: ClassVar[bool] = True
    model: ClassVar[str] = "claude-sonnet-4-5"

    def complaints(self, body: Any) -> Sequence[str]:
        return complaints(body)

    def comparable(self, body: bytes) -> bytes:
        return THINKING.sub(b"", MARK.sub(b"", body))

    @asynccontextmanager
    async def serve(self, scenario: Scenario) -> AsyncIterator[Served]:
        handler = Server(scenario)
        transport = Transport(sleep=no_sleep)
        with Loopback(handler=handler) as server, temporary_project({}) as project:
            options = AnthropicOptions(
                kind="anthropic", model=self.model, base_url=f"{server.url}/v1"
            )
            context = factory_context(project, "claude", options=options, transport=transport)
            yield Served(
                create(context), lambda: [got.body for got in server.requests], handler.closed
            )
            await transport.aclose()


class TestAnthropicThatThinksByABudget(_Suite):
    known_model: ClassVar[str] = "claude-sonnet-4-5"
    opaque: ClassVar[Any] = {"signature": "SEALED-THOUGHT"}


class TestAnthropicThatThinksAsItSeesFit(_Suite):
    known_model: ClassVar[str] = "claude-opus-5"
    model: ClassVar[str] = "claude-opus-5"
    opaque: ClassVar[Any] = {"redacted": "SEALED-BLOCK"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"messages": []},
        {"messages": [{"role": "assistant", "content": [{"type": "text", "text": "x"}]}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": " "}]}]},
    ],
)
def test_the_strict_reader_complains(wrong: Any) -> None:
    assert complaints({"model": "m", "max_tokens": 1, **wrong})
