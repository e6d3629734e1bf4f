"""Which machines a call may connect to.

A call is judged by its address before anything is looked up, so a name that looks public is judged
as public. When it turns out to stand for a private address, the call was judged on a wrong premise:
it is refused, what was found out is remembered, and the next call with that name is judged by the
private address as well. Names are looked up once for a call, and what was checked is what is
connected to.
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from turnloop_core.api import Subject, TurnloopError, UsageError, is_private, url_subject

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

_LOOPBACK = ("127.0.0.1", "::1")
_MOST_REMEMBERED = 1_000


async def resolve(host: str, port: int) -> Sequence[str]:
    """The IP addresses of a name, as the system gives them.

    Raises:
        OSError: the system knows none.
    """
    import anyio

    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


class Addresses:
    """Makes the subject of an address, and finds what may be connected to.

    Args:
        resolve: (name, port) -> IP addresses.
    """

    def __init__(self, resolve: Resolve = resolve) -> None:
        self._resolve = resolve
        self._private: dict[str, tuple[str, ...]] = {}

    def subject(self, url: str) -> Subject:
        """What a call with this address is judged by. Looks nothing up.

        Raises:
            UsageError: it is no address that can be fetched; says why.
        """
        subject = url_subject(url)
        if subject.dynamic:
            raise UsageError(_why_not(subject.narrow))
        host = host_of(subject.narrow)
        known = _LOOPBACK if _is_localhost(host) else self._private.get(host, ())
        if known:
            subject = url_subject(url, known)
        if not known and not is_private(host):
            return subject
        means = f" ({', '.join(known)})" if known and not _is_localhost(host) else ""
        return replace(subject, reason=f"{host}{means} is this machine or its own network")

    async def checked(self, subject: Subject) -> tuple[str, ...]:
        """The IP addresses that a call with this subject may connect to, in order.

        Raises:
            TurnloopError: the name stands for nothing, or for something that the call was not
                judged by.
        """
        parts = urlsplit(subject.narrow)
        host = host_of(subject.narrow)
        if _is_ip(host):
            return (host,)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            found = tuple(dict.fromkeys(await self._resolve(host, port)))
        except (OSError, UnicodeError) as error:
            raise _unknown(host, getattr(error, "strerror", None) or str(error)) from error
        if not found:
            raise _unknown(host, "no address")
        judged = {host_of(form) for form in subject.forms}
        private = tuple(ip.partition("%")[0] for ip in found if is_private(ip))
        if unjudged := [ip for ip in private if ip not in judged]:
            self._remember(host, private)
            raise TurnloopError(
                f"not fetched: {host} stands for {', '.join(unjudged)}, an address of this machine "
                "or its own network, and this call was judged as one to the internet",
                hint="If that is what you want, call WebFetch with the same url once more: it is "
                "then judged by what the name stands for.",
            )
        return found

    def _remember(self, host: str, private: tuple[str, ...]) -> None:
        if len(self._private) >= _MOST_REMEMBERED:
            self._private.clear()
        self._private[host] = private


def host_of(url: str) -> str:
    """The host of an address in normal form, without brackets."""
    return urlsplit(url).hostname or ""


def same_place(one: str, other: str) -> bool:
    """Whether two addresses in normal form are of one server; https may follow on http."""
    a, b = urlsplit(one), urlsplit(other)
    if a.hostname != b.hostname:
        return False
    same = (a.scheme, a.port) == (b.scheme, b.port)
    return same or ((a.scheme, b.scheme) == ("http", "https") and a.port is b.port is None)


def _is_localhost(host: str) -> bool:
    """Names that are this machine whatever anybody says (RFC 6761)."""
    name = host.rstrip(".")
    return name == "localhost" or name.endswith(".localhost")


def _is_ip(host: str) -> bool:
    return ":" in host or host.replace(".", "").isdecimal()


def _unknown(host: str, why: str) -> TurnloopError:
    return TurnloopError(
        f"the name {host} cannot be looked up ({why})",
        hint="Check its spelling; if other names fail as well, there is no network.",
    )


def _why_not(url: str) -> str:
    """One line for an address of which it is not plain which host it means."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        return "the address must be whole, https://example.org/page"
    if scheme.lower() not in ("http", "https"):
        return f"WebFetch reads http and https, not {scheme[:20]}; for files there is Read"
    if "@" in rest.partition("/")[0]:
        return "an address with a name or password in it is refused; leave them out"
    return (
        "it is not plain which host this address means; write it without blanks, backslashes "
        "and escapes before the path"
    )
