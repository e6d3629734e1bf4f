"""What the tests of the transport work with: a plain decoder, and waits that are recorded."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import anyio

from turnloop_core.errors import BadReplyError, ProviderError, StreamCutError
from turnloop_core.testing.loopback import Answer, Loopback, sse
from turnloop_core.transport.client import Transport
from turnloop_core.transport.request import HttpRequest
from turnloop_core.transport.retry import RetryPolicy
from turnloop_core.transport.sse import SseEvent
from turnloop_core.types.deltas import Delta, End, TextDelta, Waiting
from turnloop_core.types.items import StopReason

GOOD = Answer(body=sse("one", "two", "[DONE]"))
THREE = RetryPolicy(max_retries=3)
KEY = "secret-key-0123456789"


class Plain:
    """The simplest decoder: every event is text, `[DONE]` is the end."""

    def __init__(self) -> None:
        self.done = False

    def feed(self, event: SseEvent) -> Sequence[Delta]:
        if event.data == "[DONE]":
            self.done = True
            return ()
        if event.data.startswith(("{", "[")):
            raise BadReplyError("no JSON here")
        return (TextDelta(event.data),)

    def close(self) -> Sequence[Delta]:
        if not self.done:
            raise StreamCutError("the stream ended without an end", cause="closed")
        return (End(StopReason.END_TURN),)


class Bench:
    """A transport whose waits are recorded instead of slept."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self.deltas: list[Delta] = []
        self.error: ProviderError | None = None
        self.transport = Transport(sleep=self._sleep, rng=random.Random(7))

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    @property
    def text(self) -> str:
        return " ".join(d.text for d in self.deltas if isinstance(d, TextDelta))

    @property
    def waits(self) -> list[tuple[str, int]]:
        return [(d.what, d.number) for d in self.deltas if isinstance(d, Waiting)]

    async def ask(self, request: HttpRequest) -> None:
        try:
            async for delta in self.transport.stream(request, Plain):
                self.deltas.append(delta)
        except ProviderError as error:
            self.error = error
        finally:
            await self.transport.aclose()


def request(url: str, **fields: Any) -> HttpRequest:
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    made = HttpRequest(provider="p", url=url, headers=headers, body=b"{}", key_name="P_KEY")
    return replace(made, **{"policy": THREE, **fields})


def ask(*answers: Answer, **fields: Any) -> tuple[Bench, Loopback]:
    bench = Bench()
    with Loopback(*answers) as server:
        anyio.run(bench.ask, request(f"{server.url}/v1/x", **fields))
    return bench, server
