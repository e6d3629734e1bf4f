"""Servers that speak something else, never end, or say nothing at length."""

from __future__ import annotations

import itertools
import random
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import anyio
import pytest

from transport.bench import THREE, Bench, Plain, ask, request
from turnloop_core.errors import BadReplyError, ProviderError, RetryableError
from turnloop_core.testing.loopback import Answer, Gate, Loopback
from turnloop_core.transport import attempt
from turnloop_core.transport.client import Transport
from turnloop_core.transport.waits import from_headers


@contextmanager
def speaking(answer: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """A server that sends these bytes and hangs up: its address, and what came."""
    came: list[bytes] = []

    def serve(listening: socket.socket) -> None:
        with suppress(OSError):  # closed: the test is over
            while True:
                connection, _ = listening.accept()
                with connection:
                    came.append(connection.recv(65_536))
                    connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}", came
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize(
    "answer",
    [b"SSH-2.0-OpenSSH_9.9\r\n\r\n", b"\x15\x03\x01\x00\x02\x02\x46", b"HTTP/1.1 000 No\r\n\r\n"],
)
def test_what_is_no_http_is_asked_once(answer: bytes) -> None:
    with speaking(answer) as (url, came):
        bench = Bench()
        anyio.run(bench.ask, request(url))
    assert (type(bench.error), len(came)) == (BadReplyError, 1)
    assert "does not speak HTTP" in str(bench.error)


def test_hanging_up_before_the_answer_is_tried_again() -> None:
    with speaking(b"") as (url, came):
        bench = Bench()
        anyio.run(bench.ask, request(url))
    assert (type(bench.error), len(came)) == (RetryableError, 4)


def test_tls_with_a_server_that_has_none_says_why() -> None:
    with speaking(b"HTTP/1.1 400 Bad\r\n\r\n") as (url, _):
        bench = Bench()
        anyio.run(
            bench.ask, request(url.replace("http:", "https:"), policy=replace(THREE, max_retries=0))
        )
    assert "SSL" in str(bench.error)


@pytest.mark.parametrize("blank", [b"\n", b" ", b"\r\n"])
def test_blanks_are_no_sign_of_life(blank: bytes) -> None:
    ticks = itertools.count()

    async def work(url: str) -> ProviderError:
        clock = lambda: float(next(ticks))  # noqa: E731
        transport = Transport(rng=random.Random(1), clock=clock)
        wanted = request(url, timeout_s=30.0, policy=replace(THREE, max_retries=0))
        with pytest.raises(RetryableError) as raised:
            async for _ in transport.stream(wanted, Plain):
                pass
        await transport.aclose()
        return raised.value

    gate = Gate()  # never opened: who waits for more than the blanks waits for ever
    with Loopback(Answer(body=[*[blank] * 500, gate])) as server:
        error = anyio.run(work, server.url)
    assert "nothing but keep-alives" in str(error)


def test_many_blanks_before_a_reply_are_dropped() -> None:
    bench, _ = ask(Answer(body=[b" \n" * 32_768] * 400 + [b"data: one\n\ndata: [DONE]\n\n"]))
    assert (bench.error, bench.text) == (None, "one")


def test_the_words_of_an_error_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "ERROR_BODY_S", 0.05)
    bench, _ = ask(Answer(400, body=[b"no such thing", Gate()]))
    assert "(400): no such thing" in str(bench.error)


def test_an_empty_answer_names_its_status() -> None:
    bench, _ = ask(Answer(204, {"content-length": "0"}))
    assert "answered 204 with an empty body" in str(bench.error)


def test_a_reply_that_every_try_cuts_is_given_up_for_good() -> None:
    bench, server = ask(*[Answer(body=[b": hello\n"], drop="reset")] * 4)
    assert (type(bench.error), len(server.requests)) == (RetryableError, 4)
    assert bench.error is not None
    assert "gave up after 4 tries" in bench.error.hint


@pytest.mark.parametrize(
    "value",
    ["soon", "", "-5", "0", "nan", "1e999", "9" * 400, "Mon, 99 Foo 99999999999 00:00:00 GMT"],
)
def test_a_wait_that_is_none(value: str) -> None:
    assert from_headers({"retry-after": value}) is None
