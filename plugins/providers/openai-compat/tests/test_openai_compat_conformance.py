"""The provider passes the suite that every provider with a wire must pass."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
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
from turnloop_openai_compat.options import OpenAICompatOptions
from turnloop_openai_compat.provider import create

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass(frozen=True)
class Strict:
    """A server.

    Attributes:
        ids: what an id of a call must look like.
        user_after_tool: whether a user message may follow a tool message.
        known: fields of the body that it knows, None for all.
    """

    ids: re.Pattern[str] = re.compile(r".{1,40}")
    user_after_tool: bool = True
    known: frozenset[str] | None = None

    def complaints(self, body: Mapping[str, Any]) -> list[str]:
        """Everything that is wrong, one line each."""
        return [*self._head(body), *self._order(body["messages"])]

    def _head(self, body: Mapping[str, Any]) -> Iterator[str]:
        if self.known is not None and (more := set(body) - self.known):
            yield f"extra fields are not permitted: {sorted(more)}"
        for tool in body.get("tools", []):
            if not NAME.fullmatch(tool["function"]["name"]):
                yield f"bad name of a tool: {tool}"

    def _order(self, messages: list[Mapping[str, Any]]) -> Iterator[str]:
        waiting: list[str] = []  # calls that have no answer yet
        before = ""
        for place, message in enumerate(messages):
            role = message.get("role")
            where = f"messages[{place}] ({role})"
            if role == "tool":
                if message.get("tool_call_id") not in waiting:
                    yield f"{where} answers no call of the message before it"
                else:
                    waiting.remove(message["tool_call_id"])
            elif waiting:
                yield f"{where} comes before the answers to {waiting}"
                waiting = []
            if role == "system" and place:
                yield f"{where} is not the first"
            if role == "user" and before == "tool" and not self.user_after_tool:
                yield f"{where}: unexpected role 'user' after role 'tool'"
            if role not in ("system", "user", "assistant", "tool"):
                yield f"{where}: no such role"
            yield from (f"{where}: {problem}" for problem in self._content(message))
            if role == "assistant":
                waiting = [call["id"] for call in message.get("tool_calls", [])]
                if message.get("tool_calls") == []:
                    yield f"{where}: an empty list of calls"
            before = str(role)
        if waiting:
            yield f"the calls {waiting} have no answers"
        if before == "assistant":
            yield "the last message is the assistant's own"

    def _content(self, message: Mapping[str, Any]) -> Iterator[str]:
        content, calls = message.get("content"), message.get("tool_calls", [])
        if content is None:
            if not calls or message["role"] != "assistant":
                yield "no content"
        elif isinstance(content, str):
            if not content.strip():
                yield "blank content"
        else:
            yield from self._parts(content, message["role"])
        ids = [call["id"] for call in calls]
        if len(set(ids)) != len(ids):
            yield f"ids are not unique: {ids}"
        for call in calls:
            if not self.ids.fullmatch(call["id"]):
                yield f"bad id {call['id']!r}"
            if not NAME.fullmatch(call["function"]["name"]):
                yield f"bad name {call['function']['name']!r}"
            if not isinstance(json.loads(call["function"]["arguments"]), dict):
                yield "arguments are no object"

    def _parts(self, parts: list[Mapping[str, Any]], role: str) -> Iterator[str]:
        if not parts:
            yield "no parts"
        for part in parts:
            if part["type"] == "image_url" and role != "user":
                yield "a picture that is not the user's"
            if part["type"] == "text" and not part["text"].strip():
                yield "a blank part"


OPENAI = Strict()
MISTRAL = Strict(
    ids=re.compile(r"[a-zA-Z0-9]{9}"),
    user_after_tool=False,
    known=frozenset({"model", "stream", "max_tokens", "tools", "messages"}),
)


WORDS = {
    StopReason.END_TURN: "stop",
    StopReason.TOOL_USE: "tool_calls",
    StopReason.MAX_TOKENS: "length",
}
REFUSALS = {
    "overloaded": Answer(503, {"retry-after": "0"}, b'{"error": {"message": "overloaded"}}'),
    "too_long": Answer(400, body=b'{"error": {"code": "context_length_exceeded"}}'),
    "wrong_key": Answer(401, body=b'{"error": {"code": "invalid_api_key"}}'),
}


def chunk(delta: Mapping[str, Any], finish: str | None = None) -> Mapping[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def chunks(scenario: Scenario) -> list[Mapping[str, Any]]:
    """The content of a scenario, without its end."""
    made: list[Mapping[str, Any]] = [chunk({"role": "assistant", "content": ""})]
    if scenario.reasoning:
        made.append(chunk({"reasoning_content": scenario.reasoning}))
    made += [chunk({"content": piece}) for piece in scenario.text_pieces]
    for index, call in enumerate(scenario.calls):
        head = {"index": index, "id": call.id, "function": {"name": call.name, "arguments": ""}}
        made.append(chunk({"tool_calls": [head]}))
        made += [
            chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
            for piece in call.fragments
        ]
    return made


def ending(scenario: Scenario) -> list[str | Mapping[str, Any]]:
    usage = scenario.usage
    counts = {
        "prompt_tokens": usage.total_input,
        "completion_tokens": usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
    }
    return [chunk({}, WORDS[scenario.stop]), {"choices": [], "usage": counts}, "[DONE]"]


class Server:
    """Meets one scenario at every request."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._count = 0
        self.gate = Gate()

    def __call__(self, _: Recorded) -> Answer:
        self._count += 1
        refusal = REFUSALS.get(self._scenario.refusal)
        if refusal is not None and (self._scenario.refusal != "overloaded" or self._count == 1):
            return refusal
        content = sse(*chunks(self._scenario))
        if self._scenario.ending == "held":
            return Answer(body=[content, self.gate])
        if self._scenario.ending == "dropped":
            return Answer(body=[content], drop="close")
        return Answer(body=content + sse(*ending(self._scenario)))

    async def closed(self) -> bool:
        return await anyio.to_thread.run_sync(self.gate.left.wait, 10.0)


async def no_sleep(_: float) -> None:
    await anyio.lowlevel.checkpoint()


class TestOpenAICompat(HttpProviderConformance):
    known_model: ClassVar[str] = "gpt-4.1"
    vision_model: ClassVar[str] = "gpt-4o-mini"
    opaque: ClassVar[Any] = {
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "SEALED", "index": 0}]
    }
    returns_opaque: ClassVar[bool] = True
    strict: ClassVar[Strict] = OPENAI
    entry: ClassVar[Mapping[str, Any]] = {}

    def complaints(self, body: Any) -> Sequence[str]:
        return self.strict.complaints(body)

    @asynccontextmanager
    async def serve(self, scenario: Scenario) -> AsyncIterator[Served]:
        handler = Server(scenario)
        transport = Transport(sleep=no_sleep)
        with Loopback(handler=handler) as server, temporary_project({}) as project:
            entry = {"kind": "openai_compat", "model": "gpt-4.1", **self.entry}
            options = OpenAICompatOptions(**entry, base_url=f"{server.url}/v1")
            context = factory_context(project, "local", options=options, transport=transport)
            yield Served(
                create(context), lambda: [got.body for got in server.requests], handler.closed
            )
            await transport.aclose()


class TestWithTheOptionsForMistral(TestOpenAICompat):
    """The same, to a server that refuses more."""

    strict: ClassVar[Strict] = MISTRAL
    entry: ClassVar[Mapping[str, Any]] = {
        "call_ids": "short",
        "after_tools": "assistant",
        "extra_body": {"stream_options": None},
    }


CALL = {"id": "a", "function": {"name": "Read", "arguments": "{}"}}
HI, ASKS = {"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": [CALL]}
DONE = {"role": "tool", "tool_call_id": "a", "content": "x"}


def changed(**function: str) -> Mapping[str, Any]:
    return {**ASKS, "tool_calls": [{**CALL, "function": {**CALL["function"], **function}}]}


def test_the_strict_reader_complains() -> None:
    """A reader that takes everything would prove nothing."""
    good: list[Any] = [HI, ASKS, DONE]
    assert OPENAI.complaints({"messages": good}) == []
    bad: dict[str, list[Any]] = {
        "have no answers": [HI, ASKS],
        "comes before the answers": [HI, ASKS, HI],
        "answers no call": [HI, DONE],
        "the assistant's own": [HI, {"role": "assistant", "content": "x"}],
        "blank content": [{"role": "user", "content": " "}],
        "no content": [{"role": "user"}],
        "not the first": [HI, {"role": "system", "content": "x"}],
        "not unique": [HI, {**ASKS, "tool_calls": [CALL, CALL]}, DONE, DONE],
        "arguments are no object": [HI, changed(arguments="[]"), DONE],
        "bad name": [HI, changed(name="a b"), DONE],
        "an empty list": [HI, {"role": "assistant", "content": "x", "tool_calls": []}, HI],
        "no such role": [{"role": "function", "content": "x"}],
    }
    for words, messages in bad.items():
        assert words in "; ".join(OPENAI.complaints({"messages": messages})), words
    told = "; ".join(MISTRAL.complaints({"messages": [*good, HI], "stream_options": {}}))
    for words in ("extra fields", "bad id 'a'", "unexpected role"):
        assert words in told, words
