"""The transport against a real server on loopback: retries, refusals, addresses, cuts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import anyio
import pytest

from transport.bench import GOOD, KEY, Bench, Plain, ask, request
from turnloop_core.errors import (
    AuthError,
    BadReplyError,
    ColdBootError,
    ContextOverflowError,
    ProviderError,
    QuotaExhaustedError,
    RequestRefusedError,
    RetryableError,
    SettingsError,
    StreamCutError,
    UnreachableError,
)
from turnloop_core.testing.loopback import Answer, Gate, Loopback, Recorded, free_port, pieces, sse
from turnloop_core.transport.client import Transport
from turnloop_core.transport.request import HttpRequest
from turnloop_core.transport.retry import RetryPolicy
from turnloop_core.types.deltas import End, Sent, TextDelta, Waiting
from turnloop_core.types.items import StopReason


def test_a_plain_stream() -> None:
    bench, server = ask(GOOD, body=[b'{"a":', b"1}"])
    assert bench.deltas == [Sent(), TextDelta("one"), TextDelta("two"), End(StopReason.END_TURN)]
    [got] = server.requests
    assert (got.method, got.path, got.body) == ("POST", "/v1/x", b'{"a":1}')
    assert got.headers["authorization"] == f"Bearer {KEY}"
    assert got.headers["content-length"] == "7"
    assert got.headers["accept-encoding"] == "identity"
    assert got.headers["user-agent"] == "turnloop"


def test_every_cut_of_the_bytes_gives_the_same() -> None:
    stream = sse("one", "two", "[DONE]")
    cuts = [[stream[:at], stream[at:]] for at in range(1, len(stream))]
    answers = [Answer(body=cut) for cut in [*cuts, pieces(stream, 1)]]

    async def go(url: str) -> list[str]:
        bench = Bench()
        texts: list[str] = []
        for _ in answers:
            bench.deltas.clear()
            async for delta in bench.transport.stream(request(url), Plain):
                bench.deltas.append(delta)
            texts.append(bench.text)
        await bench.transport.aclose()
        return texts

    with Loopback(*answers) as server:
        assert set(anyio.run(go, server.url)) == {"one two"}
        assert {got.connection for got in server.requests} == {0}, "the connection is kept alive"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_what_waiting_mends_is_asked_exactly_four_times(status: int) -> None:
    bad = Answer(status, body=b'{"error": {"message": "not now"}}')
    bench, server = ask(bad, bad, bad, bad, GOOD)
    assert (type(bench.error), len(server.requests), len(bench.slept)) == (RetryableError, 4, 3)
    assert bench.waits == [("retry", 1), ("retry", 2), ("retry", 3)]
    assert bench.error is not None
    assert bench.error.hint.startswith("gave up after 4 tries in ")


@pytest.mark.parametrize(
    ("status", "cls"),
    [
        (400, RequestRefusedError),
        (401, AuthError),
        (402, QuotaExhaustedError),
        (403, AuthError),
        (404, RequestRefusedError),
        (413, ContextOverflowError),
        (422, RequestRefusedError),
        (301, BadReplyError),
    ],
)
def test_what_waiting_does_not_mend_is_asked_once(status: int, cls: type[ProviderError]) -> None:
    body = b'{"error": {"message": "never, ' + KEY.encode() + b'"}}'
    bench, server = ask(Answer(status, {"location": "/"}, body), GOOD)
    assert (type(bench.error), len(server.requests), bench.slept) == (cls, 1, [])
    assert KEY not in str(bench.error)
    assert str(bench.error).endswith(f"({status}): never, <key>")


def test_a_wait_that_the_server_asks_for_is_kept_and_told() -> None:
    bench, server = ask(Answer(429, {"retry-after": "3"}, b"slow"), GOOD)
    assert (bench.text, len(server.requests)) == ("one two", 2)
    [seconds] = bench.slept
    assert 3 <= seconds <= 3.55
    waiting = Waiting("retry", seconds, "p: too many requests (429): slow", 1)
    assert bench.deltas[:3] == [Sent(), waiting, Sent()]


def test_a_loading_model_is_waited_for() -> None:
    loading = Answer(503, body=b'{"error": {"message": "Loading model", "code": 503}}')
    bench, server = ask(*[loading] * 5, GOOD)
    assert (bench.text, len(server.requests)) == ("one two", 6)
    assert bench.waits == [("boot", 0)] * 5
    bench, _ = ask(loading, loading, policy=RetryPolicy(boot_budget_s=1))
    assert type(bench.error) is ColdBootError


def test_an_endpoint_is_asked_for_its_health_until_it_is_ready() -> None:
    health = iter([503, 503, 200, 0, 200])
    replies = iter([Answer(502, body=b"<html></html>"), GOOD, GOOD])

    def answer(got: Recorded) -> Answer:
        if got.method == "POST":
            return next(replies)
        status = next(health)
        return Answer(status, drop=None if status else "close")

    async def go(bench: Bench, made: HttpRequest) -> None:
        for _ in range(2):
            async for delta in bench.transport.stream(made, Plain):
                bench.deltas.append(delta)
        await bench.transport.aclose()

    bench = Bench()
    with Loopback(handler=answer) as server:
        made = request(f"{server.url}/v1", health_url=f"{server.url}/health")
        anyio.run(go, bench, made)
    assert [(got.method, got.path) for got in server.requests] == [
        *[("GET", "/health")] * 3,  # before the first request
        ("POST", "/v1"),
        *[("GET", "/health")] * 2,  # after the 502
        *[("POST", "/v1")] * 2,  # the second request trusts the first
    ]
    assert bench.waits == [("boot", 0)] * 4
    assert bench.text == "one two one two"


def test_nobody_listens() -> None:
    bench = Bench()
    port = free_port()
    anyio.run(bench.ask, request(f"http://127.0.0.1:{port}/v1"))
    assert type(bench.error) is UnreachableError
    assert len(bench.slept) == 3
    assert str(bench.error).startswith(f"p: cannot reach 127.0.0.1:{port}: ")
    assert bench.error.hint.endswith("check base_url, and that the server is running")


def test_a_server_without_tls() -> None:
    bench = Bench()
    with Loopback() as server:
        anyio.run(bench.ask, request(f"https://127.0.0.1:{server.port}/v1"))
        assert server.requests == []
    assert type(bench.error) is UnreachableError
    assert f"127.0.0.1:{server.port}" in str(bench.error)


@pytest.mark.parametrize(
    "url", ["", "localhost:8000/v1", "ftp://x/v1", "http://", "http://[::1", "http://h:99999999/v1"]
)
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(SettingsError, match="base_url is no http address"):
        anyio.run(Bench().ask, request(url))


@pytest.mark.parametrize("key", ["line\nbreak", "\u201cquoted\u201d"])
def test_a_key_that_cannot_be_sent_is_not_shown(key: str) -> None:
    made = request("http://127.0.0.1:9/v1")
    bench = Bench()
    anyio.run(bench.ask, replace(made, headers={"authorization": f"Bearer {key}"}))
    assert type(bench.error) is AuthError
    assert key not in f"{bench.error} {bench.error.hint}"
    assert "P_KEY" in bench.error.hint


@pytest.mark.parametrize("drop", ["close", "reset"])
def test_dropped_before_any_byte(drop: Any) -> None:
    bench, server = ask(Answer(0, drop=drop), Answer(0, drop=drop), GOOD)
    assert (bench.text, len(server.requests), len(bench.slept)) == ("one two", 3, 2)


@pytest.mark.parametrize("drop", ["close", "reset"])
def test_dropped_after_the_head_or_within_the_first_event(drop: Any) -> None:
    for body in ([], [b": ping\n\n"], [b"data: on"]):
        bench, server = ask(Answer(body=body, drop=drop), GOOD)
        assert (bench.text, len(server.requests)) == ("one two", 2)


@pytest.mark.parametrize("drop", ["close", "reset"])
def test_dropped_after_a_part_is_raised_as_cut(drop: Any) -> None:
    gate = Gate()
    gate.open()
    bench, server = ask(Answer(body=[sse("one"), gate], drop=drop), GOOD)
    assert (type(bench.error), len(server.requests)) == (StreamCutError, 1)
    if drop == "close":  # a reset may overtake what was sent before
        assert bench.text == "one"
    assert isinstance(bench.error, StreamCutError)
    assert bench.error.cause == "dropped"


@pytest.mark.parametrize("until_close", [False, True])
def test_closed_properly_without_an_end(until_close: bool) -> None:
    bench, server = ask(Answer(body=sse("one"), until_close=until_close), GOOD)
    assert (bench.text, len(server.requests)) == ("one", 1)
    assert isinstance(bench.error, StreamCutError)
    assert bench.error.cause == "closed"


def test_closed_properly_within_an_event() -> None:
    bench, _ = ask(Answer(body=sse("one") + b'data: {"half'))
    assert isinstance(bench.error, StreamCutError)
    assert (bench.text, bench.error.cause) == ("one", "closed")


def test_an_end_mark_makes_up_for_a_dropped_connection() -> None:
    bench, server = ask(Answer(body=[sse("one", "[DONE]")], drop="close"))
    assert (bench.text, bench.error, len(server.requests)) == ("one", None, 1)
    assert bench.deltas[-1] == End(StopReason.END_TURN)


def test_a_server_that_keeps_the_body_open_after_the_end() -> None:
    gate = Gate()
    bench, _ = ask(Answer(body=[sse("one", "[DONE]"), gate]))
    assert (bench.text, bench.error) == ("one", None)
    assert gate.left.is_set()


def test_a_stall_ends() -> None:
    gate = Gate()
    bench, _ = ask(Answer(body=[sse("one"), gate]), timeout_s=0.05)
    assert isinstance(bench.error, StreamCutError)
    assert (bench.text, bench.error.cause) == ("one", "stalled")
    assert gate.left.is_set()


def test_a_server_that_never_answers_is_asked_again() -> None:
    bench, server = ask(*[Answer(hold=Gate()) for _ in range(4)], timeout_s=0.05)
    assert (type(bench.error), len(server.requests)) == (RetryableError, 4)
    assert "no answer from 127.0.0.1" in str(bench.error)


def test_keep_alives_alone_are_a_stall() -> None:
    ticks = iter(range(0, 10_000, 25))
    bench = Bench()
    bench.transport = Transport(sleep=bench._sleep, clock=lambda: float(next(ticks)))
    body = [sse("one"), *[b": ping\n\n"] * 30]
    gates = [Gate() for _ in body]
    for gate in gates:
        gate.open()
    mixed = [part for pair in zip(body, gates, strict=True) for part in pair]
    with Loopback(Answer(body=[*mixed, Gate()])) as server:
        made = request(server.url, timeout_s=60.0)
        anyio.run(bench.ask, made)
    assert isinstance(bench.error, StreamCutError)
    assert bench.error.cause == "stalled"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("htp://user:passw0rd@h/v1?key=1234567890", "'htp://h/v1'"),
        ("no address at all", "'no address at all'"),
    ],
)
def test_an_address_that_is_none_is_told_without_its_secrets(url: str, shown: str) -> None:
    with pytest.raises(SettingsError) as raised:
        request(url).check()
    assert str(raised.value) == f"p: base_url is no http address: {shown}"


def test_what_signs_in_within_an_address_is_a_secret() -> None:
    made = request("https://user:passw0rd@h/v1?key=1234567890&v=1")
    assert {"user:passw0rd", "passw0rd", "dXNlcjpwYXNzdzByZA==", "1234567890"} <= {*made.secrets}
