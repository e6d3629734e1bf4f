"""The provider passes the suite that every provider with a wire must pass."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import anyio
import anyio.lowlevel

from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.http_suite import HttpProviderConformance, Served
from turnloop_core.testing.loopback import Answer, Gate, Loopback, Recorded, sse
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.scenarios import Scenario
from turnloop_core.transport.client import Transport
from turnloop_core.types.items import StopReason
from turnloop_openai_compat.options import OpenAICompatOptions
from turnloop_openai_compat.provider import create

WORDS = {
    StopReason.END_TURN: "stop",
    StopReason.TOOL_USE: "tool_calls",
    StopReason.MAX_TOKENS: "length",
}
REFUSALS = {
    "overloaded": Answer(503, {"retry-after": "0"}, b'{"error": {"message": "overloaded"}}'),
    "too_long": Answer(400, body=b'{"error": {"code": "context_length_exceeded"}}'),
    "wrong_key": Answer(401, body=b'{"error": {"code": "invalid_api_key"}}'),
}


def chunk(delta: Mapping[str, Any], finish: str | None = None) -> Mapping[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def chunks(scenario: Scenario) -> list[Mapping[str, Any]]:
    """The content of a scenario, without its end."""
    made: list[Mapping[str, Any]] = [chunk({"role": "assistant", "content": ""})]
    if scenario.reasoning:
        made.append(chunk({"reasoning_content": scenario.reasoning}))
    made += [chunk({"content": piece}) for piece in scenario.text_pieces]
    for index, call in enumerate(scenario.calls):
        head = {"index": index, "id": call.id, "function": {"name": call.name, "arguments": ""}}
        made.append(chunk({"tool_calls": [head]}))
        made += [
            chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
            for piece in call.fragments
        ]
    return made


def ending(scenario: Scenario) -> list[str | Mapping[str, Any]]:
    usage = scenario.usage
    counts = {
        "prompt_tokens": usage.total_input,
        "completion_tokens": usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
    }
    return [chunk({}, WORDS[scenario.stop]), {"choices": [], "usage": counts}, "[DONE]"]


class Server:
    """Meets one scenario at every request."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._count = 0
        self.gate = Gate()

    def __call__(self, _: Recorded) -> Answer:
        self._count += 1
        refusal = REFUSALS.get(self._scenario.refusal)
        if refusal is not None and (self._scenario.refusal != "overloaded" or self._count == 1):
            return refusal
        content = sse(*chunks(self._scenario))
        if self._scenario.ending == "held":
            return Answer(body=[content, self.gate])
        if self._scenario.ending == "dropped":
            return Answer(body=[content], drop="close")
        return Answer(body=content + sse(*ending(self._scenario)))

    async def closed(self) -> bool:
        return await anyio.to_thread.run_sync(self.gate.left.wait, 10.0)


async def no_sleep(_: float) -> None:
    await anyio.lowlevel.checkpoint()


class TestOpenAICompat(HttpProviderConformance):
    known_model: ClassVar[str] = "gpt-4.1"
    vision_model: ClassVar[str] = "gpt-4o-mini"
    opaque: ClassVar[Any] = {
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "SEALED", "index": 0}]
    }
    returns_opaque: ClassVar[bool] = True

    @asynccontextmanager
    async def serve(self, scenario: Scenario) -> AsyncIterator[Served]:
        handler = Server(scenario)
        transport = Transport(sleep=no_sleep)
        with Loopback(handler=handler) as server, temporary_project({}) as project:
            options = OpenAICompatOptions(
                kind="openai_compat", model="gpt-4.1", base_url=f"{server.url}/v1"
            )
            context = factory_context(project, "local", options=options, transport=transport)
            yield Served(
                create(context), lambda: [got.body for got in server.requests], handler.closed
            )
            await transport.aclose()
