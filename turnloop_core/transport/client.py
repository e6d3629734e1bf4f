"""HTTP for providers: one pool per process, one ladder of retries, one limit per provider."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

import anyio

from turnloop_core.errors import (
    ColdBootError,
    ProviderError,
    RetryableError,
    StreamCutError,
)
from turnloop_core.transport.address import parse
from turnloop_core.transport.request import Decoder, HttpRequest
from turnloop_core.transport.retry import Ladder
from turnloop_core.types.deltas import Delta, Sent, UsageSoFar, Waiting

if TYPE_CHECKING:
    from turnloop_core.transport.library import Wire

CONNECT_TIMEOUT_S = 10.0
WRITE_TIMEOUT_S = 60.0
KEEPALIVE_S = 120.0  # tools may run for a while between two requests


class Transport:
    """Sends requests and gives their answers as deltas.

    Args:
        sleep: waits between tries; tests put a double here.
        rng: source of the jitter.
        clock: seconds that only go forward.
        connect_timeout_s: longest time for making a connection.
    """

    def __init__(
        self,
        *,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        rng: random.Random | None = None,
        clock: Callable[[], float] = time.monotonic,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
    ) -> None:
        self._sleep = sleep
        self._rng = rng or random.Random()  # noqa: S311  # jitter, not a secret
        self._clock = clock
        self._connect_timeout_s = connect_timeout_s
        self._wires: dict[tuple[str, str], Wire] = {}  # by scheme and proxy
        self._limiters: dict[str, anyio.CapacityLimiter] = {}
        self._ready: set[str] = set()  # providers whose health was asked, and was good

    async def stream(
        self, request: HttpRequest, make_decoder: Callable[[], Decoder]
    ) -> AsyncGenerator[Delta, None]:
        """Send the request, and decode its answer as it comes.

        Waits and tries are told by `Waiting` and `Sent`. As long as the decoder gave nothing, what
        can be tried again is, by `request.policy`; later a failure is raised, since the reader has
        seen a part. Closing the iterator closes the connection.

        Args:
            request: what to send.
            make_decoder: a fresh decoder for each try.

        Raises:
            StreamCutError: the answer broke off after a part of it was given.
            ProviderError: anything else, as classified.
        """
        request.check()
        limiter = self._limiter(request)
        holder = object()  # the generator may be closed by another task than the one that began
        if limiter is not None:
            if limiter.available_tokens < 1:
                limit = f"{request.max_concurrent} at once"
                yield Waiting("capacity", 0.0, f"{request.provider} takes {limit}: waiting")
            await limiter.acquire_on_behalf_of(holder)
        try:
            async with aclosing(self._ladder(request, make_decoder)) as deltas:
                async for delta in deltas:
                    yield delta
        finally:
            if limiter is not None:
                limiter.release_on_behalf_of(holder)

    async def aclose(self) -> None:
        """Close all connections. The transport may be used again afterwards."""
        wires, self._wires = list(self._wires.values()), {}
        for wire in wires:
            await wire.aclose()

    async def _ladder(
        self, request: HttpRequest, make_decoder: Callable[[], Decoder]
    ) -> AsyncGenerator[Delta, None]:
        from turnloop_core.transport.attempt import attempt

        ladder = Ladder(request.policy, self._rng, self._clock)
        while True:
            async with aclosing(self._boot(request, ladder)) as waits:
                async for waiting in waits:
                    yield waiting
            yield Sent()
            shown = False
            try:
                wire = self._wire(request.url)
                answer = attempt(wire, request, make_decoder(), self._clock)
                async with aclosing(answer) as deltas:
                    async for delta in deltas:
                        shown = shown or not isinstance(delta, UsageSoFar)
                        yield delta
                return
            except ProviderError as error:
                if shown:
                    raise _as_cut(error) from error
                from turnloop_core.transport.health import as_boot

                failure = as_boot(error, request)
                waiting = ladder.next(failure)
            if isinstance(failure, ColdBootError):
                self._ready.discard(request.provider)
            yield waiting
            await self._sleep(waiting.seconds)

    async def _boot(self, request: HttpRequest, ladder: Ladder) -> AsyncGenerator[Waiting, None]:
        """Wait until an endpoint that can be asked for its health is ready."""
        if not request.health_url or request.provider in self._ready:
            return
        from turnloop_core.transport.health import ill_health

        while failure := await ill_health(self._wire(request.health_url), request):
            waiting = ladder.next(failure)
            yield waiting
            await self._sleep(waiting.seconds)
        self._ready.add(request.provider)

    def _limiter(self, request: HttpRequest) -> anyio.CapacityLimiter | None:
        if request.max_concurrent <= 0:
            return None
        limiter = self._limiters.get(request.provider)
        if limiter is None:
            limiter = anyio.CapacityLimiter(request.max_concurrent)
            self._limiters[request.provider] = limiter
        limiter.total_tokens = request.max_concurrent
        return limiter

    def _wire(self, url: str) -> Wire:
        from turnloop_core.transport.library import Wire
        from turnloop_core.transport.proxies import proxy_for

        address = parse(url)
        proxy = proxy_for(address.scheme, address.host)
        kind = (address.scheme, proxy)
        if kind not in self._wires:
            self._wires[kind] = Wire(
                secure=address.scheme == "https",
                proxy=proxy,
                connect_s=self._connect_timeout_s,
                write_s=WRITE_TIMEOUT_S,
                keepalive_s=KEEPALIVE_S,
            )
        return self._wires[kind]


def _as_cut(error: ProviderError) -> ProviderError:
    """A failure after a part was given: what waiting could mend is a cut reply."""
    if isinstance(error, RetryableError):
        return StreamCutError(
            str(error), cause="dropped", hint=error.hint, retry_after=error.retry_after
        )
    return error
