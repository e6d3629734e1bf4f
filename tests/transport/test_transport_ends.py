"""The transport on loopback: what is no stream, and what ends one early or keeps it waiting."""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import anyio
import pytest

from transport.bench import GOOD, Bench, Plain, ask, request
from turnloop_core.errors import (
    AuthError,
    BadReplyError,
    RequestRefusedError,
    StreamCutError,
)
from turnloop_core.testing.loopback import Answer, Gate, Loopback, free_port, sse
from turnloop_core.transport.client import Transport
from turnloop_core.transport.request import HttpRequest
from turnloop_core.types.deltas import Delta, End, Sent, TextDelta, Waiting
from turnloop_core.types.items import StopReason


@pytest.mark.parametrize(
    "answer",
    [
        Answer(200, {"content-type": "text/html"}, b"<html><title>Welcome</title></html>"),
        Answer(
            200, {"content-type": "text/event-stream"}, b"\n <!DOCTYPE html><title>Welcome</title>"
        ),
        Answer(200, {"content-type": "text/plain"}, b"Welcome"),
        Answer(200, {"content-type": "application/json"}, b'{"Welcome": "here"}'),
        Answer(200, {"content-type": "application/json"}, b'{"Welcome'),
    ],
)
def test_something_else_instead_of_a_stream(answer: Answer) -> None:
    bench, server = ask(answer)
    assert (type(bench.error), len(server.requests)) == (BadReplyError, 1)
    assert "Welcome" in str(bench.error)
    assert bench.error is not None
    assert "base_url" in bench.error.hint


@pytest.mark.parametrize("body", [b"", b"\n\n", [b" ", b"\n"]])
def test_an_empty_body(body: Any) -> None:
    bench, server = ask(Answer(200, body=body))
    assert (type(bench.error), len(server.requests)) == (BadReplyError, 1)
    assert "answered 200 with an empty body" in str(bench.error)


OVERLOADED = b'{"error": {"type": "overloaded_error", "message": "Overloaded"}}'
INVALID = b'{"error": {"type": "invalid_request_error", "message": "no"}}'


def test_a_json_error_with_status_200() -> None:
    for kind in ("application/json", "text/event-stream"):
        typed = {"content-type": kind}
        bench, server = ask(Answer(200, typed, OVERLOADED), GOOD)
        assert (bench.text, len(server.requests)) == ("one two", 2)
        bench, server = ask(Answer(200, typed, INVALID), GOOD)
        assert (type(bench.error), len(server.requests)) == (RequestRefusedError, 1)


def test_a_bare_json_error_within_a_stream() -> None:
    bench, _ = ask(Answer(body=sse("one") + INVALID))
    assert (bench.text, type(bench.error)) == ("one", RequestRefusedError)
    bench, _ = ask(Answer(body=sse("one") + OVERLOADED))
    assert (bench.text, type(bench.error)) == ("one", StreamCutError)
    bench, server = ask(Answer(body=b": ping\n\n" + OVERLOADED), GOOD)
    assert (bench.text, len(server.requests)) == ("one two", 2)


def test_closing_the_stream_closes_the_connection() -> None:
    gate = Gate()

    async def go(url: str) -> None:
        transport = Transport()
        async with aclosing(transport.stream(request(url), Plain)) as stream:
            async for delta in stream:
                if delta == TextDelta("one"):
                    break
        assert await anyio.to_thread.run_sync(gate.left.wait, 10.0)
        await transport.aclose()

    with Loopback(Answer(body=[sse("one"), gate])) as server:
        anyio.run(go, server.url)


@pytest.mark.parametrize("where", ["head", "body"])
def test_cancelling_closes_the_connection(where: str) -> None:
    gate = Gate()

    async def go(url: str) -> None:
        transport = Transport()

        async def read() -> None:
            async with aclosing(transport.stream(request(url), Plain)) as stream:
                async for _ in stream:
                    pass

        async with anyio.create_task_group() as group:
            group.start_soon(read)
            assert await anyio.to_thread.run_sync(gate.reached.wait, 10.0)
            group.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(gate.left.wait, 10.0)
        await transport.aclose()

    answer = Answer(hold=gate) if where == "head" else Answer(body=[sse("one"), gate])
    with Loopback(answer) as server:
        anyio.run(go, server.url)


def test_a_wait_can_be_interrupted() -> None:
    async def go(url: str) -> float:
        transport = Transport()
        start = time.monotonic()
        async with anyio.create_task_group() as group:

            async def read() -> None:
                async for delta in transport.stream(request(url), Plain):
                    if isinstance(delta, Waiting):
                        group.cancel_scope.cancel()

            group.start_soon(read)
        await transport.aclose()
        return time.monotonic() - start

    with Loopback(Answer(429, {"retry-after": "100"})) as server:
        assert anyio.run(go, server.url) < 50


def test_a_provider_has_a_limit_of_requests() -> None:
    gates = [Gate(), Gate()]

    async def go(url: str, server: Loopback) -> list[Delta]:
        transport = Transport()
        seen: list[Delta] = []
        made = request(url, max_concurrent=1)

        async def read(into: list[Delta]) -> None:
            async for delta in transport.stream(made, Plain):
                into.append(delta)

        async with anyio.create_task_group() as group:
            group.start_soon(read, [])
            assert await anyio.to_thread.run_sync(gates[0].reached.wait, 10.0)
            group.start_soon(read, seen)
            await anyio.wait_all_tasks_blocked()
            assert len(server.requests) == 1
            other = replace(made, provider="another")
            async for _ in transport.stream(other, Plain):
                pass
            gates[0].open()
        await transport.aclose()
        return seen

    with Loopback(Answer(body=[gates[0], sse("a", "[DONE]")]), GOOD, GOOD) as server:
        seen = anyio.run(go, server.url, server)
        assert len(server.requests) == 3
    waiting = Waiting("capacity", 0.0, "p takes 1 at once: waiting")
    assert seen == [waiting, Sent(), TextDelta("one"), TextDelta("two"), End(StopReason.END_TURN)]


def test_the_limit_is_given_back_whatever_happens() -> None:
    async def go(url: str) -> None:
        transport = Bench().transport
        made = request(url, max_concurrent=1)
        with anyio.fail_after(20):
            with pytest.raises(AuthError):
                await anext(_content(transport, made))
            async with aclosing(transport.stream(made, Plain)) as stream:
                await anext(stream)  # left in the middle
            assert await anext(_content(transport, made)) == TextDelta("one")
        await transport.aclose()

    async def _content(transport: Transport, made: HttpRequest) -> Any:
        async with aclosing(transport.stream(made, Plain)) as stream:
            async for delta in stream:
                if not isinstance(delta, (Sent, Waiting)):
                    yield delta

    with Loopback(Answer(401), GOOD) as server:
        anyio.run(go, server.url)


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{free_port()}")
    bench, _ = ask(GOOD)
    assert bench.text == "one two"
