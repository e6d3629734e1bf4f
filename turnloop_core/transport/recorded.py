"""What becomes of a recorded answer: for `tl debug wire`, and for tests against recordings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from turnloop_core.errors import (
    AuthError,
    BadReplyError,
    ColdBootError,
    ContextOverflowError,
    ProviderError,
    QuotaExhaustedError,
    RejectedCallError,
    RetryableError,
    StreamCutError,
)
from turnloop_core.transport import waits
from turnloop_core.transport.body import Answer, Body
from turnloop_core.transport.errors import classify
from turnloop_core.transport.problem import read_problem
from turnloop_core.transport.speaker import Speaker
from turnloop_core.transport.wire_format import WireFormat
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
from turnloop_core.types.json_text import parse_json
from turnloop_core.values import dataclass

CLASSES: tuple[tuple[type[ProviderError], str], ...] = (  # the first that fits
    (ColdBootError, "cold_boot"),
    (RetryableError, "retryable"),
    (RejectedCallError, "retryable"),  # asked again it may be a good call
    (StreamCutError, "retryable"),
    (AuthError, "auth"),
    (QuotaExhaustedError, "quota_exhausted"),
    (ContextOverflowError, "context_overflow"),
)


def class_of(error: ProviderError) -> str:
    """The class of an error in one word; `fatal` when the same request will fail again."""
    return next((word for kind, word in CLASSES if isinstance(error, kind)), "fatal")


@dataclass(frozen=True, slots=True)
class Decoded:
    """What one recorded stream became."""

    deltas: tuple[Delta, ...]
    counts: Mapping[str, int | None]
    raw_stop: str = ""
    error: ProviderError | None = None


def decode(wire: WireFormat, data: bytes, chunk: int = 0, provider: str = "") -> Decoded:
    """Decode a recorded stream as the transport would.

    Args:
        wire: of the provider's kind.
        data: the body of the answer.
        chunk: bytes that come at once; 0 for all of them.
        provider: for messages.
    """
    speaker = Speaker(provider)
    decoder = wire.decoder(speaker)
    body = Body(Answer(speaker, "the recording"), wire.framing(), decoder)
    deltas: list[Delta] = []
    error = None
    try:
        for piece in _pieces(data, chunk):
            if body.done:
                break
            for delta in body.feed(piece):
                deltas.append(delta)  # noqa: PERF402 - kept when the next one raises
        deltas += body.close()
    except ProviderError as raised:
        error = raised
    return Decoded(tuple(deltas), decoder.counts(), decoder.raw_stop, error or decoder.late_error)


def describe_stream(
    wire: WireFormat, data: bytes, chunk: int = 0, provider: str = ""
) -> dict[str, Any]:
    """A recorded stream as plain values.

    Args:
        wire: of the provider's kind.
        data: the body of the answer.
        chunk: bytes that come at once; 0 for all of them.
        provider: for messages.

    Returns:
        `text`, `refusal`, `reasoning`, `tool_calls` (that may run), `incomplete_tool_calls` (that
        may not), `signatures`, `opaque_blocks`, `stop_reason`, `raw_stop_reason`, `error` (null
        without one) and `usage`.
    """
    got = decode(wire, data, chunk, provider)
    texts = [d for d in got.deltas if isinstance(d, TextDelta)]
    end = next((d for d in got.deltas if isinstance(d, End)), None)
    calls = list(_calls(got.deltas))
    runs = end is not None and end.stop is StopReason.TOOL_USE
    sealed = [wire.seals(d.data) for d in got.deltas if isinstance(d, OpaqueData)]
    usage = {**got.counts, "input_includes_cache": wire.input_includes_cache}
    return {
        "text": "".join(d.text for d in texts if d.block != "refusal"),
        "refusal": "".join(d.text for d in texts if d.block == "refusal"),
        "reasoning": "".join(d.text for d in got.deltas if isinstance(d, ReasoningDelta)),
        "tool_calls": [_parsed(call) for call in calls] if runs else [],
        "incomplete_tool_calls": [] if runs else calls,
        "signatures": sum(signatures for signatures, _ in sealed),
        "opaque_blocks": sum(blocks for _, blocks in sealed),
        "stop_reason": _stop(end, got.error),
        "raw_stop_reason": (end.raw_stop if end is not None else got.raw_stop) or None,
        "error": None if got.error is None else _error(got.error),
        "usage": usage,
    }


def describe_error(answer: Mapping[str, Any]) -> dict[str, Any]:
    """A recorded error answer as plain values.

    Args:
        answer: `status`, `headers` and `body`, the last a JSON value or a string.

    Returns:
        `class`, `retry_after_s` and where that wait stands: `header`, `body`, `message` or `none`.
    """
    body = answer.get("body")
    text = body if isinstance(body, str) else json.dumps(body) if body is not None else ""
    raw = text.encode("utf-8", "replace")
    headers = {str(k).lower(): str(v) for k, v in dict(answer.get("headers") or {}).items()}
    error = classify(int(answer.get("status") or 0), headers, raw)
    place = "none"
    if error.retry_after is not None:
        problem = read_problem(raw)
        place = "header" if waits.from_headers(headers) is not None else "body"
        if place == "body" and waits.from_words(problem.message) == error.retry_after:
            place = "message" if waits.from_details(problem) is None else "body"
    return {
        "class": class_of(error),
        "retry_after_s": error.retry_after,
        "retry_after_from": place,
        "message": str(error),
        "hint": error.hint,
    }


def _pieces(data: bytes, size: int) -> Iterator[bytes]:
    step = size or max(len(data), 1)
    return (data[start : start + step] for start in range(0, len(data), step))


def _calls(deltas: tuple[Delta, ...]) -> Iterator[dict[str, Any]]:
    fragments: dict[str, list[str]] = {}
    for delta in deltas:
        if isinstance(delta, CallArguments):
            fragments.setdefault(delta.block, []).append(delta.fragment)
    for start in deltas:
        if isinstance(start, CallStart):
            raw = "".join(fragments.get(start.block, ()))
            yield {"id": start.id or None, "name": start.name, "arguments_raw": raw}


def _parsed(call: dict[str, Any]) -> dict[str, Any]:
    """A call with its arguments as a value; as raw text where they are no JSON."""
    try:
        arguments = parse_json(call["arguments_raw"] or "{}")
    except ValueError:
        return call
    return {"id": call["id"], "name": call["name"], "arguments": arguments}


def _stop(end: End | None, error: ProviderError | None) -> str:
    if isinstance(error, StreamCutError):
        return StopReason.INCOMPLETE.value
    return end.stop.value if end is not None else StopReason.ERROR.value


def _error(error: ProviderError) -> dict[str, Any]:
    kind = "malformed" if isinstance(error, BadReplyError) else error.type
    return {
        "class": class_of(error),
        "type": kind or None,
        "code": int(error.code) if error.code.isdigit() else error.code or None,
        "status": error.status or None,
        "message": error.said or str(error),
    }
