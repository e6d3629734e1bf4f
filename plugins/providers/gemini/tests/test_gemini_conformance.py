"""The provider passes the suite that every provider with a wire must pass."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import anyio
import anyio.lowlevel

from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.http_suite import HttpProviderConformance, Served
from turnloop_core.testing.loopback import Answer, Gate, Loopback, Recorded, sse
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.scenarios import Scenario
from turnloop_core.transport.client import Transport
from turnloop_core.types.items import StopReason
from turnloop_gemini.options import GeminiOptions
from turnloop_gemini.provider import create

WORDS = {
    StopReason.END_TURN: "STOP",
    StopReason.TOOL_USE: "STOP",
    StopReason.MAX_TOKENS: "MAX_TOKENS",
}


def error(code: int, status: str, message: str) -> bytes:
    return json.dumps({"error": {"code": code, "message": message, "status": status}}).encode()


REFUSALS = {
    "overloaded": Answer(503, body=error(503, "UNAVAILABLE", "The model is overloaded.")),
    "too_long": Answer(
        400,
        body=error(
            400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number (8)."
        ),
    ),
    "wrong_key": Answer(400, body=error(400, "INVALID_ARGUMENT", "API key not valid.")),
}


def chunk(*parts: Mapping[str, Any], finish: str = "", **more: Any) -> Mapping[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], **more}


def usage(scenario: Scenario) -> Mapping[str, Any]:
    counts = scenario.usage
    return {
        "usageMetadata": {
            "promptTokenCount": counts.total_input,
            "cachedContentTokenCount": counts.cache_read,
            "candidatesTokenCount": counts.output - 7,
            "thoughtsTokenCount": 7,
        }
    }


def content(scenario: Scenario) -> bytes:
    """Everything but the end. A call comes whole on this wire: half a one is half an event."""
    made = [{"text": scenario.reasoning, "thought": True}] if scenario.reasoning else []
    texts: list[Any] = [*made, *({"text": piece} for piece in scenario.text_pieces)]
    body = sse(*(chunk(part) for part in texts))
    for call in scenario.calls:
        try:
            arguments = json.loads(call.arguments)
        except ValueError:
            if scenario.ending == "dropped":
                return body + b'data: {"candidates":[{"content":{"parts":[{"functionCall":{"na'
            continue  # the server throws away what its output limit cut
        body += sse(chunk({"functionCall": {"name": call.name, "args": arguments}}))
    return body


class Server:
    """Meets one scenario at every request."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._count = 0
        self.gate = Gate()

    def __call__(self, _: Recorded) -> Answer:
        self._count += 1
        scenario = self._scenario
        refusal = REFUSALS.get(scenario.refusal)
        if refusal is not None and (scenario.refusal != "overloaded" or self._count == 1):
            return refusal
        body = content(scenario)
        if scenario.ending == "held":
            return Answer(body=[body, self.gate])
        if scenario.ending == "dropped":
            return Answer(body=[body], drop="close")
        return Answer(body=body + sse(chunk(finish=WORDS[scenario.stop], **usage(scenario))))

    async def closed(self) -> bool:
        return await anyio.to_thread.run_sync(self.gate.left.wait, 10.0)


async def no_sleep(_: float) -> None:
    await anyio.lowlevel.checkpoint()


class Reader:
    """Reads a request as the real server does; `told` is what it would refuse."""

    def __init__(self, body: Any) -> None:
        self.told: list[str] = []
        self._open: list[str] = []  # names of the calls that wait for their results
        self._before = ""
        extra = set(body) - {"systemInstruction", "tools", "generationConfig", "contents"}
        if extra:
            self.told.append(f"unknown fields {extra}")
        for item in body["contents"]:
            self._content(item)
        if self._open:
            self.told.append("the last calls have no results")
        if self._before == "model":
            self.told.append("the request ends with words of the model")

    def _content(self, item: Any) -> None:
        if set(item) != {"role", "parts"} or item["role"] not in ("user", "model"):
            self.told.append(f"not a content: {item}")
        if not item["parts"]:
            self.told.append("a content without parts")
        for part in item["parts"]:
            self._part(part)
        calls = [p["functionCall"]["name"] for p in item["parts"] if "functionCall" in p]
        results = [p["functionResponse"]["name"] for p in item["parts"] if "functionResponse" in p]
        if calls and (item["role"] != "model" or self._before not in ("user", "results")):
            self.told.append("a call must follow the user or results")
        if results and len(results) != len(item["parts"]):
            self.told.append("something stands beside the results")
        if results != self._open or (results and item["role"] != "user"):
            self.told.append(f"{len(self._open)} calls, {len(results)} results after them")
        self._open = calls
        self._before = "results" if results else item["role"]

    def _part(self, part: Any) -> None:
        data = set(part) & {"text", "inlineData", "functionCall", "functionResponse"}
        extra = set(part) - data - {"thought", "thoughtSignature"}
        if len(data) != 1 or extra:
            self.told.append(f"not a part: {part}")
        if not part.get("text", "x").strip() and "thoughtSignature" not in part:
            self.told.append("a blank text")
        if "functionCall" in part and not isinstance(part["functionCall"]["args"], dict):
            self.told.append("args are no object")
        response = part.get("functionResponse", {}).get("response", {"output": "x"})
        if set(response) not in ({"output"}, {"error"}):
            self.told.append(f"not a response: {response}")


class TestGemini(HttpProviderConformance):
    history_key: ClassVar[str] = "contents"
    text_keys: ClassVar[frozenset[str]] = frozenset({"text", "output", "error"})
    known_model: ClassVar[str] = "gemini-2.5-flash"
    vision_model: ClassVar[str] = "gemini-flash-latest"
    opaque: ClassVar[Any] = {"thoughtSignature": "U0VBTEVE"}
    returns_opaque: ClassVar[bool] = True

    def complaints(self, body: Any) -> Sequence[str]:
        return Reader(body).told

    @asynccontextmanager
    async def serve(self, scenario: Scenario) -> AsyncIterator[Served]:
        handler = Server(scenario)
        transport = Transport(sleep=no_sleep)
        with Loopback(handler=handler) as server, temporary_project({}) as project:
            options = GeminiOptions(
                kind="gemini", model="gemini-2.5-flash", base_url=f"{server.url}/v1beta"
            )
            context = factory_context(project, "local", options=options, transport=transport)
            yield Served(
                create(context), lambda: [got.body for got in server.requests], handler.closed
            )
            await transport.aclose()


def test_the_strict_reader_is_strict() -> None:
    def complaints(*contents: Any) -> list[str]:
        return Reader({"contents": list(contents)}).told

    def user(*parts: Any) -> Any:
        return {"role": "user", "parts": list(parts)}

    def model(*parts: Any) -> Any:
        return {"role": "model", "parts": list(parts)}

    call = {"functionCall": {"name": "f", "args": {}}}
    answer = {"functionResponse": {"name": "f", "response": {"output": "x"}}}
    text = {"text": "x"}
    assert complaints(user(text), model(text, call, call), user(answer, answer)) == []
    assert complaints(user(text), model(call), user(answer), user(text)) == []
    for bad in (
        (user(text), model(call), user(text)),
        (user(text), model(call), user(answer, text)),
        (user(text), model(call), user(answer, answer)),
        (user(text), model(text), model(call), user(answer)),
        (model(call), user(answer)),
        (user(text), user(answer)),
        (user({"text": " "}),),
        (user(text), model(text)),
        (user({"text": "x", "inlineData": {}}),),
    ):
        assert complaints(*bad), bad
