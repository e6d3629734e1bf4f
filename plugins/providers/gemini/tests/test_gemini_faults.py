"""Errors inside a good answer, and streams that end too early: what is asked again, what is not."""

from __future__ import annotations

import json
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from turnloop_core.errors import RejectedCallError, RequestRefusedError, StreamCutError
from turnloop_core.ports.provider import Request
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.loopback import Answer, Loopback, sse
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.provider_suite import Heard, hear
from turnloop_core.transport.client import Transport
from turnloop_core.types.deltas import CallStart, End, Sent, UsageSoFar, Waiting
from turnloop_core.types.items import Prompt
from turnloop_core.types.usage import Usage
from turnloop_core.types.view import Prefix, View
from turnloop_gemini.options import GeminiOptions
from turnloop_gemini.provider import create

BUSY = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
BAD = {"error": {"code": 400, "message": "Bad value at x.", "status": "INVALID_ARGUMENT"}}


def chunk(*parts: Any, finish: str = "") -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})]}


TEXTS = [chunk({"text": text}) for text in ("It ", "is ", "here. ")]
CALL = chunk({"functionCall": {"name": "Write", "args": {"file_path": "a", "content": "b"}}})
HALF = b'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"Write","args":{"file'
FINE = Answer(body=sse(chunk({"text": "Here it is."}, finish="STOP")))


async def no_sleep(_: float) -> None:
    await anyio.lowlevel.checkpoint()


def ask(*answers: Answer) -> tuple[Heard, int]:
    """What is heard, and how many requests were made for it."""

    async def go(url: str) -> Heard:
        transport = Transport(sleep=no_sleep)
        with temporary_project({}) as project:
            options = GeminiOptions(kind="gemini", model="gemini-2.5-flash", base_url=url)
            context = factory_context(project, "p", options=options, transport=transport)
            view = View(Prefix("Be good."), (Prompt(1, "Hi"),))
            heard = await hear(create(context), Request(view, "gemini-2.5-flash", 100))
            await transport.aclose()
        return heard

    with Loopback(*answers) as server:
        return anyio.run(go, server.url), len(server.requests)


@pytest.mark.parametrize(
    "body",
    [
        sse(BUSY),
        b"event: error\n" + sse(BUSY),
        json.dumps(BUSY, indent=2).encode(),
        json.dumps([BUSY], indent=2).encode(),
        b": keep-alive\n\n" + json.dumps(BUSY, indent=2).encode(),
    ],
    ids=["event", "event with a type", "plain JSON", "a list", "stray"],
)
def test_an_error_before_anything_was_shown_is_waited_out(body: bytes) -> None:
    heard, count = ask(Answer(body=body), FINE)
    assert (heard.text, heard.error, count) == ("Here it is.", None, 2)
    kinds = [type(delta) for delta in heard.deltas]
    assert kinds[:3] == [Sent, Waiting, Sent]


@pytest.mark.parametrize(
    "end", [sse(BUSY), json.dumps(BUSY, indent=2).encode()], ids=["event", "stray"]
)
@pytest.mark.parametrize("call", [b"", sse(CALL)], ids=["in text", "after a call"])
def test_an_error_after_a_part_was_shown(call: bytes, end: bytes) -> None:
    """The loop decides: it is not asked again below it, where the text would come twice."""
    heard, count = ask(Answer(body=sse(*TEXTS) + call + end), FINE)
    assert isinstance(heard.error, StreamCutError)
    assert heard.error.cause == "dropped"
    assert not heard.of(End), "without an end no call runs"
    assert (heard.text, count) == ("It is here. ", 1)


def test_an_error_in_the_middle_of_an_event_with_a_call() -> None:
    heard, count = ask(Answer(body=sse(*TEXTS) + HALF + b"\n\n" + sse(BUSY)), FINE)
    assert heard.error is not None
    assert not heard.of(CallStart)
    assert not heard.of(End)
    assert count == 1


def test_an_invalid_request_is_not_asked_again() -> None:
    for body in (sse(BAD), json.dumps(BAD).encode(), sse(*TEXTS, BAD)):
        heard, count = ask(Answer(body=body), FINE)
        assert isinstance(heard.error, RequestRefusedError)
        assert "Bad value at x." in str(heard.error)
        assert count == 1


@pytest.mark.parametrize("drop", ["close", "reset", None])
@pytest.mark.parametrize(
    "end", [b"", HALF, sse(CALL)], ids=["after text", "within a call", "after a call"]
)
def test_a_stream_that_ends_too_early(end: bytes, drop: Any) -> None:
    heard, count = ask(Answer(body=[sse(*TEXTS) + end], drop=drop), FINE)
    assert isinstance(heard.error, StreamCutError)
    assert heard.error.cause == ("closed" if drop is None else "dropped")
    assert not heard.of(End)
    assert count == 1


def test_a_stream_that_only_lacks_the_proper_end_of_its_body_is_whole() -> None:
    body = sse(*TEXTS, CALL, chunk(finish="STOP"))
    heard, _ = ask(Answer(body=[body], drop="close"))
    assert heard.error is None
    assert len(heard.of(End)) == 1


@pytest.mark.parametrize("drop", ["close", "reset"])
def test_a_finish_reason_on_every_chunk_proves_nothing_when_the_line_breaks(drop: Any) -> None:
    """Some servers end each chunk so: a call of such a reply never runs."""
    write = {"functionCall": {"name": "Write", "args": {"file_path": "a", "content": "b"}}}
    every = [chunk({"text": "I look."}, finish="STOP"), chunk(write, finish="STOP")]
    heard, _ = ask(Answer(body=[sse(*every)], drop=drop))
    assert isinstance(heard.error, StreamCutError)
    assert not heard.of(End)
    heard, _ = ask(Answer(body=[sse(*every)]))
    assert len(heard.of(End)) == 1


def test_a_malformed_call_keeps_its_usage() -> None:
    last = {
        "candidates": [{"content": {}, "finishReason": "MALFORMED_FUNCTION_CALL"}],
        "usageMetadata": {"promptTokenCount": 9, "thoughtsTokenCount": 4},
    }
    heard, count = ask(Answer(body=sse(last)))
    assert isinstance(heard.error, RejectedCallError)
    assert heard.error.hint
    assert heard.of(UsageSoFar) == (UsageSoFar(Usage(9, 4, reasoning=4)),)
    assert count == 1
