"""Recorded streams decode as expected, whole and in small pieces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.errors import (
    ProviderError,
    RejectedCallError,
    RequestRefusedError,
    RetryableError,
    StreamCutError,
)
from turnloop_core.testing.loopback import pieces
from turnloop_core.transport.speaker import Speaker
from turnloop_core.transport.wire_format import TellingDecoder
from turnloop_core.types.deltas import (
    CallArguments,
    CallStart,
    Delta,
    End,
    OpaqueData,
    ReasoningDelta,
    TextDelta,
)
from turnloop_openai_compat.wire import WIRE

SHARED = Path(__file__).parents[4].parent / "shared" / "fixtures" / "wire"
FAMILY = [
    "openai",
    "azure",
    "deepseek",
    "gpustack",
    "groq",
    "mistral",
    "nvidia",
    "ollama",
    "openrouter",
    "vllm",
    "zai",
]
STREAMS = [path for vendor in FAMILY for path in sorted((SHARED / vendor).glob("*.sse"))]
CLASSES: dict[type[ProviderError], str] = {
    RetryableError: "retryable",
    RejectedCallError: "retryable",
    RequestRefusedError: "fatal",
}


def decode(*chunks: bytes) -> tuple[list[Delta], ProviderError | None]:
    return decoded(*chunks)[:2]


def decoded(*chunks: bytes) -> tuple[list[Delta], ProviderError | None, TellingDecoder]:
    parser, decoder = WIRE.framing(), WIRE.decoder(Speaker("p"))
    deltas: list[Delta] = []
    try:
        for chunk in chunks:
            for event in parser.feed(chunk):
                deltas += decoder.feed(event)
        for event in parser.close():
            deltas += decoder.feed(event)
        deltas += decoder.close()
    except ProviderError as error:
        return deltas, error, decoder
    return deltas, None, decoder


def summary(deltas: list[Delta], error: ProviderError | None) -> dict[str, Any]:
    """The fields of an expectation, as far as deltas hold them."""
    texts = [d for d in deltas if isinstance(d, TextDelta)]
    seals = [WIRE.seals(d.data) for d in deltas if isinstance(d, OpaqueData)]
    end = next((d for d in deltas if isinstance(d, End)), None)
    usage = end.usage if end is not None and end.usage.reported else None
    stop = end.stop.value if end is not None else "error"
    if isinstance(error, StreamCutError):
        stop = "incomplete"
    return {
        "text": "".join(d.text for d in texts if d.block == "text"),
        "refusal": "".join(d.text for d in texts if d.block == "refusal"),
        "reasoning": "".join(d.text for d in deltas if isinstance(d, ReasoningDelta)),
        "tool_calls": calls(deltas) if end is not None else [],
        "signatures": sum(signatures for signatures, _ in seals),
        "opaque_blocks": sum(blocks for _, blocks in seals),
        "stop_reason": stop,
        "raw_stop_reason": (end.raw_stop or None) if end is not None else None,
        "error": CLASSES.get(type(error)) if error else None,
        "usage": None
        if usage is None
        else (usage.total_input, usage.output, usage.cache_read, usage.cache_write),
    }


def calls(deltas: list[Delta]) -> list[dict[str, Any]]:
    return [
        {
            "id": start.id or None,
            "name": start.name,
            "arguments": json.loads(
                "".join(
                    d.fragment
                    for d in deltas
                    if isinstance(d, CallArguments) and d.block == start.block
                )
            ),
        }
        for start in deltas
        if isinstance(start, CallStart)
    ]


def expectation(expected: dict[str, Any], *, whole: bool) -> dict[str, Any]:
    usage = expected["usage"]
    counts = tuple(usage[name] or 0 for name in ("input", "output", "cache_read", "cache_write"))
    error = expected.get("error", {})
    return {
        "text": expected["text"],
        "refusal": expected.get("refusal", ""),
        "reasoning": expected["reasoning"],
        "tool_calls": expected["tool_calls"],
        "signatures": expected["signatures"],
        "opaque_blocks": expected.get("opaque_blocks", 0),
        "stop_reason": expected["stop_reason"],
        "raw_stop_reason": expected["raw_stop_reason"],
        "error": None if whole else error.get("class"),
        "usage": None if usage["input"] is None else counts,
    }


@pytest.mark.skipif(not STREAMS, reason="the recorded wire fixtures are not beside the repository")
@pytest.mark.parametrize("path", STREAMS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_recorded_stream(path: Path) -> None:
    stream = path.read_bytes()
    expected = json.loads(path.with_suffix(".expect.json").read_text())
    got = summary(*decode(stream))
    # an error object after the finish reason explains an end that has come already
    assert got == expectation(expected, whole=expected["stop_reason"] != "error")
    for size in (1, 7, 64):
        assert decode(*pieces(stream, size))[0] == decode(stream)[0]


@pytest.mark.skipif(not STREAMS, reason="the recorded wire fixtures are not beside the repository")
@pytest.mark.parametrize("path", STREAMS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_counts_as_the_wire_gives_them(path: Path) -> None:
    """Null where it says nothing, which is not the same as none."""
    expected = json.loads(path.with_suffix(".expect.json").read_text())
    usage = expected["usage"]
    assert usage.pop("input_includes_cache") is WIRE.input_includes_cache
    decoder = decoded(path.read_bytes())[2]
    assert decoder.counts() == usage
    assert (decoder.raw_stop or None) == expected["raw_stop_reason"]


@pytest.mark.skipif(not STREAMS, reason="the recorded wire fixtures are not beside the repository")
@pytest.mark.parametrize("path", STREAMS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_a_recorded_stream_cut_anywhere_is_never_taken_for_whole(path: Path) -> None:
    """Cut before the finish reason: no `End`, so that no call of it can run."""
    stream = path.read_bytes()
    marks = [stream.find(f'"finish_reason":"{word}"'.encode()) for word in ("stop", "length")]
    marks += [stream.find(f'"finish_reason":"{word}"'.encode()) for word in ("tool_calls",)]
    finish = min([mark for mark in marks if mark >= 0], default=len(stream) - 1)
    for cut in range(1, finish, max(1, finish // 50)):
        deltas, error = decode(stream[:cut])
        assert error is not None
        assert not any(isinstance(delta, End) for delta in deltas)
