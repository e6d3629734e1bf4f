"""A right provider, and the suite on it: wrong ones are made from these."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio

from turnloop_core.errors import AuthError, ContextOverflowError, StreamCutError
from turnloop_core.ports.provider import Request
from turnloop_core.testing.http_suite import HttpProviderConformance
from turnloop_core.testing.provider_bench import Served
from turnloop_core.testing.scenarios import Scenario
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.content import Call, Image, Reasoning, Text
from turnloop_core.types.deltas import (
    CallArguments,
    CallStart,
    Delta,
    End,
    ReasoningDelta,
    Sent,
    TextDelta,
    Waiting,
)
from turnloop_core.types.items import Item, Prompt, Turn

KNOWN = "right-1"


class Right:
    """A right provider whose wire is a function call. Wrong ones change one method."""

    name = "right"
    model = KNOWN

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.bodies: list[bytes] = []
        self.closed = True

    def capabilities(self, model: str) -> Capabilities:
        if self.knows(model):
            return Capabilities(supports_vision=True, known=True)
        return Capabilities()

    def knows(self, model: str) -> bool:
        return model == KNOWN

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        self.bodies.append(self.body(request))
        self.refuse()
        self.closed = False
        try:
            for delta in self.deltas():
                yield delta
            if self.scenario.ending == "held":
                await anyio.sleep_forever()
            for delta in self.cut() if self.scenario.ending == "dropped" else self.ending():
                yield delta
        finally:
            self.leave()

    def refuse(self) -> None:
        if self.scenario.refusal == "too_long":
            raise ContextOverflowError("too long")
        if self.scenario.refusal == "wrong_key":
            raise AuthError("the key was refused", hint="set RIGHT_API_KEY")

    def deltas(self) -> Sequence[Delta]:
        s = self.scenario
        return [
            *self.waits(),
            *self.thoughts(),
            *(TextDelta(piece) for piece in s.text_pieces),
            *(delta for place in range(len(s.calls)) for delta in self.call(place)),
        ]

    def waits(self) -> Sequence[Delta]:
        if self.scenario.refusal == "overloaded" and len(self.bodies) == 1:
            return [Waiting("retry", 0.0, "overloaded", 1), Sent()]
        return []

    def thoughts(self) -> Sequence[Delta]:
        return [ReasoningDelta(self.scenario.reasoning)] if self.scenario.reasoning else []

    def call(self, place: int) -> Sequence[Delta]:
        call, block = self.scenario.calls[place], f"call{place}"
        pieces = (CallArguments(block, fragment) for fragment in call.fragments)
        return [CallStart(block, call.name, call.id), *pieces]

    def ending(self) -> Sequence[Delta]:
        return [End(self.scenario.stop, self.scenario.usage)]

    def cut(self) -> Sequence[Delta]:
        raise StreamCutError("cut")

    def leave(self) -> None:
        self.closed = True

    async def aclose(self) -> None:
        pass

    # The wire: {"messages": [...], "system": ..., "tools": [...]}

    def body(self, request: Request) -> bytes:
        sees = self.capabilities(request.model).supports_vision
        origin = f"{self.name}/{request.model}"
        messages = [m for i in request.view.items for m in self.messages(i, sees, origin)]
        prefix = request.view.prefix
        tools = [{"name": t.name, "description": t.description} for t in prefix.tools]
        return json.dumps({"system": prefix.system, "tools": tools, "messages": messages}).encode()

    def messages(self, item: Item, sees: bool, origin: str) -> list[Any]:
        if isinstance(item, Turn):
            return [*self.reply(item, origin), *self.results(item, sees)]
        if isinstance(item, Prompt):
            return [{"role": "user", "parts": self.parts(item.blocks, sees)}]
        return [{"role": "user", "parts": self.parts((Text(item.text),), sees)}]

    def reply(self, turn: Turn, origin: str) -> list[Any]:
        parts: list[Any] = []
        for block in turn.reply.blocks:
            if isinstance(block, Call):
                parts.append({"id": block.id, "name": block.name, "args": self.arguments(block)})
            elif isinstance(block, Reasoning):
                parts += self.opaque(block, turn.reply.origin, origin)
            else:
                parts += self.parts((block,), True)
        return [{"role": "assistant", "parts": parts}]

    def opaque(self, block: Reasoning, made_by: str, origin: str) -> list[Any]:
        return [{"opaque": block.opaque}] if made_by == origin else []

    def arguments(self, call: Call) -> Any:
        return call.arguments

    def results(self, turn: Turn, sees: bool) -> list[Any]:
        return [{"role": "tool", "parts": self.parts(r.content, sees)} for r in turn.results]

    def parts(self, blocks: Sequence[Any], sees: bool) -> list[Any]:
        parts: list[Any] = []
        for block in blocks:
            if isinstance(block, Image):
                parts.append({"image": block.data} if sees else {"text": "(a picture)"})
            elif isinstance(block, Text) and self.worth_sending(block.text):
                parts.append({"text": block.text})
        return parts

    def worth_sending(self, text: str) -> bool:
        return bool(text.strip())


class Suite(HttpProviderConformance):
    """The suite on an implementation, chosen by a subclass."""

    implementation: type[Right] = Right
    known_model = KNOWN
    vision_model = KNOWN
    returns_opaque = True

    def complaints(self, body: Any) -> Sequence[str]:
        """The answers to all calls of a reply follow it, before anything else."""
        roles = [message["role"] for message in body["messages"]]
        told = []
        for place, message in enumerate(body["messages"]):
            calls = sum("args" in part for part in message["parts"])
            if roles[place + 1 : place + 1 + calls] != ["tool"] * calls:
                told.append(
                    f"message {place} has {calls} calls, and then came {roles[place + 1 :]}"
                )
        return told

    @asynccontextmanager
    async def serve(self, scenario: Scenario) -> AsyncIterator[Served]:
        provider = self.implementation(scenario)

        async def closed() -> bool:
            return provider.closed

        yield Served(provider, lambda: provider.bodies, closed)
