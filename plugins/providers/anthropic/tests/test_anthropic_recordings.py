"""Recorded streams and errors of the service decode as expected, whole and in pieces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from anthropic_events import decode

from turnloop_anthropic.provider import TOO_LONG
from turnloop_anthropic.wire import WIRE, seals
from turnloop_core.api import Speaker, classify
from turnloop_core.errors import (
    AuthError,
    ContextOverflowError,
    ProviderError,
    QuotaExhaustedError,
    RequestRefusedError,
    RetryableError,
    StreamCutError,
)
from turnloop_core.testing.loopback import pieces
from turnloop_core.types.deltas import (
    CallArguments,
    CallStart,
    Delta,
    End,
    OpaqueData,
    ReasoningDelta,
    TextDelta,
)
from turnloop_core.types.items import StopReason

FOLDER = Path(__file__).parents[4].parent / "shared" / "fixtures" / "wire" / "anthropic"
STREAMS = sorted(FOLDER.glob("*.sse"))
ERRORS = sorted(FOLDER.glob("err-*.expect.json"))
ABSENT = "the recorded wire fixtures are not beside the repository"
CLASSES: dict[type[ProviderError], str] = {
    RetryableError: "retryable",
    RequestRefusedError: "fatal",
    ContextOverflowError: "context_overflow",
    AuthError: "auth",
    QuotaExhaustedError: "quota_exhausted",
}


def summary(
    deltas: list[Delta], error: ProviderError | None, counts: dict[str, Any]
) -> dict[str, Any]:
    """The fields of an expectation, as far as deltas hold them."""
    sealed = [seals(d.data) for d in deltas if isinstance(d, OpaqueData)]
    end = next((d for d in deltas if isinstance(d, End)), None)
    stop = end.stop.value if end is not None else "error"
    if isinstance(error, StreamCutError):
        stop = "incomplete"
    begun = [
        {
            "id": start.id,
            "name": start.name,
            "arguments": "".join(
                d.fragment
                for d in deltas
                if isinstance(d, CallArguments) and d.block == start.block
            ),
        }
        for start in deltas
        if isinstance(start, CallStart)
    ]
    runs = end is not None and end.stop is StopReason.TOOL_USE
    return {
        "text": "".join(d.text for d in deltas if isinstance(d, TextDelta)),
        "reasoning": "".join(d.text for d in deltas if isinstance(d, ReasoningDelta)),
        "tool_calls": [{**c, "arguments": json.loads(c["arguments"])} for c in begun if runs],
        "incomplete": [_raw(c) for c in begun if not runs],
        "signatures": sum(signed for signed, _ in sealed),
        "opaque_blocks": sum(hidden for _, hidden in sealed),
        "stop_reason": stop,
        "raw_stop_reason": end.raw_stop if end is not None else None,
        "error": CLASSES.get(type(error)) if error else None,
        "usage": {**counts, "input_includes_cache": WIRE.input_includes_cache},
    }


def _raw(call: dict[str, Any]) -> dict[str, Any]:
    return {"id": call["id"], "name": call["name"], "arguments_raw": call["arguments"]}


def expectation(expected: dict[str, Any]) -> dict[str, Any]:
    names = ("text", "reasoning", "tool_calls", "signatures", "stop_reason", "raw_stop_reason")
    return {
        **{name: expected[name] for name in names},
        "incomplete": expected.get("incomplete_tool_calls", []),
        "opaque_blocks": expected.get("opaque_blocks", 0),
        "error": expected.get("error", {}).get("class"),
        "usage": expected["usage"],
    }


def counted(stream: bytes) -> dict[str, Any]:
    """The counts that the decoder tells, as the wire gave them."""
    parser, decoder = WIRE.framing(), WIRE.decoder(Speaker())
    try:
        for event in [*parser.feed(stream), *parser.close()]:
            decoder.feed(event)
    except ProviderError:
        pass
    return dict(decoder.counts())


@pytest.mark.skipif(not STREAMS, reason=ABSENT)
@pytest.mark.parametrize("path", STREAMS, ids=lambda p: p.stem)
def test_recorded_stream(path: Path) -> None:
    stream = path.read_bytes()
    expected = json.loads(path.with_suffix(".expect.json").read_text())
    assert summary(*decode(stream), counted(stream)) == expectation(expected)
    for size in (1, 7, 64):
        got, error = decode(*pieces(stream, size))
        assert got == decode(stream)[0]
        assert type(error) is type(decode(stream)[1])


@pytest.mark.skipif(not STREAMS, reason=ABSENT)
@pytest.mark.parametrize("path", STREAMS, ids=lambda p: p.stem)
def test_a_recorded_stream_cut_anywhere_is_never_whole(path: Path) -> None:
    stream = path.read_bytes()
    whole = stream.find(b"event: message_delta")
    for cut in range(1, whole if whole > 0 else len(stream), 97):
        deltas, error = decode(stream[:cut])
        assert error is not None
        assert not any(isinstance(delta, End) for delta in deltas)


@pytest.mark.skipif(not ERRORS, reason=ABSENT)
@pytest.mark.parametrize("path", ERRORS, ids=lambda p: p.name[:-12])
def test_recorded_error(path: Path) -> None:
    expected = json.loads(path.read_text())
    answer = json.loads(path.with_name(path.name.replace(".expect", "")).read_text())
    headers = {name.lower(): value for name, value in answer["headers"].items()}
    body = json.dumps(answer["body"]).encode()
    error = classify(answer["status"], headers, body, too_long=TOO_LONG)
    assert CLASSES[type(error)] == expected["class"]
    assert error.retry_after == expected["retry_after_s"]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("prompt is too long: 3 tokens > 2 maximum", ContextOverflowError),
        (
            "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000",
            ContextOverflowError,
        ),
        ("messages: text content blocks must be non-empty", RequestRefusedError),
    ],
)
def test_refusals_of_this_service(message: str, expected: type[ProviderError]) -> None:
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    got = classify(400, {}, json.dumps(error).encode(), too_long=TOO_LONG)
    assert type(got) is expected
