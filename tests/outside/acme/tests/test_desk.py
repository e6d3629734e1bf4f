"""The provider against a small desk on loopback."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import anyio
import anyio.lowlevel

from acme_turnloop.provider import create
from turnloop_core.api import HttpOptions, StopReason, Transport
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.http_suite import HttpProviderConformance, Served
from turnloop_core.testing.loopback import Answer, Gate, Loopback, Recorded
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.scenarios import Scenario

BYES = {
    StopReason.END_TURN: "finished",
    StopReason.TOOL_USE: "asking",
    StopReason.MAX_TOKENS: "out of room",
}
REFUSALS = {
    "overloaded": Answer(503, {"retry-after": "0"}, b'{"trouble": "busy"}'),
    "too_long": Answer(413, body=b'{"trouble": "too much to read"}'),
    "wrong_key": Answer(401, body=b'{"trouble": "who are you?"}'),
}


def line(**piece: Any) -> bytes:
    return json.dumps(piece, ensure_ascii=False).encode() + b"\n"


def content(scenario: Scenario) -> bytes:
    lines = [line(think=scenario.reasoning)] if scenario.reasoning else []
    lines += [line(say=piece) for piece in scenario.text_pieces]
    for slot, call in enumerate(scenario.calls):
        lines.append(line(slot=slot, ask=call.name, ticket=call.id))
        lines += [line(slot=slot, **{"with": piece}) for piece in call.fragments]
    return b"".join(lines)


def bye(scenario: Scenario) -> bytes:
    usage = scenario.usage
    spent = {"read": usage.input, "remembered": usage.cache_read, "wrote": usage.output}
    return line(bye=BYES[scenario.stop], spent=spent)


class Server:
    """Meets one scenario at every request."""

    def __init__(self, scenario: Scenario) -> None:
        self.gate = Gate()
        self._scenario = scenario
        self._count = 0

    def __call__(self, _: Recorded) -> Answer:
        self._count += 1
        scenario = self._scenario
        refusal = REFUSALS.get(scenario.refusal)
        if refusal is not None and (scenario.refusal != "overloaded" or self._count == 1):
            return refusal
        if scenario.ending == "held":
            return Answer(body=[content(scenario), self.gate])
        if scenario.ending == "dropped":
            return Answer(body=[content(scenario)], drop="close")
        return Answer(body=content(scenario) + bye(scenario))

    async def closed(self) -> bool:
        return await anyio.to_thread.run_sync(self.gate.left.wait, 10.0)


async def no_sleep(_: float) -> None:
    await anyio.lowlevel.checkpoint()


class TestDesk(HttpProviderConformance):
    known_model: ClassVar[str] = "desk-2"
    history_key: ClassVar[str] = "transcript"
    text_keys: ClassVar[frozenset[str]] = frozenset({"says"})

    @asynccontextmanager
    async def serve(self, scenario: Scenario) -> AsyncIterator[Served]:
        server, transport = Server(scenario), Transport(sleep=no_sleep)
        with Loopback(handler=server) as loopback, temporary_project() as project:
            options = HttpOptions(kind="acme_desk", model="desk-2", base_url=loopback.url)
            context = factory_context(project, "desk", options=options, transport=transport)
            bodies = loopback.requests
            yield Served(create(context), lambda: [got.body for got in bodies], server.closed)
            await transport.aclose()
