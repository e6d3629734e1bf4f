"""Recorded streams and errors are read as expected, whole and in small pieces."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from turnloop_core.errors import (
    AuthError,
    ContextOverflowError,
    ProviderError,
    QuotaExhaustedError,
    RejectedCallError,
    RequestRefusedError,
    RetryableError,
    StreamCutError,
)
from turnloop_core.ports.provider import Request
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.loopback import Answer, Loopback, pieces
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.provider_suite import Heard, hear
from turnloop_core.transport.client import Transport
from turnloop_core.transport.errors import classify
from turnloop_core.transport.speaker import Speaker
from turnloop_core.transport.sse import SseParser
from turnloop_core.types.deltas import CallStart, End, OpaqueData, TextDelta, UsageSoFar
from turnloop_core.types.items import Prompt
from turnloop_core.types.view import Prefix, View
from turnloop_gemini.decode import Decoder
from turnloop_gemini.options import GeminiOptions
from turnloop_gemini.provider import create
from turnloop_gemini.wire import WIRE

SHARED = Path(__file__).parents[4].parent / "shared" / "fixtures" / "wire" / "gemini"
STREAMS = sorted(SHARED.glob("*.sse"))
ERRORS = sorted(p for p in SHARED.glob("err-*.json") if not p.name.endswith(".expect.json"))
ABSENT = "the recorded wire fixtures are not beside the repository"
SIZES = (0, 1, 7, 64)  # 0: whole
REQUEST = Request(View(Prefix("Be good."), (Prompt(1, "Hi"),)), "gemini-2.5-flash", 100)
CLASSES: dict[type[ProviderError], str] = {
    AuthError: "auth",
    ContextOverflowError: "context_overflow",
    QuotaExhaustedError: "quota_exhausted",
    RejectedCallError: "retryable",
    RequestRefusedError: "fatal",
    RetryableError: "retryable",
    StreamCutError: "retryable",  # of a reply that was partly given
}


async def no_sleep(_: float) -> None:
    await anyio.lowlevel.checkpoint()


async def listen(stream: bytes, sizes: tuple[int, ...] = SIZES) -> list[Heard]:
    """What is heard of one body, cut into pieces of each size, through the whole transport."""
    bodies = [pieces(stream, size) if size else stream for size in sizes]
    transport = Transport(sleep=no_sleep)
    with Loopback(*[Answer(body=body) for body in bodies]) as server:
        options = GeminiOptions(
            kind="gemini", model="gemini-2.5-flash", base_url=server.url, max_retries=0
        )
        with temporary_project({}) as project:
            context = factory_context(project, "p", options=options, transport=transport)
            provider = create(context)
        heard = [await hear(provider, REQUEST) for _ in sizes]
        await transport.aclose()
    return heard


def decoded(stream: bytes) -> Decoder:
    """The decoder after it was fed a stream, for what it tells beside the deltas."""
    parser, decoder = SseParser(), Decoder(Speaker("p"))
    for event in [*parser.feed(stream), *parser.close()]:
        decoder.feed(event)
    return decoder


def summary(heard: Heard, decoder: Decoder) -> dict[str, Any]:
    """The fields of an expectation."""
    seals = [WIRE.seals(delta.data) for delta in heard.of(OpaqueData)]
    ends = heard.of(End)
    return {
        "text": heard.text,
        "reasoning": heard.reasoning,
        "tool_calls": [
            {"id": start.id or None, "name": name, "arguments": json.loads(arguments)}
            for start, (name, arguments) in zip(heard.of(CallStart), heard.calls, strict=True)
        ],
        "signatures": sum(count for count, _ in seals),
        "stop_reason": ends[0].stop.value if ends else "error",
        "raw_stop_reason": ends[0].raw_stop if ends else decoder.raw_stop,
        "error": CLASSES[type(heard.error)] if heard.error else None,
        "usage": {**decoder.counts(), "input_includes_cache": WIRE.input_includes_cache},
    }


@pytest.mark.skipif(not STREAMS, reason=ABSENT)
@pytest.mark.parametrize("path", STREAMS, ids=lambda p: p.stem)
def test_recorded_stream(path: Path) -> None:
    stream = path.read_bytes()
    expected = json.loads(path.with_suffix(".expect.json").read_text())
    whole, *cut = anyio.run(partial(listen, stream))
    fields = ("text", "reasoning", "tool_calls", "signatures", "stop_reason", "raw_stop_reason")
    assert summary(whole, decoded(stream)) == {
        **{name: expected[name] for name in fields},
        "error": expected.get("error", {}).get("class"),
        "usage": expected["usage"],
    }
    for size, heard in zip(SIZES[1:], cut, strict=True):
        assert heard.deltas == whole.deltas, f"in pieces of {size}"
        assert repr(heard.error) == repr(whole.error), f"in pieces of {size}"


@pytest.mark.skipif(not STREAMS, reason=ABSENT)
@pytest.mark.parametrize("path", STREAMS, ids=lambda p: p.stem)
def test_a_recorded_stream_cut_before_its_end_is_never_whole(path: Path) -> None:
    stream = path.read_bytes()
    mark = max(stream.find(b'"finishReason"'), stream.find(b'"blockReason"'))
    for cut in range(1, mark, max(1, mark // 40)):
        decoder = Decoder(Speaker("p"))
        for event in SseParser().feed(stream[:cut]):
            decoder.feed(event)
        with pytest.raises(StreamCutError):
            decoder.close()


@pytest.mark.skipif(not ERRORS, reason=ABSENT)
@pytest.mark.parametrize("path", ERRORS, ids=lambda p: p.stem)
def test_recorded_error(path: Path) -> None:
    answer = json.loads(path.read_text())
    expected = json.loads(path.with_suffix(".expect.json").read_text())
    error = classify(
        answer["status"], answer["headers"], json.dumps(answer["body"]).encode(), provider="p"
    )
    assert CLASSES[type(error)] == expected["class"]
    assert error.retry_after == expected["retry_after_s"]


# What follows was written for this project.

PRETTY_ERROR = b"""{
  "error": {
    "code": 503,
    "message": "The model went away.",
    "status": "UNAVAILABLE"
  }
}
"""
GOOD = (
    b'data: {"candidates": [{"content": {"parts": [{"text": "One "}], "role": "model"}}]}\r\n\r\n'
    b'data: {"candidates": [{"content": {"parts": [{"text": "two."}], "role": "model"},'
    b' "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 4,'
    b' "candidatesTokenCount": 2, "thoughtsTokenCount": 1, "cachedContentTokenCount": 3}}\r\n\r\n'
)


def test_a_stream_in_pieces() -> None:
    whole, *cut = anyio.run(partial(listen, GOOD))
    assert whole.text == "One two."
    assert [d for d in whole.deltas if not isinstance(d, TextDelta)][1:] == [
        UsageSoFar(whole.of(End)[0].usage),
        whole.of(End)[0],
    ]
    usage = whole.of(End)[0].usage
    assert (usage.input, usage.cache_read, usage.output, usage.reasoning) == (1, 3, 3, 1)
    assert all(heard == whole for heard in cut)


@pytest.mark.parametrize("size", [0, 1, 7, 64])
def test_a_bare_error_after_good_events(size: int) -> None:
    """It is no event, and every chunk before it looked like the last one."""
    (heard,) = anyio.run(partial(listen, GOOD + PRETTY_ERROR, (size,)))
    assert heard.text == "One two."
    assert not heard.of(End)
    assert isinstance(heard.error, StreamCutError)
    assert "The model went away." in str(heard.error)


@pytest.mark.parametrize("size", [0, 1, 7, 64])
def test_a_bare_error_instead_of_a_stream(size: int) -> None:
    (heard,) = anyio.run(partial(listen, PRETTY_ERROR, (size,)))
    assert isinstance(heard.error, RetryableError)
    assert not heard.text


@pytest.mark.parametrize("size", [0, 1, 7, 64])
def test_a_list_instead_of_a_stream(size: int) -> None:
    """A gateway that knows nothing of `alt=sse`."""
    chunks = b",\r\n".join(
        event.removeprefix(b"data: ") for event in GOOD.split(b"\r\n\r\n") if event
    )
    whole, listed = anyio.run(partial(listen, GOOD, (0,))), b"[" + chunks + b"]"
    (heard,) = anyio.run(partial(listen, listed, (size,)))
    assert heard.deltas == whole[0].deltas
    (broken,) = anyio.run(partial(listen, b"[" + chunks + b"," + PRETTY_ERROR + b"]", (size,)))
    assert isinstance(broken.error, RetryableError)
    assert not broken.text, "what came before the error is not given twice when it is asked again"


def test_free_tier_errors() -> None:
    """Five requests a minute pass again after the window; those of a day do not."""

    def error(quota: str, value: str, wait: str) -> ProviderError:
        violation = {"quotaId": quota, "quotaMetric": "m"} | (
            {"quotaValue": value} if value else {}
        )
        body = {
            "error": {
                "code": 429,
                "status": "RESOURCE_EXHAUSTED",
                "message": f"You exceeded your current quota. limit: {value or 0}",
                "details": [
                    {"@type": "x/google.rpc.QuotaFailure", "violations": [violation]},
                    {"@type": "x/google.rpc.RetryInfo", "retryDelay": wait},
                ],
            }
        }
        return classify(429, {}, json.dumps(body).encode(), provider="p")

    minute = error("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "5", "57s")
    assert (type(minute), minute.retry_after) == (RetryableError, 57.0)
    day = error("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "20", "57s")
    assert type(day) is QuotaExhaustedError
    never = error("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "", "19s")
    assert type(never) is QuotaExhaustedError
