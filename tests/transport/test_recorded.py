"""What a recorded answer becomes, as `tl debug wire` tells it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.errors import (
    AuthError,
    BadReplyError,
    ColdBootError,
    ContextOverflowError,
    ProviderError,
    QuotaExhaustedError,
    ReasoningRefusedError,
    RejectedCallError,
    RequestRefusedError,
    RetryableError,
    StreamCutError,
    UnreachableError,
)
from turnloop_core.plugins import Switches, load_plugins
from turnloop_core.registry import load_object
from turnloop_core.testing.wire import sse
from turnloop_core.transport.recorded import class_of, decode, describe_error, describe_stream
from turnloop_core.transport.speaker import Speaker
from turnloop_core.transport.sse import SseEvent
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

SHARED = Path(__file__).parents[2].parent / "shared" / "fixtures" / "wire"
RECORDED = sorted(SHARED.glob("*/*.expect.json"))
KINDS = {"anthropic": "anthropic", "gemini": "gemini"}  # others speak the common wire
ABOUT_THE_FILE = frozenset({"source", "license", "recorded", "exercises", "notes", "also_accepted"})


class Toy:
    """A wire whose events name deltas."""

    def __init__(self, speaker: Speaker) -> None:
        self.done = False
        self.raw_stop = ""
        self.late_error: ProviderError | None = None
        self._speaker = speaker
        self._input: int | None = None

    def feed(self, event: SseEvent) -> Sequence[Delta]:
        value = self._speaker.read(event.data)
        if "error" in value:
            error = self._speaker.error(value)
            if not self.done:
                raise error
            self.late_error = error
        self._input = value.get("input", self._input)
        self.raw_stop = value.get("stop", self.raw_stop)
        self.done = self.done or bool(value.get("last"))
        return tuple(self._deltas(value))

    def _deltas(self, value: Mapping[str, Any]) -> list[Delta]:
        made: list[Delta] = []
        if "text" in value:
            made.append(TextDelta(value["text"], value.get("block", "t")))
        if "thought" in value:
            made.append(ReasoningDelta(value["thought"], "r"))
        if "seal" in value:
            made.append(OpaqueData("r", value["seal"], "reasoning"))
        if "call" in value:
            made.append(CallStart(value["block"], value["call"], value.get("id", "")))
        if "arguments" in value:
            made.append(CallArguments(value["block"], value["arguments"]))
        return made

    def close(self) -> Sequence[Delta]:
        if not self.raw_stop:
            raise self._speaker.cut()
        return (End(StopReason(self.raw_stop), raw_stop=self.raw_stop),)

    def counts(self) -> Mapping[str, int | None]:
        return {"input": self._input, "output": None, "cache_read": None, "cache_write": None}


WIRE = WireFormat(
    decoder=Toy,
    seals=lambda data: (int("sig" in data), int("hidden" in data)),
    input_includes_cache=False,
)
CALLS = (
    {"call": "Read", "block": "a", "id": "1"},
    {"call": "Grep", "block": "b"},
    {"arguments": '{"x": ', "block": "a"},
    {"arguments": "{bad", "block": "b"},
    {"arguments": "1}", "block": "a"},
)
NOTHING: dict[str, Any] = {
    "text": "",
    "refusal": "",
    "reasoning": "",
    "tool_calls": [],
    "incomplete_tool_calls": [],
    "signatures": 0,
    "opaque_blocks": 0,
    "stop_reason": "end_turn",
    "raw_stop_reason": None,
    "error": None,
    "usage": {
        "input": None,
        "output": None,
        "cache_read": None,
        "cache_write": None,
        "input_includes_cache": False,
    },
}
CUT = {
    "class": "retryable",
    "type": None,
    "code": None,
    "status": None,
    "message": "toy: the reply ended without its ending mark",
}
STREAMS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "words": (
        sse(
            {"thought": "hm "},
            {"thought": "ok", "seal": {"sig": 1}},
            {"seal": {"hidden": 1, "sig": 1}},
            {"text": "one "},
            {"text": "two", "block": "u"},
            {"text": "I may not", "block": "refusal"},
            {"stop": "end_turn", "input": 7},
        ),
        {
            "text": "one two",
            "refusal": "I may not",
            "reasoning": "hm ok",
            "signatures": 2,
            "opaque_blocks": 1,
            "raw_stop_reason": "end_turn",
            "usage": {**NOTHING["usage"], "input": 7},
        },
    ),
    "calls": (
        sse(*CALLS, {"stop": "tool_use"}),
        {
            "tool_calls": [
                {"id": "1", "name": "Read", "arguments": {"x": 1}},
                {"id": None, "name": "Grep", "arguments_raw": "{bad"},
            ],
            "stop_reason": "tool_use",
            "raw_stop_reason": "tool_use",
        },
    ),
    "calls that were cut": (
        sse(*CALLS, {"stop": "max_tokens"}),
        {
            "incomplete_tool_calls": [
                {"id": "1", "name": "Read", "arguments_raw": '{"x": 1}'},
                {"id": None, "name": "Grep", "arguments_raw": "{bad"},
            ],
            "stop_reason": "max_tokens",
            "raw_stop_reason": "max_tokens",
        },
    ),
    "no end": (
        sse({"text": "one"}),
        {"text": "one", "stop_reason": "incomplete", "error": CUT},
    ),
    "an error in the stream": (
        sse({"text": "one"}, {"error": {"type": "overloaded_error", "message": "Busy"}}),
        {
            "text": "one",
            "stop_reason": "error",
            "error": {
                "class": "retryable",
                "type": "overloaded_error",
                "code": None,
                "status": 529,
                "message": "Busy",
            },
        },
    ),
    "after the end": (
        sse({"text": "one", "stop": "end_turn", "last": 1}) + b"data: {not read\n\n",
        {"text": "one", "raw_stop_reason": "end_turn"},
    ),
    "nothing": (
        b"",
        {
            "stop_reason": "error",
            "error": {
                **CUT,
                "class": "fatal",
                "type": "malformed",
                "message": "toy: the recording answered 200 with an empty body",
            },
        },
    ),
    "no arguments": (
        sse({"call": "Read", "block": "a", "id": "1"}, {"stop": "tool_use"}),
        {
            "tool_calls": [{"id": "1", "name": "Read", "arguments": {}}],
            "stop_reason": "tool_use",
            "raw_stop_reason": "tool_use",
        },
    ),
}


@pytest.mark.parametrize("chunk", [0, 1, 7, 64, 10**30])
@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_as_plain_values(name: str, chunk: int) -> None:
    data, differs = STREAMS[name]
    told = describe_stream(WIRE, data, chunk, "toy")
    assert told == {**NOTHING, **differs}
    json.dumps(told, allow_nan=False)


def test_what_came_before_an_error_is_kept() -> None:
    got = decode(WIRE, sse({"text": "one"}, {"error": {"message": "no"}}))
    assert got.deltas == (TextDelta("one", "t"),)
    assert got.error is not None


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (RetryableError("x"), "retryable"),
        (ColdBootError("x"), "cold_boot"),
        (StreamCutError("x"), "retryable"),
        (RejectedCallError("x"), "retryable"),
        (AuthError("x"), "auth"),
        (QuotaExhaustedError("x"), "quota_exhausted"),
        (ContextOverflowError("x"), "context_overflow"),
        (RequestRefusedError("x"), "fatal"),
        (ReasoningRefusedError("x"), "fatal"),
        (BadReplyError("x"), "fatal"),
        (UnreachableError("x"), "fatal"),
    ],
)
def test_the_class_in_one_word(error: ProviderError, word: str) -> None:
    assert class_of(error) == word


RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}
ASKS = {"error": {"code": 429, "message": "Please retry in 34s.", "details": [RETRY_INFO]}}


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (
            {"status": 429, "headers": {"Retry-After": "3"}, "body": "try again in 9s"},
            ("retryable", 3.0, "header"),
        ),
        ({"status": 429, "headers": {}, "body": ASKS}, ("retryable", 34.0, "body")),
        (
            {"status": 429, "body": {"error": {"message": "Please try again in 1m0.5s."}}},
            ("retryable", 60.5, "message"),
        ),
        ({"status": 429, "headers": None, "body": None}, ("retryable", None, "none")),
        ({"status": 503, "headers": {"X": 1}, "body": "<html>"}, ("retryable", None, "none")),
        ({"status": 401, "headers": {}, "body": "no"}, ("auth", None, "none")),
        ({"status": 400, "headers": {}, "body": [1, 2]}, ("fatal", None, "none")),
        ({"status": 400, "headers": {}, "body": 7}, ("fatal", None, "none")),
        ({"status": 400, "headers": {}, "body": "\ud800"}, ("fatal", None, "none")),
        ({"status": 0, "headers": {}, "body": ""}, ("fatal", None, "none")),
    ],
)
def test_an_error_answer_as_plain_values(answer: Any, wanted: tuple[str, Any, str]) -> None:
    told = describe_error(answer)
    assert (told["class"], told["retry_after_s"], told["retry_after_from"]) == wanted
    assert set(told) == {"class", "retry_after_s", "retry_after_from", "message", "hint"}
    json.dumps(told, allow_nan=False)


# --- against recordings -----------------------------------------------------------------------


@cache
def _wire(kind: str) -> WireFormat:
    """The wire that the installed plugin of this kind registers."""
    entry = next((e for e in load_plugins(Switches()).registries.providers if e.name == kind), None)
    if entry is None or not entry.wire:
        pytest.skip(f"no plugin for the kind {kind} is installed")
    made = load_object(entry.wire)
    assert isinstance(made, WireFormat)
    return made


def _differences(told: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    also = wanted.get("also_accepted", {})
    found: dict[str, Any] = {}
    for key in wanted.keys() - ABOUT_THE_FILE:
        got, expected = told.get(key), wanted[key]
        if key == "error" and got and expected:
            got = {name: got.get(name) for name in (*expected, "message")}
            # Where the server said nothing, the words are ours.
            if expected.get("message") is None:
                expected = {**expected, "message": got["message"]}
        if got != expected and got not in also.get(key, []):
            found[key] = (got, expected)
    return found


@pytest.mark.skipif(not RECORDED, reason="the recorded wire fixtures are not beside the repository")
@pytest.mark.parametrize("path", RECORDED, ids=lambda p: f"{p.parent.name}/{p.name[:-12]}")
def test_recordings_become_what_is_expected(path: Path) -> None:
    wanted = json.loads(path.read_text("utf-8"))
    kind = KINDS.get(path.parent.name, "openai_compat")
    stream = path.with_name(path.name.replace(".expect.json", ".sse"))
    if not stream.exists():
        answer = json.loads(stream.with_suffix(".json").read_text("utf-8"))
        assert _differences(describe_error(answer), wanted) == {}
        return
    wire = _wire(kind)
    for chunk in (0, 1, 7, 64):
        told = describe_stream(wire, stream.read_bytes(), chunk, kind)
        assert _differences(told, wanted) == {}, f"in pieces of {chunk}"
