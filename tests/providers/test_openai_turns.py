"""Ten turns over the OpenAI wire: what a model sealed comes back to it byte for byte.

The server signs what it thinks, ties an encrypted block to each call, and refuses every request in
which one of them is missing, changed or out of place.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
from itertools import pairwise
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from bug_project import legal
from harness import FakeTool, Opened, opened, run
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.loopback import Answer, Gate, Loopback, Recorded, sse
from turnloop_core.testing.project import Project, bare_environment, temporary_project
from turnloop_core.transport.client import Transport
from turnloop_core.types.events import AttemptEnd
from turnloop_openai_compat.options import OpenAICompatOptions
from turnloop_openai_compat.provider import create

LAST = 9  # the turn, from 0, that answers in words
KEY = {"LOCAL_KEY": "key-of-the-test"}


def seal(text: str) -> str:
    """A signature: no letter of it may change. It holds what JSON escapes and what it need not."""
    return sha256(text.encode()).hexdigest() + '/+="\\\u00e9\u2028'


def details(turn: int, call_id: str) -> list[dict[str, Any]]:
    """What the vendor wants back of a turn, as one list."""
    thought = f'Turn {turn}: größer, \\ and "quoted".'
    return [
        {
            "type": "reasoning.text",
            "text": thought,
            "format": "vendor-v1",
            "index": 0,
            "signature": seal(thought),
        },
        {"type": "reasoning.encrypted", "data": seal(call_id), "id": call_id, "index": 1},
        {"type": "reasoning.summary", "summary": f"Summary {turn}", "index": 2},
    ]


def chunk(finish: str | None = None, **delta: Any) -> Mapping[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


class Vendor:
    """Plays the turns: which one comes next is read from the request, so it survives any restart.

    Args:
        tool: the tool that it calls, and the argument of each turn's call.
        hold: turn -> where to wait before that turn is answered.
        endless: the turn in which it thinks and thinks, unless its thinking is reduced.
    """

    def __init__(
        self, tool: str, argument: str, hold: Mapping[int, Gate] | None = None, endless: int = -1
    ) -> None:
        self._tool = tool
        self._argument = argument
        self._hold = hold or {}
        self._endless = endless
        self.gate = Gate()
        self.problems: list[str] = []
        self.checked = 0
        self.levels: list[Any] = []  # what each request says of thinking

    def __call__(self, request: Recorded) -> Answer:
        body = request.json
        replies = [m for m in body["messages"] if m["role"] == "assistant"]
        self._check(request.body, body["messages"], replies)
        level = body.get("reasoning_effort", body.get("reasoning"))
        self.levels.append(level)
        turn = len(replies)
        if turn == self._endless and level is None:
            return Answer(body=[sse(chunk(reasoning="Let me think again. " * 40)), self.gate])
        return Answer(body=self.says(turn), hold=self._hold.get(turn))

    def _check(self, raw: bytes, messages: list[Any], replies: list[Any]) -> None:
        if not legal(messages):
            self.problems.append(f"illegal: {messages}")
        for turn, reply in enumerate(replies[:LAST]):
            wanted = details(turn, f"call_{turn}")
            if reply.get("reasoning_details") != wanted:
                self.problems.append(f"turn {turn}: {reply}")
            for item in wanted:
                sealed = item.get("signature") or item.get("data") or item["summary"]
                if json.dumps(sealed, ensure_ascii=False).encode() not in raw:
                    self.problems.append(f"turn {turn}: not the bytes that were sent: {item}")
                self.checked += 1

    def says(self, turn: int) -> bytes:
        if turn >= LAST:
            return sse(chunk(content="All ten turns are done."), chunk("stop"), "[DONE]")
        call_id = f"call_{turn}"
        text, encrypted, summary = details(turn, call_id)
        signature = text.pop("signature")
        half = len(text["text"]) // 2
        pieces = [text["text"][:half], text["text"][half:]]
        function = {
            "name": self._tool,
            "arguments": json.dumps({self._argument: f"f{turn}.txt"}),
        }
        return sse(
            *[chunk(reasoning=p, reasoning_details=[{**text, "text": p}]) for p in pieces],
            chunk(
                reasoning_details=[{"type": "reasoning.text", "signature": signature, "index": 0}]
            ),
            chunk(reasoning_details=[encrypted]),
            chunk(reasoning_details=[summary]),
            chunk(content=f"Step {turn}."),
            chunk(tool_calls=[{"index": 0, "id": call_id, "function": function}]),
            chunk("tool_calls"),
            "[DONE]",
        )


async def no_sleep(_: float) -> None:
    await anyio.lowlevel.checkpoint()


@asynccontextmanager
async def talking(
    vendor: Vendor, entry: Mapping[str, Any], **options: Any
) -> AsyncIterator[tuple[Opened, Loopback]]:
    """A session over the real adapter, with one harmless tool."""
    transport = Transport(sleep=no_sleep)
    caps = {"max_context": 200_000, "max_output": 8_192, "reasoning": True}
    with temporary_project({}) as project, Loopback(handler=vendor) as server:
        settings = OpenAICompatOptions(
            kind="openai_compat",
            model="scripted-1",
            base_url=f"{server.url}/v1",
            caps=caps | dict(entry.get("caps", {})),
            **{name: value for name, value in entry.items() if name != "caps"},
        )
        context = factory_context(project, "scripted", options=settings, transport=transport)
        provider: Any = create(context)
        async with opened(project, scripted=provider, tools=[FakeTool()], **options) as session:
            yield session, server
        await transport.aclose()


def test_ten_turns_bring_back_what_was_sealed() -> None:
    vendor = Vendor("Say", "text")

    async def go() -> None:
        async with talking(vendor, {}) as (o, server):
            outcome = await o.session.run("Go through all of them.")
            assert outcome.text == "All ten turns are done."
            again = await o.session.run("And once more.")
            assert again.text == "All ten turns are done."
        bodies = [request.body for request in server.requests]
        assert len(bodies) == LAST + 2
        for before, after in pairwise(bodies):
            assert after.startswith(before[: -len(b"]}")]), "history was rewritten"

    run(go)
    assert vendor.problems == []
    assert vendor.checked == 3 * (sum(range(LAST + 1)) + LAST)


def test_what_was_sealed_goes_to_no_other_model() -> None:
    vendor = Vendor("Say", "text")

    async def go() -> None:
        async with talking(vendor, {}) as (o, server):
            await o.session.run("Go through all of them.")
            items = o.session.parts.log.view
            await _ask(o.session.parts.model.provider, items, "another-model")
            assert b"reasoning_details" in server.requests[-2].body
            assert b"reasoning_details" not in server.requests[-1].body
            assert b"signature" not in server.requests[-1].body

    run(go)


async def _ask(provider: Any, view: Any, model: str) -> None:
    from turnloop_core.ports.provider import Request

    async for _ in provider.stream(Request(view, model, 100)):
        pass


REDUCED: dict[str, tuple[dict[str, Any], Any]] = {
    "flag": ({"thinking_off_body": {"reasoning": {"enabled": False}}}, {"enabled": False}),
    "lowest_effort": ({}, "low"),
}


@pytest.mark.parametrize("how", REDUCED)
def test_thinking_is_reduced_in_the_third_turn_of_a_tool_loop(how: str) -> None:
    """It stays so until the next prompt, and the signed turns before it are still sent back."""
    fields, reduced = REDUCED[how]
    vendor = Vendor("Say", "text", endless=2)

    async def go() -> None:
        entry = {**fields, "caps": {"thinking_off": how}}
        async with talking(vendor, entry, settings={"thinking_cap": 60}) as (o, _):
            outcome = await o.session.run("Go through all of them.")
            assert outcome.text == "All ten turns are done."
            ends = {e.end for e in o.observer.events if e.kind == "attempt_ended"}
            assert ends == {AttemptEnd.TURN}, "asked again within one attempt"
            await o.session.run("And once more.")

    run(go)
    assert vendor.gate.left.is_set(), "the stream was not closed"
    assert vendor.problems == []
    # two turns, the endless one, the same again and the seven after it, the next prompt
    assert vendor.levels == [None, None, None, *[reduced] * 8, None]


def write_settings(project: Project, server: Loopback) -> None:
    entry = {
        "kind": "openai_compat",
        "base_url": f"{server.url}/v1",
        "model": "test-model",
        "api_key_env": "LOCAL_KEY",
        "caps": {"max_context": 100_000, "max_output": 4_096, "reasoning": True},
    }
    folder = project.home / ".turnloop"
    folder.mkdir()
    settings = {"provider": "local", "providers": {"local": entry}}
    (folder / "settings.json").write_text(json.dumps(settings))


def tl(project: Project, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "turnloop_core", *arguments],
        cwd=project.root,
        env=bare_environment(project.home) | KEY,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_killed_and_resumed_it_comes_back_all_the_same() -> None:
    files = {"pyproject.toml": ""} | {f"f{n}.txt": f"file {n}\n" for n in range(LAST)}
    gate = Gate()
    vendor = Vendor("Read", "file_path", hold={5: gate})
    with temporary_project(files) as project, Loopback(handler=vendor) as server:
        write_settings(project, server)
        process = tl(project, "-p", "Read all of them.")
        try:
            assert gate.reached.wait(30)
        finally:
            process.kill()  # SIGKILL: nothing is put in order
            process.communicate(timeout=30)
        before = len(server.requests)
        gate.open()
        process = tl(project, "--resume", "-p", "Go on.")
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err.decode()
        assert "All ten turns are done." in out.decode()
        first, resumed = server.requests[before - 1].body, server.requests[before].body
        assert resumed.startswith(first[: -len(b"]}")]), "the history was rewritten"
    assert vendor.problems == []
    assert vendor.checked >= 3 * sum(range(LAST + 1))
