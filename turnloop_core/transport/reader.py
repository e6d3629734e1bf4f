"""The body of a good answer: a stream of events, or what came in its place."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from typing import Any

import anyio

from turnloop_core.errors import BadReplyError, ProviderError, StreamCutError
from turnloop_core.transport.library import FAILURES, headers_of, httpcore, unpacked
from turnloop_core.transport.request import Decoder, HttpRequest
from turnloop_core.transport.sse import BOM, LARGEST_EVENT, SseEvent, SseParser
from turnloop_core.types.deltas import Delta
from turnloop_core.types.json_text import parse_wire_json

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
        self._status = response.status
        self._type = headers_of(response).get("content-type", "").partition(";")[0].strip().lower()
        self._body = unpacked(response)
        self._parser = request.framing()
        self._spoke = clock()  # when the last event came
        self._events = 0
        self._broken: StreamCutError | None = None

    async def deltas(self) -> AsyncGenerator[Delta, None]:
        """The deltas of the body, the `End` last.

        Raises:
            StreamCutError: the body broke off.
            ProviderError: it holds an error, or is not what the protocol says.
        """
        chunk = await self._first()
        start = chunk.removeprefix(BOM).lstrip()[:1]
        if start == b"<" or self._type == "text/html":
            raise self._not_a_stream(await self._rest(chunk))
        if start in (b"{", b"[") and isinstance(self._parser, SseParser):
            for delta in self._whole(await self._rest(chunk)):
                yield delta
            return
        while chunk:
            for delta in self._feed(chunk):
                yield delta
            chunk = b"" if self._decoder.done else await self._next()
        if self._decoder.done:
            await self._drain()
        for delta in self._end():
            yield delta

    async def _next(self) -> bytes:
        """The next bytes, none at the end; how it broke off is kept for `_end`."""
        try:
            return await anext(self._body, b"")
        except httpcore.ReadTimeout:
            what = f"the server fell silent for {self._request.timeout_s} s"
            self._broken = self._cut(what, "stalled")
        except FAILURES:
            self._broken = self._cut("the connection was lost", "dropped")
        return b""

    async def _first(self) -> bytes:
        """The first bytes that hold something to look at; blanks before them say nothing."""
        start = b""
        while chunk := await self._next():
            start += chunk
            if start.removeprefix(BOM).strip():
                break
            start = start[: len(BOM)] if start.startswith(BOM) else start[-1:]
            self._check_silence()
        return start

    async def _rest(self, start: bytes) -> bytes:
        parts = [start]
        size = len(start)
        while size < LARGEST_EVENT and (chunk := await self._next()):
            parts.append(chunk)
            size += len(chunk)
        return b"".join(parts)

    async def _drain(self) -> None:
        """Read the proper end of the body, so that the connection can be used again."""
        with anyio.move_on_after(DRAIN_S):
            while await self._next():
                pass
        self._broken = None

    def _feed(self, chunk: bytes) -> Iterator[Delta]:
        events = self._parser.feed(chunk)
        if events:
            self._events += len(events)
            self._spoke = self._clock()
        else:
            self._check_silence()
        return self._decode(events)

    def _check_silence(self) -> None:
        limit = self._request.timeout_s
        if limit is not None and self._clock() - self._spoke > limit:
            raise self._cut(f"the server sent nothing but keep-alives for {limit} s", "stalled")

    def _decode(self, events: Sequence[SseEvent]) -> Iterator[Delta]:
        for event in events:
            yield from self._decoder.feed(event)
            if self._decoder.done:
                return

    def _end(self) -> Sequence[Delta]:
        if self._broken is not None:
            try:
                return self._decoder.close()  # all had come but the proper end of the body
            except StreamCutError:
                raise self._broken from None
        deltas = [*self._last_event()]
        stray = self._parser.stray.decode("utf-8", "replace").strip()
        if error := _error_in(stray):
            raise self._request.speaker.error(error)
        if not self._events:
            raise self._not_a_stream(stray.encode()) if stray else self._empty()
        return [*deltas, *self._decoder.close()]

    def _last_event(self) -> Sequence[Delta]:
        if self._decoder.done:
            return ()
        events = self._parser.close()
        self._events += len(events)
        try:
            return list(self._decode(events))
        except BadReplyError:  # half an event
            raise self._cut("the stream ended within an event", "closed") from None

    def _whole(self, body: bytes) -> Sequence[Delta]:
        """The answer is one JSON text: an error, or the whole reply."""
        if self._broken is not None:
            raise self._broken
        text = body.decode("utf-8-sig", "replace")
        if error := _error_in(text):
            raise self._request.speaker.error(error)
        try:
            return [*self._decoder.feed(SseEvent("", text)), *self._decoder.close()]
        except (BadReplyError, StreamCutError):
            raise self._not_a_stream(body) from None

    def _cut(self, what: str, cause: str) -> StreamCutError:
        return StreamCutError(
            f"{self._request.provider}: {what}", cause=cause, hint="send the prompt again"
        )

    def _empty(self) -> ProviderError:
        if self._broken is not None:
            return self._broken
        return BadReplyError(
            f"{self._request.provider}: {self._request.address} answered {self._status}"
            " with an empty body",
            hint="the prompt may be too long for this server, or base_url be wrong: tl doctor",
        )

    def _not_a_stream(self, body: bytes) -> ProviderError:
        from turnloop_core.transport.problem import excerpt, without_keys

        text = body.decode("utf-8", "replace").strip()
        what = "a page" if text.startswith("<") else "something else"
        said = without_keys(excerpt(text), self._request.secrets)
        return BadReplyError(
            f"{self._request.provider}: {self._request.address} answered with {what}"
            f" instead of a reply: {said}",
            hint="check base_url; most end in /v1",
        )


def _error_in(text: str) -> Any:
    """The JSON value of `text` when it is an error, else None."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = parse_wire_json(text)
    except ValueError:
        return None
    first = value[0] if isinstance(value, list) and value else value
    is_error = isinstance(first, dict) and (
        first.get("error") or first.get("object") == "error" or first.get("type") == "error"
    )
    return first if is_error else None
