"""The same faults in the words of each wire: replies that end too early, errors, refusals.

Every wire gives the same few things, so that one suite can meet all of them. What stands between
the methods is the wire's own: its events, its ending marks, its shapes of errors.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from bug_project import legal
from turnloop_core.testing.loopback import Answer, sse
from turnloop_core.testing.wire import chat_chunks

ROOT = Path(__file__).parents[1]
# The wire's own tests know its events, and what its server refuses.
sys.path.append(str(ROOT / "plugins" / "providers" / "anthropic" / "tests"))

KEY = "key-of-the-test"
PAGE = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>x</body></html>"
Shape = tuple[int, dict[str, Any]]


class FaultWire(Protocol):
    """One wire.

    Attributes:
        kind: of its entries in settings.
        model: a model whose id the adapter may know or not.
        path: what its `base_url` ends with.
        too_long: what servers of this family say of a request that is too long.
    """

    kind: str
    model: str
    path: str
    too_long: tuple[Shape, ...]

    def begun(self, text: str) -> bytes:
        """A reply that breaks off within its text."""
        ...

    def in_call(self, text: str, arguments: str) -> bytes:
        """A reply between two events within a call; after it, where calls come whole."""
        ...

    def half_call(self, text: str, arguments: str) -> bytes:
        """A reply that breaks off within the arguments of a call."""
        ...

    def whole_call(self, text: str, arguments: str) -> bytes:
        """A reply with a whole call, and no ending mark."""
        ...

    def reply(self, text: str, arguments: str = "") -> bytes:
        """A whole reply, with a call of `Say` when there are arguments."""
        ...

    def alive(self) -> bytes:
        """A keep-alive."""
        ...

    def error(self, name: str, message: str = "") -> Shape:
        """Status and body of an error: a name of `NAMES`; a message of its own, or else ours."""
        ...

    def event(self, name: str, message: str = "") -> bytes:
        """The same error as an event of a stream."""
        ...

    def complaints(self, body: Any) -> list[str]:
        """What a strict server would refuse in a request."""
        ...


MESSAGES = {
    "rate": "Rate limit reached: requests per minute.",
    "capacity": "No capacity is available for this model at the moment.",
    "busy": "The model is overloaded.",
    "failed": "Something went wrong here.",
    "invalid": "temperature: no such value",
    "key": "Invalid API key given.",
    "forbidden": "This project may not do that.",
    "model": "The model test-model was not found.",
    "unprocessable": "field required: messages",
}


class OpenAI:
    """Chat completions."""

    kind = "openai_compat"
    model = "test-model"
    path = "/v1"
    _shapes: Mapping[str, tuple[int, str, str | None]] = {
        "rate": (429, "requests", "rate_limit_exceeded"),
        "capacity": (429, "capacity", None),
        "busy": (503, "server_error", "overloaded"),
        "failed": (500, "server_error", None),
        "invalid": (400, "invalid_request_error", "bad_value"),
        "key": (401, "invalid_request_error", "invalid_api_key"),
        "forbidden": (403, "invalid_request_error", "forbidden"),
        "model": (404, "invalid_request_error", "model_not_found"),
        "unprocessable": (422, "invalid_request_error", None),
        "day": (429, "tokens", "rate_limit_exceeded"),
        "zero": (429, "tokens", "rate_limit_exceeded"),
        "credit": (429, "insufficient_quota", "insufficient_quota"),
    }
    _messages: Mapping[str, str] = MESSAGES | {
        "day": "Rate limit reached for m on tokens per day (TPD): Limit 100000, Used 99950,"
        " Requested 800. Please try again in 7m12s.",
        "zero": "Rate limit reached for m on tokens per min (TPM): Limit 0, Used 0, Requested 40.",
        "credit": "You exceeded your current quota, please check your plan and billing details.",
    }

    def __init__(self) -> None:
        self.too_long = (
            self._made(
                400,
                "This model's maximum context length is 8192 tokens. However, your messages"
                " resulted in 9041 tokens.",
                "invalid_request_error",
                "context_length_exceeded",
            ),
            self._made(
                400,
                "the request exceeds the available context size. try increasing the context size",
                "exceed_context_size_error",
                None,
            ),
            self._made(400, "Please reduce the length of the messages.", "x", None),
            (413, {"error": {"message": "Request too large"}}),
        )

    def begun(self, text: str) -> bytes:
        return sse(*chat_chunks(text=text, finish="", usage=None, done=False))

    def in_call(self, text: str, arguments: str) -> bytes:
        return self.half_call(text, arguments)

    def half_call(self, text: str, arguments: str) -> bytes:
        half = arguments[: len(arguments) // 2]
        return self.whole_call(text, half)

    def whole_call(self, text: str, arguments: str) -> bytes:
        calls = [("call_half", "Say", arguments)]
        return sse(*chat_chunks(text=text, calls=calls, finish="", usage=None, done=False))

    def reply(self, text: str, arguments: str = "") -> bytes:
        calls = [(f"call_{len(text)}", "Say", arguments)] if arguments else []
        return sse(*chat_chunks(text=text, calls=calls))

    def alive(self) -> bytes:
        return b": keep-alive\n\n"

    def error(self, name: str, message: str = "") -> Shape:
        status, kind, code = self._shapes[name]
        return self._made(status, message or self._messages[name], kind, code)

    def _made(self, status: int, message: str, kind: str, code: str | None) -> Shape:
        return status, {"error": {"message": message, "type": kind, "param": None, "code": code}}

    def event(self, name: str, message: str = "") -> bytes:
        return sse(self.error(name, message)[1])

    def complaints(self, body: Any) -> list[str]:
        return [] if legal(body["messages"]) else [json.dumps(body["messages"])]


class Anthropic:
    """The messages API."""

    kind = "anthropic"
    model = "claude-sonnet-4-5"
    path = "/v1"
    _shapes: Mapping[str, tuple[int, str]] = {
        "rate": (429, "rate_limit_error"),
        "capacity": (429, "rate_limit_error"),
        "busy": (529, "overloaded_error"),
        "failed": (500, "api_error"),
        "invalid": (400, "invalid_request_error"),
        "key": (401, "authentication_error"),
        "forbidden": (403, "permission_error"),
        "model": (404, "not_found_error"),
        "unprocessable": (422, "invalid_request_error"),
        "day": (429, "rate_limit_error"),
        "zero": (429, "rate_limit_error"),
        "credit": (400, "invalid_request_error"),
    }
    _messages: Mapping[str, str] = MESSAGES | {
        "model": "model: test-model",
        "day": "Number of request tokens has exceeded your daily rate limit.",
        "zero": "This request would exceed your rate limit of 0 input tokens per minute.",
        "credit": "Your credit balance is too low to access the API.",
    }

    def __init__(self) -> None:
        words = (
            "prompt is too long: 210000 tokens > 200000 maximum",
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
        )
        self.too_long = (
            *(self.error("invalid", text) for text in words),
            (413, self._made("request_too_large", "Request exceeds the maximum size")),
        )

    def begun(self, text: str) -> bytes:
        from anthropic_events import begin, stream, text as block

        half = len(text) // 2
        return stream(begin(), *block(0, text[:half], text[half:])[:-1])

    def in_call(self, text: str, arguments: str) -> bytes:
        return self.half_call(text, arguments)

    def half_call(self, text: str, arguments: str) -> bytes:
        return self._called(text, arguments[: len(arguments) // 2], whole=False)

    def whole_call(self, text: str, arguments: str) -> bytes:
        return self._called(text, arguments, whole=True)

    def _called(self, text: str, arguments: str, *, whole: bool) -> bytes:
        from anthropic_events import begin, call, stream, text as block

        said = call(1, f"toolu_{len(text)}", "Say", [arguments[:5], arguments[5:]], whole=whole)
        return stream(begin(), *block(0, text), *said)

    def reply(self, text: str, arguments: str = "") -> bytes:
        from anthropic_events import begin, end, stream, text as block

        if arguments:
            return self.whole_call(text, arguments) + stream(*end("tool_use"))
        return stream(begin(), *block(0, text), *end("end_turn"))

    def alive(self) -> bytes:
        return b'event: ping\ndata: {"type": "ping"}\n\n'

    def error(self, name: str, message: str = "") -> Shape:
        status, kind = self._shapes[name]
        return status, self._made(kind, message or self._messages[name])

    def _made(self, kind: str, message: str) -> dict[str, Any]:
        return {"type": "error", "error": {"type": kind, "message": message}}

    def event(self, name: str, message: str = "") -> bytes:
        return b"event: error\n" + sse(self.error(name, message)[1])

    def complaints(self, body: Any) -> list[str]:
        from anthropic_strict import complaints

        return list(complaints(body))


class Gemini:
    """The Gemini API."""

    kind = "gemini"
    model = "gemini-2.5-flash"
    path = "/v1beta"
    _shapes: Mapping[str, tuple[int, str]] = {
        "rate": (429, "RESOURCE_EXHAUSTED"),
        "capacity": (429, "RESOURCE_EXHAUSTED"),
        "busy": (503, "UNAVAILABLE"),
        "failed": (500, "INTERNAL"),
        "invalid": (400, "INVALID_ARGUMENT"),
        "key": (400, "INVALID_ARGUMENT"),
        "forbidden": (403, "PERMISSION_DENIED"),
        "model": (404, "NOT_FOUND"),
        "unprocessable": (422, "INVALID_ARGUMENT"),
        "day": (429, "RESOURCE_EXHAUSTED"),
        "zero": (429, "RESOURCE_EXHAUSTED"),
        "credit": (429, "RESOURCE_EXHAUSTED"),
    }
    _messages: Mapping[str, str] = MESSAGES | {
        "key": "API key not valid. Please pass a valid API key.",
        "model": "models/test-model is not found for API version v1beta.",
        "day": "You exceeded your current quota. Please retry in 11h2m.",
        "zero": "You exceeded your current quota. * Quota exceeded for metric: x, limit: 0",
        "credit": "You exceeded your current quota, please check your plan and billing details.",
    }
    _details: Mapping[str, tuple[dict[str, Any], ...]] = {
        "capacity": ({"@type": "t/ErrorInfo", "reason": "MODEL_CAPACITY_EXHAUSTED"},),
        "key": ({"@type": "t/ErrorInfo", "reason": "API_KEY_INVALID"},),
        "day": (
            {
                "@type": "t/QuotaFailure",
                "violations": [{"quotaId": "RequestsPerDayPerProject", "quotaValue": "250"}],
            },
            {"@type": "t/RetryInfo", "retryDelay": "39720s"},
        ),
        "zero": (
            {"@type": "t/QuotaFailure", "violations": [{"quotaId": "RequestsPerMinute"}]},
            {"@type": "t/RetryInfo", "retryDelay": "12s"},
        ),
    }

    def __init__(self) -> None:
        message = "The input token count (1200000) exceeds the maximum number of tokens allowed"
        self.too_long = (self.error("invalid", f"{message} (1048576)."),)

    def begun(self, text: str) -> bytes:
        half = len(text) // 2
        return sse(_chunk({"text": text[:half]}), _chunk({"text": text[half:]}))

    def in_call(self, text: str, arguments: str) -> bytes:
        return self.whole_call(text, arguments)

    def half_call(self, text: str, arguments: str) -> bytes:
        called = sse(_chunk(_call(arguments)))
        return self.begun(text) + called[: called.index(b'"args"') + 24]

    def whole_call(self, text: str, arguments: str) -> bytes:
        return self.begun(text) + sse(_chunk(_call(arguments)))

    def reply(self, text: str, arguments: str = "") -> bytes:
        body = self.whole_call(text, arguments) if arguments else self.begun(text)
        counts = {"promptTokenCount": 10, "candidatesTokenCount": 5}
        end = {"candidates": [{"finishReason": "STOP"}], "usageMetadata": counts}
        return body + sse(end)

    def alive(self) -> bytes:
        return b": keep-alive\n\n"

    def error(self, name: str, message: str = "") -> Shape:
        status, word = self._shapes[name]
        error = {"code": status, "message": message or self._messages[name], "status": word}
        details = self._details.get(name, ())
        return status, {"error": {**error, **({"details": list(details)} if details else {})}}

    def event(self, name: str, message: str = "") -> bytes:
        return sse(self.error(name, message)[1])

    def complaints(self, body: Any) -> list[str]:
        return list(_gemini_complaints(body["contents"]))


def _chunk(*parts: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}}]}


def _call(arguments: str) -> Mapping[str, Any]:
    return {"functionCall": {"name": "Say", "args": json.loads(arguments)}}


def _gemini_complaints(contents: list[Any]) -> Iterator[str]:
    """Every call has its result right after it, and nothing stands beside the results."""
    before, calls = "", 0
    for place, content in enumerate(contents):
        parts = content["parts"]
        results = sum("functionResponse" in part for part in parts)
        if results != calls or (results and results != len(parts)):
            yield f"contents[{place}]: {calls} calls, {results} results"
        calls = sum("functionCall" in part for part in parts)
        if calls and (content["role"] != "model" or before not in ("user", "results")):
            yield f"contents[{place}]: a call after {before}"
        if not parts or any(not part.get("text", "x").strip() for part in parts):
            yield f"contents[{place}]: a blank text"
        before = "results" if results else content["role"]
    if calls or before == "model":
        yield f"it ends with {before}"


WIRES: dict[str, FaultWire] = {wire.kind: wire for wire in (OpenAI(), Anthropic(), Gemini())}


def answer(shape: Shape, headers: Mapping[str, str] | None = None) -> Answer:
    """An error as the whole answer."""
    status, body = shape
    return Answer(status, headers or {}, json.dumps(body).encode())
