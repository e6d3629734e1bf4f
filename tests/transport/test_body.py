"""The body of a good answer: a stream, one JSON text, a page; whole, cut, broken off, endless."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given, settings, strategies as st

from transport.bench import request
from turnloop_core.errors import (
    BadReplyError,
    ProviderError,
    RequestRefusedError,
    RetryableError,
    StreamCutError,
)
from turnloop_core.testing.loopback import Answer as Served, Gate, Loopback, sse
from turnloop_core.transport.body import Answer, Body
from turnloop_core.transport.client import Transport
from turnloop_core.transport.library import httpcore
from turnloop_core.transport.reader import ALIVE_FOR, Reader
from turnloop_core.transport.speaker import Speaker
from turnloop_core.transport.sse import BOM, SseEvent, SseParser
from turnloop_core.types.deltas import Delta, End, Sent, TextDelta, UsageSoFar, Waiting
from turnloop_core.types.items import StopReason
from turnloop_core.types.usage import Usage

SPEAKER = Speaker("p", "P_KEY", ("secret-key-0123456789",))
END = End(StopReason.END_TURN)
GOOD = sse({"text": "one "}, {}, {"text": "zwö"}, {"end": True})
TWO = [TextDelta("one "), TextDelta("zwö"), END]
OVERLOADED = {"error": {"type": "overloaded_error", "message": "Overloaded"}}


class Toy:
    """A small wire: objects with `text`, `usage`, `error`, or `end`."""

    def __init__(self, speaker: Speaker = SPEAKER) -> None:
        self.done = False
        self._speaker = speaker

    def feed(self, event: SseEvent) -> Sequence[Delta]:
        value = self._speaker.read(event.data)
        if "error" in value:
            raise self._speaker.error(value)
        self.done = self.done or bool(value.get("end"))
        if "usage" in value:
            return (UsageSoFar(Usage(input=value["usage"])),)
        if "answer" in value:  # a whole answer, where a stream was asked for
            self.done = True
            return (TextDelta(value["answer"]),)
        return (TextDelta(value["text"]),) if "text" in value else ()

    def close(self) -> Sequence[Delta]:
        if not self.done:
            raise self._speaker.cut()
        return (END,)


def read(
    data: bytes, chunk: int = 0, *, html: bool = False, broken: StreamCutError | None = None
) -> tuple[list[Delta], ProviderError | None]:
    """All deltas of a body, and the error at its end."""
    body = Body(Answer(SPEAKER, "host:1", 200, html), SseParser(), Toy())
    deltas: list[Delta] = []
    step = chunk or max(len(data), 1)
    try:
        for start in range(0, len(data), step):
            if body.done:
                break
            deltas.extend(body.feed(data[start : start + step]))
        deltas.extend(body.close(broken))
    except ProviderError as error:
        return deltas, error
    return deltas, None


WHOLE = json.dumps({"answer": "one zwö"}).encode()
BODIES: dict[str, tuple[bytes, list[Delta], type[ProviderError] | None]] = {
    "a stream": (GOOD, TWO, None),
    "a stream with a mark": (BOM + GOOD, TWO, None),
    "blanks before it": (b"\n \r\n\n" + GOOD, TWO, None),
    "keep-alives before it": (b": hi\n\n: hi\n\n" + GOOD, TWO, None),
    "CRLF": (GOOD.replace(b"\n", b"\r\n"), TWO, None),
    "no blank line at the end": (GOOD.rstrip(b"\n"), TWO, None),
    "something after the end": (GOOD + sse({"text": "late"}), TWO, None),
    "one JSON text": (WHOLE, [TextDelta("one zwö"), END], None),
    "one JSON text with a mark": (BOM + WHOLE, [TextDelta("one zwö"), END], None),
    "one JSON text, indented": (b"\n  " + WHOLE + b"\n", [TextDelta("one zwö"), END], None),
    "a JSON error": (json.dumps(OVERLOADED).encode(), [], RetryableError),
    "a JSON error with a mark": (BOM + json.dumps(OVERLOADED).encode(), [], RetryableError),
    "a JSON error in a list": (json.dumps([OVERLOADED]).encode(), [], RetryableError),
    "a JSON error, indented": (json.dumps(OVERLOADED, indent=2).encode(), [], RetryableError),
    "a bare JSON error in the stream": (
        sse({"text": "one "}) + json.dumps(OVERLOADED).encode(),
        [TextDelta("one ")],
        RetryableError,
    ),
    "an error event": (sse({"text": "one "}, OVERLOADED), [TextDelta("one ")], RetryableError),
    "no end": (sse({"text": "one "}), [TextDelta("one ")], StreamCutError),
    "half an event": (
        sse({"text": "one "}) + b'data: {"te',
        [TextDelta("one ")],
        StreamCutError,
    ),
    "nothing": (b"", [], BadReplyError),
    "blanks": (b"\n\n \n", [], BadReplyError),
    "a mark": (BOM, [], BadReplyError),
    "keep-alives": (b": hi\n\n: hi\n\n", [], BadReplyError),
    "a page": (b"<html><title>Hello</title>", [], BadReplyError),
    "a page with a mark": (BOM + b"\n<!doctype html><title>Hello</title>", [], BadReplyError),
    "words": (b"Hello there", [], BadReplyError),
    "words in lines": (b"Hello\n\nthere\n\n", [], BadReplyError),
    "another JSON": (b'{"object": "list", "data": []}', [], BadReplyError),
    "half a JSON": (WHOLE[:-2], [], BadReplyError),
    "an event of no JSON": (sse("hello"), [], BadReplyError),
    "an event that is a list": (sse("[1]"), [], BadReplyError),
    "bytes": (bytes(range(128, 256)) * 4, [], BadReplyError),
    "deep": (b"[" * 5_000, [], BadReplyError),
}


@pytest.mark.parametrize("chunk", [0, 1, 2, 7, 64])
@pytest.mark.parametrize("name", BODIES)
def test_what_a_body_is_does_not_hang_on_its_pieces(name: str, chunk: int) -> None:
    data, wanted, kind = BODIES[name]
    deltas, error = read(data, chunk)
    assert (deltas, type(error) if error else None) == (wanted, kind)


@given(st.binary(max_size=400), st.integers(1, 9))
@settings(max_examples=200, deadline=None)
def test_noise_ends_in_an_error_of_ours(data: bytes, chunk: int) -> None:
    for noise in (data, GOOD[: len(data)] + data, b"data: " + data + b"\n\n"):
        whole, cut = read(noise), read(noise, chunk)
        assert (whole[0], type(whole[1])) == (cut[0], type(cut[1]))


def test_a_page_is_named_and_holds_no_key() -> None:
    _, error = read(b"<html><title>Wrong key secret-key-0123456789</title>")
    assert error is not None
    assert "a page" in str(error)
    assert "secret" not in str(error)
    assert "host:1" in str(error)
    _, typed = read(b"data: 1\n\n", html=True)
    assert type(typed) is BadReplyError


def test_an_empty_body_says_what_it_may_be() -> None:
    _, error = read(b"")
    assert error is not None
    assert str(error) == "p: host:1 answered 200 with an empty body"
    assert "too long" in error.hint


LOST = StreamCutError("p: the connection was lost", cause="dropped")


@pytest.mark.parametrize(
    ("data", "deltas", "kind"),
    [
        pytest.param(GOOD, TWO, None, id="the end had come"),
        pytest.param(sse({"text": "one "}), [TextDelta("one ")], StreamCutError, id="it had not"),
        pytest.param(b"", [], StreamCutError, id="nothing had come"),
        pytest.param(WHOLE, [], StreamCutError, id="one JSON text"),
        pytest.param(b"<html><title>x</title>", [], BadReplyError, id="a page"),
        pytest.param(
            json.dumps({"error": {"type": "invalid_request_error", "message": "no"}}).encode()
            + b"\n\n",
            [],
            StreamCutError,
            id="an error that may not be whole",
        ),
        pytest.param(
            b": hi\n\n" + json.dumps(OVERLOADED).encode() + b"\n\n: hi\n\n",
            [],
            RetryableError,
            id="an error after a keep-alive",
        ),
    ],
)
def test_a_body_that_broke_off(
    data: bytes, deltas: list[Delta], kind: type[ProviderError] | None
) -> None:
    got, error = read(data, 7, broken=LOST)
    assert (got, type(error) if error else None) == (deltas, kind)


# --- time ---------------------------------------------------------------------------------------


class Endless:
    """A body that says the same piece for ever, and a clock that every piece moves on."""

    def __init__(self, pieces: Sequence[bytes], seconds: float) -> None:
        self.now = 0.0
        self.taken = 0
        self._pieces = pieces
        self._seconds = seconds

    def clock(self) -> float:
        return self.now

    async def __aiter__(self) -> Any:
        while self.taken < 10_000:
            await anyio.lowlevel.checkpoint()
            self.now += self._seconds
            self.taken += 1
            yield self._pieces[min(self.taken, len(self._pieces)) - 1]

    async def aclose(self) -> None:
        """The connection is closed."""


def listen(source: Endless, timeout_s: float | None = 10.0) -> tuple[list[Delta], Any]:
    response = httpcore.Response(200, content=source)
    asked = request("http://127.0.0.1:1/x", timeout_s=timeout_s)
    deltas: list[Delta] = []

    async def go() -> ProviderError | None:
        reader = Reader(response, asked, Toy(), source.clock)
        try:
            async for delta in reader.deltas():
                deltas.append(delta)
        except ProviderError as error:
            return error
        finally:
            await response.aclose()
        return None

    return deltas, anyio.run(go)


SILENCE = {
    "comments": [b": keep-alive\n\n"],
    "events without content": [sse({})],
    "blank lines": [b"\n"],
    "counts": [sse({"usage": 3})],
    "thoughts before it": [sse({"text": "one"}), b": keep-alive\n\n"],
    "a stream that never ends its event": [b"data: x\n"],
}


@pytest.mark.parametrize("pieces", SILENCE.values(), ids=SILENCE)
def test_a_server_that_is_alive_and_says_nothing_is_left(pieces: list[bytes]) -> None:
    source = Endless(pieces, 1.0)
    deltas, error = listen(source)
    assert (type(error), error.cause) == (StreamCutError, "stalled")
    assert "50 s" in str(error)
    content = len([d for d in deltas if isinstance(d, TextDelta)])
    assert source.taken == 10 * ALIVE_FOR + 1 + content


def test_a_slow_server_that_says_something_is_heard_to_the_end() -> None:
    quiet = [b": keep-alive\n\n"] * 49
    pieces = [*quiet, sse({"text": "a"}), *quiet, sse({"text": "b"}), *quiet, sse({"end": True})]
    deltas, error = listen(Endless(pieces, 1.0))
    assert (deltas, error) == ([TextDelta("a"), TextDelta("b"), END], None)


def test_without_a_limit_of_silence_there_is_none() -> None:
    pieces = [b": keep-alive\n\n"] * 5_000 + [sse({"end": True})]
    assert listen(Endless(pieces, 100.0), timeout_s=None) == ([END], None)


def test_a_stall_without_bytes_ends_after_the_limit() -> None:
    gate = Gate()
    deltas, error = _asked(Served(body=[sse({"text": "one"}), gate]), timeout_s=0.05)
    assert deltas == [Sent(), TextDelta("one")]
    assert (type(error), error.cause) == (StreamCutError, "stalled")
    assert gate.left.wait(10)


# --- counts that were told early ------------------------------------------------------------------


def _asked(*answers: Served, **fields: Any) -> tuple[list[Delta], Any]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    transport = Transport(sleep=sleep)
    deltas: list[Delta] = []

    async def go(url: str) -> ProviderError | None:
        try:
            async for delta in transport.stream(request(url, **fields), Toy):
                deltas.append(delta)
        except ProviderError as error:
            return error
        finally:
            await transport.aclose()
        return None

    with Loopback(*answers) as server:
        return deltas, anyio.run(go, f"{server.url}/x")


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(Served(body=sse({"usage": 7}, OVERLOADED)), id="an error"),
        pytest.param(Served(body=sse({"usage": 7})), id="no end"),
        pytest.param(Served(body=[sse({"usage": 7})], drop="reset"), id="dropped"),
    ],
)
def test_counts_alone_were_not_shown_so_the_ladder_goes_on(bad: Served) -> None:
    deltas, error = _asked(bad, Served(body=GOOD))
    assert error is None
    assert [type(d) for d in deltas] == [Sent, UsageSoFar, Waiting, Sent, TextDelta, TextDelta, End]


def test_an_error_that_no_waiting_mends_is_raised_after_counts() -> None:
    refused = {"error": {"type": "invalid_request_error", "message": "no"}}
    deltas, error = _asked(Served(body=sse({"usage": 7}, refused)), Served(body=GOOD))
    assert type(error) is RequestRefusedError
    assert [type(d) for d in deltas] == [Sent, UsageSoFar]


def test_what_was_shown_is_not_asked_for_again() -> None:
    deltas, error = _asked(Served(body=sse({"usage": 7}, {"text": "one"}, OVERLOADED)))
    assert (type(error), error.cause) == (StreamCutError, "dropped")
    assert deltas[-1] == TextDelta("one")
