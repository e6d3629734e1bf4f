"""What goes over the wire, where it goes, and by which proxy."""

from __future__ import annotations

import gzip
import os
import socket
import zlib
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from transport.bench import GOOD, THREE, Bench, ask, request
from turnloop_core.errors import (
    AuthError,
    BadReplyError,
    ContextOverflowError,
    ProviderError,
    RequestRefusedError,
    SettingsError,
    UnreachableError,
)
from turnloop_core.testing.loopback import Answer, Loopback, free_port, pieces, sse
from turnloop_core.transport.address import Address, parse
from turnloop_core.transport.proxies import proxy_for

ONCE = replace(THREE, max_retries=0)


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://h", Address("http", "h", None, "/", "")),
        ("HTTP://LocalHost:80/v1", Address("http", "localhost", None, "/v1", "")),
        ("https://h:443/v1#part", Address("https", "h", None, "/v1", "")),
        ("https://h:8443/v1?a=b", Address("https", "h", 8443, "/v1?a=b", "")),
        ("http://h/a b/%20?\u00fc={x}", Address("http", "h", None, "/a%20b/%20?%C3%BC={x}", "")),
        ("http://[::1]:8000/", Address("http", "::1", 8000, "/", "")),
        ("http://b\u00fccher.example/", Address("http", "xn--bcher-kva.example", None, "/", "")),
        ("http://me:p%40ss@h/", Address("http", "h", None, "/", "me:p@ss")),
    ],
)
def test_addresses_become_plain_ascii(url: str, address: Address) -> None:
    assert parse(url) == address


def test_the_host_header_has_brackets_and_no_usual_port() -> None:
    urls = ("http://[::1]:80/", "http://[::1]:81/", "https://h:80/", "https://h:443/")
    assert [parse(url).host_header for url in urls] == ["[::1]", "[::1]:81", "h:80", "h"]


@pytest.mark.parametrize(
    "url",
    ["http://h/v\n1", "http://h/\u200bv1", "http://h\0/", "http://\u2603\u00fc.\u0640\u00fc/"],
)
def test_what_cannot_be_sent_is_no_address(url: str) -> None:
    with pytest.raises(SettingsError, match="base_url is no http address"):
        anyio.run(Bench().ask, request(url))


def sent_with(userinfo: str = "", **headers: str) -> dict[str, str]:
    bench = Bench()
    with Loopback(GOOD) as server:
        made = request(server.url.replace("//", f"//{userinfo}"))
        anyio.run(bench.ask, replace(made, headers=headers, body=[b"{", b"}"]))
        port = server.port
    assert (bench.error, bench.text) == (None, "one two")
    got = {**server.requests[0].headers}
    assert got.pop("host") == f"127.0.0.1:{port}"
    return got


USUAL = {
    "accept": "*/*",
    "accept-encoding": "identity",
    "connection": "keep-alive",
    "content-length": "2",
    "user-agent": "turnloop",
}


def test_the_adapter_has_the_last_word_on_headers() -> None:
    assert sent_with() == USUAL
    mine = {"User-Agent": "mine", "ACCEPT": "text/event-stream", "X-Empty": ""}
    assert sent_with(**mine) == USUAL | {name.lower(): value for name, value in mine.items()}


def test_a_user_in_the_address_signs_in() -> None:
    basic = {"authorization": "Basic bWU6cEBzcw=="}
    assert sent_with("me:p%40ss@", Authorization="Bearer x") == USUAL | basic


@pytest.mark.parametrize("name", ["two words", "b\u00e4d", ""])
def test_a_header_that_cannot_be_sent(name: str) -> None:
    bench = Bench()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        anyio.run(bench.ask, replace(request(url), headers={name: "shy-value"}))
        connection, _ = listening.accept()
        with connection:
            assert connection.recv(65_536) == b""
    assert (type(bench.error), str(bench.error)) == (
        RequestRefusedError,
        "p: the request cannot be sent",
    )


def test_a_reply_packed_in_a_way_that_cannot_be_read_is_named() -> None:
    packed = {"content-encoding": "BR"}
    bench, server = ask(Answer(200, packed, b"\x1f\x8b"))
    assert isinstance(bench.error, BadReplyError)
    assert "packs its reply (br)" in str(bench.error)
    assert len(server.requests) == 1
    bench, _ = ask(Answer(401, packed, b"jumbled"))
    assert isinstance(bench.error, AuthError)
    assert "jumbled" not in str(bench.error)


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(("name", "wbits"), [("gzip", 31), ("deflate", 15)])
def test_a_packed_reply_is_read_all_the_same(name: str, wbits: int, size: int) -> None:
    pack = zlib.compressobj(wbits=wbits)
    body = pack.compress(sse("one", "two", "[DONE]")) + pack.flush()
    bench, _ = ask(Answer(200, {"content-encoding": name}, pieces(body, size)))
    assert (bench.text, bench.error) == ("one two", None)


def test_a_packed_error_is_understood() -> None:
    body = gzip.compress(b'{"error": {"code": "context_length_exceeded", "message": "too long"}}')
    bench, _ = ask(Answer(400, {"content-encoding": "gzip"}, body))
    assert isinstance(bench.error, ContextOverflowError)


def test_a_reply_that_is_not_packed_as_it_says_is_no_success() -> None:
    bench, _ = ask(*[Answer(200, {"content-encoding": "gzip"}, sse("one", "[DONE]"))] * 10)
    assert isinstance(bench.error, ProviderError)
    assert bench.text == ""


def test_a_reply_that_says_it_is_plain_is() -> None:
    bench, _ = ask(Answer(200, {"Content-Encoding": "Identity"}, GOOD.body))
    assert bench.text == "one two"


@pytest.mark.parametrize(
    ("variables", "scheme", "host", "proxy"),
    [
        ({}, "http", "h", ""),
        ({"http_proxy": "http://p:1"}, "http", "h", "http://p:1"),
        ({"HTTP_PROXY": "p:1"}, "http", "h", "http://p:1"),
        ({"HTTP_PROXY": "http://p:1"}, "https", "h", ""),
        ({"HTTPS_PROXY": "http://p:1", "ALL_PROXY": "http://q:1"}, "https", "h", "http://p:1"),
        ({"ALL_PROXY": "http://q:1"}, "https", "h", "http://q:1"),
        ({"ALL_PROXY": "http://q:1", "NO_PROXY": "h"}, "https", "api.h", ""),
        ({"ALL_PROXY": "http://q:1", "NO_PROXY": "*"}, "https", "h", ""),
        ({"ALL_PROXY": "http://q:1", "NO_PROXY": "other"}, "https", "h", "http://q:1"),
        ({"NO_PROXY": "h"}, "http", "g", ""),
        *[
            ({"ALL_PROXY": "http://q:1"}, "http", host, "")
            for host in ("localhost", "x.localhost", "127.0.0.1", "::1")
        ],
    ],
)
def test_which_proxy(
    variables: dict[str, str], scheme: str, host: str, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert proxy_for(scheme, host) == proxy


def test_a_plain_request_goes_by_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    with Loopback(GOOD) as server:
        monkeypatch.setenv("HTTP_PROXY", f"http://me:key@127.0.0.1:{server.port}")
        anyio.run(bench.ask, request("http://model.invalid:8000/v1?a=b"))
    [got] = server.requests
    assert (bench.error, bench.text) == (None, "one two")
    assert got.path == "http://model.invalid:8000/v1?a=b"
    assert got.headers["host"] == "model.invalid:8000"
    assert got.headers["proxy-authorization"] == "Basic bWU6a2V5"


def test_a_proxy_that_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    with Loopback(Answer(407)) as server:
        monkeypatch.setenv("HTTPS_PROXY", server.url)
        anyio.run(bench.ask, replace(request("https://model.invalid/v1"), policy=ONCE))
    assert [(got.method, got.path) for got in server.requests] == [("CONNECT", "model.invalid:443")]
    assert type(bench.error) is UnreachableError
    assert "407" in str(bench.error)


def test_a_proxy_where_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{free_port()}")
    anyio.run(bench.ask, replace(request("http://model.invalid/v1"), policy=ONCE))
    assert type(bench.error) is UnreachableError


@pytest.mark.parametrize("proxy", ["socks5://key@h:1", "http://h:key", "http://"])
def test_a_proxy_that_is_none(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(SettingsError, match="the proxy that the environment names") as raised:
        anyio.run(Bench().ask, request("http://model.invalid/v1"))
    assert "HTTP_PROXY" in raised.value.hint
    assert "key" not in f"{raised.value}"


def test_authorities_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none"))
    with pytest.raises(SettingsError) as raised:
        anyio.run(Bench().ask, request("https://127.0.0.1:9/v1"))
    path = tmp_path / "none"
    assert str(raised.value) == f"SSL_CERT_FILE: no certificates can be read from {path}"
