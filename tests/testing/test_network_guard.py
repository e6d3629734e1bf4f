"""The guard against real connections."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from turnloop_core.testing.network import RealNetworkError, is_local, no_real_network

OUTSIDE = "192.0.2.1"  # reserved for documentation: nobody answers there


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "localhost", "", None, b"127.0.0.1"],
)
def test_this_machine_is_local(host: object) -> None:
    assert is_local(host)


@pytest.mark.parametrize(
    "host",
    ["192.0.2.1", "0.0.0.0", "10.0.0.1", "fe80::1%eth0", "::ffff:10.0.0.1", "localhost.example"],
)
def test_anything_else_is_not(host: str) -> None:
    assert not is_local(host)


def _tcp(method: str) -> None:
    with socket.socket() as sock:
        getattr(sock, method)((OUTSIDE, 9))


def _udp() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as sock:
        sock.sendto(b"x", (OUTSIDE, 53))


async def _async() -> None:
    await asyncio.open_connection(OUTSIDE, 9)


@pytest.mark.parametrize(
    "reach",
    [
        lambda: _tcp("connect"),
        lambda: _tcp("connect_ex"),
        _udp,
        lambda: socket.getaddrinfo("example.com", 443),
        lambda: socket.gethostbyname("example.com"),
        lambda: socket.create_connection(("example.com", 443)),
        lambda: asyncio.run(_async()),
    ],
    ids=["connect", "connect_ex", "sendto", "getaddrinfo", "gethostbyname", "create", "asyncio"],
)
def test_every_way_out_is_closed(reach) -> None:
    with no_real_network() as refused, pytest.raises(RealNetworkError, match="loopback only"):
        reach()
    assert len(refused) == 1


def test_loopback_and_local_sockets_stay_open(tmp_path: Path) -> None:
    with no_real_network() as refused:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(("127.0.0.1", server.getsockname()[1])).close()
        path = os.path.relpath(tmp_path / "s")  # short enough for a socket's name
        with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
            server.bind(path)
            server.listen()
            client.connect(path)
    assert refused == []


def test_everything_is_as_before_afterwards() -> None:
    before = socket.socket.connect, socket.getaddrinfo
    with no_real_network():
        assert socket.socket.connect is not before[0]
    assert (socket.socket.connect, socket.getaddrinfo) == before


def test_the_guard_is_on_for_this_very_test() -> None:
    assert "no_real_network" in socket.getaddrinfo.__qualname__


SUITE = """
import socket
import pytest

def test_swallows():
    with pytest.raises(AssertionError):
        socket.getaddrinfo("example.com", 443)

@pytest.mark.live
def test_live():
    assert socket.getaddrinfo.__module__ == "socket"
"""


def test_a_swallowed_refusal_fails_the_test_and_live_tests_go_through(pytester) -> None:
    pytester.makeconftest("pytest_plugins = ['turnloop_core.testing.network']")
    pytester.makeini("[pytest]\nmarkers = live: x")
    pytester.makepyfile(SUITE)
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    outcome.assert_outcomes(passed=2, errors=1)
    outcome.stdout.fnmatch_lines(["*tried to reach the network: getaddrinfo to 'example.com'*"])


def test_home_is_not_the_developers() -> None:
    assert Path(os.environ["HOME"]).name.startswith("turnloop-home-")
    assert not [name for name in os.environ if name.startswith("TURNLOOP_")]
