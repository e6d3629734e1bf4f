"""Reads the body of a good answer from the network, and decodes it as it comes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable

import anyio

from turnloop_core.errors import StreamCutError
from turnloop_core.transport.body import Answer, Body
from turnloop_core.transport.library import FAILURES, headers_of, httpcore, unpacked
from turnloop_core.transport.request import Decoder, HttpRequest
from turnloop_core.types.deltas import Delta, UsageSoFar

ALIVE_FOR = 5  # times the limit of silence, for a server that shows it is alive and says nothing
DRAIN_S = 0.25  # how long the proper end of a finished body may take
Clock = Callable[[], float]


class Reader:
    """Reads one body and decodes it.

    Args:
        response: the answer, its body not yet read.
        request: what it answers.
        decoder: takes the events.
        clock: seconds that only go forward.
    """

    def __init__(
        self, response: httpcore.Response, request: HttpRequest, decoder: Decoder, clock: Clock
    ) -> None:
        self._request = request
        self._decoder = decoder
        self._clock = clock
        kind = headers_of(response).get("content-type", "").partition(";")[0].strip().lower()
        answer = Answer(request.speaker, request.address, response.status, kind == "text/html")
        self._body = Body(answer, request.framing(), decoder)
        self._bytes = unpacked(response)
        self._spoke = clock()  # when something last came of it
        self._broken: StreamCutError | None = None

    async def deltas(self) -> AsyncGenerator[Delta, None]:
        """The deltas of the body, the `End` last.

        Raises:
            StreamCutError: the body broke off.
            ProviderError: it holds an error, or is not what the protocol says.
        """
        while not self._body.done and (chunk := await self._next()):
            spoke = self._spoke
            for delta in self._body.feed(chunk):
                if not isinstance(delta, UsageSoFar):  # counts are no sign of progress
                    self._spoke = self._clock()
                yield delta
            if self._spoke == spoke:
                self._check_silence()
        if self._decoder.done:
            await self._drain()
        for delta in self._body.close(self._broken):
            yield delta

    async def _next(self) -> bytes:
        """The next bytes, none at the end; how it broke off is kept for the body's close."""
        try:
            return await anext(self._bytes, b"")
        except httpcore.ReadTimeout:
            what = f"the server fell silent for {self._request.timeout_s:g} s"
            self._broken = self._cut(what, "stalled")
        except FAILURES:
            self._broken = self._cut("the connection was lost", "dropped")
        return b""

    async def _drain(self) -> None:
        """Read the proper end of the body, so that the connection can be used again."""
        with anyio.move_on_after(DRAIN_S):
            while await self._next():
                pass
        self._broken = None

    def _check_silence(self) -> None:
        limit = self._request.timeout_s
        if limit is not None and self._clock() - self._spoke > limit * ALIVE_FOR:
            waited = f"{limit * ALIVE_FOR:g} s"
            raise self._cut(f"the server sent nothing but keep-alives for {waited}", "stalled")

    def _cut(self, what: str, cause: str) -> StreamCutError:
        return StreamCutError(
            f"{self._request.provider}: {what}", cause=cause, hint="send the prompt again"
        )
