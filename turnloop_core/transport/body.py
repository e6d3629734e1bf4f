"""The body of a good answer, as bytes come in: events, or what came in their place. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from turnloop_core.errors import BadReplyError, ProviderError, StreamCutError
from turnloop_core.transport.request import Decoder, Framing
from turnloop_core.transport.speaker import Speaker
from turnloop_core.transport.sse import BOM, LARGEST_EVENT, SseEvent, SseParser
from turnloop_core.types.deltas import Delta
from turnloop_core.types.json_text import parse_wire_json
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of an answer before its body.

    Attributes:
        speaker: who answers.
        address: `host:port`, for messages.
        status: HTTP status.
        html: the header says that it is a page.
    """

    speaker: Speaker
    address: str = ""
    status: int = 200
    html: bool = False


class Body:
    """Decodes one body.

    Servers that were asked for a stream may send one JSON text, or a page: the first bytes tell.

    Args:
        answer: what is known of it.
        framing: cuts it into events.
        decoder: takes the events.
    """

    def __init__(self, answer: Answer, framing: Framing, decoder: Decoder) -> None:
        self._answer = answer
        self._parser = framing
        self._decoder = decoder
        self._events = 0
        self._start = b""
        self._whole: list[bytes] | None = None  # of a body that is no stream
        self._size = 0
        self._begun = False

    @property
    def done(self) -> bool:
        """Nothing that may still come is needed."""
        return self._decoder.done or self._size >= LARGEST_EVENT

    def feed(self, chunk: bytes) -> Iterator[Delta]:
        """The deltas that `chunk` completes.

        Raises:
            ProviderError: it holds an error, or is not what the protocol says.
        """
        if not self._begun:
            chunk = self._first(chunk)
            if not self._begun:
                return
        if self._whole is not None:
            self._whole.append(chunk)
            self._size += len(chunk)
            return
        yield from self._decode(self._parser.feed(chunk))

    def close(self, broken: StreamCutError | None = None) -> Sequence[Delta]:
        """What is left, and the `End`.

        Args:
            broken: how the body broke off, None when it came to its proper end.

        Raises:
            StreamCutError: the reply is not whole.
            ProviderError: it holds an error, or is not what the protocol says.
        """
        if self._whole is not None:
            return self._as_whole(b"".join(self._whole), broken)
        if broken is not None:
            if getattr(self._decoder, "unsure", False):
                raise broken
            try:
                return self._decoder.close()  # all had come but the proper end of the body
            except StreamCutError:
                if error := _error_in(self._parser.stray.decode("utf-8", "replace").strip()):
                    raise self._answer.speaker.error(error) from None
                raise broken from None
        deltas = [*self._last_event()]
        stray = self._parser.stray.decode("utf-8", "replace").strip()
        if error := _error_in(stray):
            raise self._answer.speaker.error(error)
        if not self._events:
            raise self._not_a_stream(stray.encode()) if stray else self._empty()
        return [*deltas, *self._decoder.close()]

    def _first(self, chunk: bytes) -> bytes:
        """Look at the first bytes that hold something; blanks before them say nothing."""
        start = self._start + chunk
        if BOM.startswith(start):  # as far as one can see
            self._start = start
            return b""
        said = start.removeprefix(BOM).lstrip()
        if not said:
            self._start = start[: len(BOM)] if start.startswith(BOM) else start[-1:]
            return b""
        self._begun = True
        if (
            said[:1] == b"<"
            or self._answer.html
            or (said[:1] in (b"{", b"[") and isinstance(self._parser, SseParser))
        ):
            self._whole = []
        return start

    def _decode(self, events: Sequence[SseEvent]) -> Iterator[Delta]:
        self._events += len(events)
        for event in events:
            yield from self._decoder.feed(event)
            if self._decoder.done:
                return

    def _last_event(self) -> Sequence[Delta]:
        if self._decoder.done:
            return ()
        try:
            return list(self._decode(self._parser.close()))
        except BadReplyError:  # half an event
            speaker = self._answer.speaker
            raise StreamCutError(
                f"{speaker.provider}: the stream ended within an event",
                cause="closed",
                hint="send the prompt again",
            ) from None

    def _as_whole(self, body: bytes, broken: StreamCutError | None) -> Sequence[Delta]:
        """The answer is a page, or one JSON text: an error, or the whole reply."""
        if body.removeprefix(BOM).lstrip()[:1] == b"<" or self._answer.html:
            raise self._not_a_stream(body)
        if broken is not None:
            raise broken
        text = body.decode("utf-8-sig", "replace")
        if error := _error_in(text):
            raise self._answer.speaker.error(error)
        try:
            return [*self._decoder.feed(SseEvent("", text)), *self._decoder.close()]
        except (BadReplyError, StreamCutError):
            raise self._not_a_stream(body) from None

    def _empty(self) -> ProviderError:
        answer = self._answer
        return BadReplyError(
            f"{answer.speaker.provider}: {answer.address} answered {answer.status}"
            " with an empty body",
            hint="the server's own log says why; often the prompt is too long for it",
        )

    def _not_a_stream(self, body: bytes) -> ProviderError:
        from turnloop_core.transport.problem import excerpt, without_keys

        speaker = self._answer.speaker
        text = body.decode("utf-8", "replace").strip()
        what = "a page" if text.startswith("<") else "something else"
        said = excerpt(without_keys(text, speaker.secrets))  # a key that is cut is not found
        return BadReplyError(
            f"{speaker.provider}: {self._answer.address} answered with {what}"
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
