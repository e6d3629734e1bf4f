"""Refuses connections to anything but this machine; a pytest plugin.

In the root `conftest.py`:

    pytest_plugins = ["turnloop_core.testing.network"]

Tests that are marked `live` are let through. A refusal raises `RealNetworkError` where the
connection was tried, and fails the test even when the code under test swallows that.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


class RealNetworkError(AssertionError):
    """A test tried to reach the network."""


def is_local(host: object) -> bool:
    """Whether a host, as `connect` or `getaddrinfo` get it, is this machine."""
    if host in (None, "", b"", "localhost", b"localhost"):
        return True
    text = host.decode("latin-1") if isinstance(host, bytes) else str(host)
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False  # a name: asking for its address is already a connection
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


@contextmanager
def no_real_network() -> Iterator[list[str]]:
    """Within this block only loopback addresses and local sockets can be reached.

    Yields:
        What was refused, one line each.
    """
    refused: list[str] = []

    def judge(what: str, host: object) -> None:
        if not is_local(host):
            refused.append(f"{what} to {host!r}")
            raise RealNetworkError(
                f"{refused[-1]} is refused: tests use loopback only (mark it `live` if it must)"
            )

    def guard_method(name: str, place: int) -> Callable[..., Any]:
        original = getattr(socket.socket, name)

        def guarded(self: socket.socket, *arguments: Any) -> Any:
            address = arguments[place] if len(arguments) > abs(place) - 1 else None
            if self.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple):
                judge(name, address[0])
            return original(self, *arguments)

        return guarded

    def guard_lookup(name: str) -> Callable[..., Any]:
        original = getattr(socket, name)

        def guarded(host: Any, *arguments: Any, **options: Any) -> Any:
            judge(name, host)
            return original(host, *arguments, **options)

        return guarded

    with pytest.MonkeyPatch.context() as patch:
        for method, place in (("connect", 0), ("connect_ex", 0), ("sendto", -1)):
            patch.setattr(socket.socket, method, guard_method(method, place))
        for lookup in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
            patch.setattr(socket, lookup, guard_lookup(lookup))
        yield refused


@pytest.fixture(autouse=True)
def loopback_only(request: pytest.FixtureRequest) -> Iterator[None]:
    """Refuses the network to every test that is not marked `live`."""
    if request.node.get_closest_marker("live") is not None:
        yield
        return
    with no_real_network() as refused:
        yield
    if refused:
        pytest.fail(f"the test tried to reach the network: {'; '.join(refused)}", pytrace=False)
