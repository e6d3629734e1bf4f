"""What a call is judged by, and what names stand for.

A call is judged by its address before anything is looked up, so a name that looks public is judged
as public. What it turns out to stand for is judged once it is known, see `way.py`.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from turnloop_core.api import Subject, TurnloopError, UsageError, is_private, url_subject

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

LONGEST = 2_000  # characters of an address
_SHOWN = 500
_BEFORE_PATH = re.compile(r"[A-Za-z]+://[^/?#\s]*(?=[/?])")
_HAS_PORT = re.compile(r"(?:\[[^\]]*\]|[^:\[\]]+):[^:\[\]]+")
_UNFIT = re.compile(r"[\x00-\x1f\x7f\\]")
_LOOPBACK = ("127.0.0.1", "::1")


async def resolve(host: str, port: int) -> Sequence[str]:
    """The IP addresses of a name, as the system gives them.

    Raises:
        OSError: the system knows none.
    """
    import anyio

    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


def subject_of(url: str, found: Sequence[str] = (), *, via: str = "") -> Subject:
    """What is judged of an address. Looks nothing up.

    Args:
        url: as the model, or a server, wrote it.
        found: the IP addresses that its name stands for, where they are known.
        via: how it came up, for the user, when the model did not write it.

    Raises:
        UsageError: it is no address that can be fetched; says why.
    """
    plain = url_subject(blanks_encoded(url))
    if len(plain.narrow) > LONGEST:
        raise UsageError(
            f"an address of {len(plain.narrow):,} characters is too long, {LONGEST:,} are read: "
            f"{short(plain.narrow, 100)}"
        )
    if plain.dynamic:
        raise UsageError(_why_not(plain.narrow))
    host = host_of(plain.narrow)
    itself = _is_localhost(host)
    stands_for = [ip.partition("%")[0] for ip in found] or (_LOOPBACK if itself else ())
    own = [ip for ip in stands_for if is_private(ip)]
    reasons = [via] if via else []
    if own or is_private(host):
        means = f" ({', '.join(own)})" if own and not itself and own != [host] else ""
        reasons.insert(0, f"{host}{means} is this machine or its own network")
    return replace(url_subject(plain.narrow, stands_for), reason="; ".join(reasons))


def short(url: str, most: int = _SHOWN) -> str:
    """An address for an answer or a fact: cut where it is long."""
    return url if len(url) <= most else f"{url[: most - 3]}..."


def blanks_encoded(url: str) -> str:
    """With the blanks in path and query encoded, as browsers do; not those before the path."""
    found = _BEFORE_PATH.match(url.strip())
    if not found:
        return url
    rest = url.strip()[found.end() :]
    return found[0] + rest.replace(" ", "%20")


async def look_up(url: str, resolve: Resolve) -> tuple[str, ...]:
    """The IP addresses that the host of an address in normal form stands for, in order.

    Raises:
        TurnloopError: it stands for nothing.
    """
    parts = urlsplit(url)
    host = host_of(url)
    if is_ip(host):
        return (host,)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        found = tuple(dict.fromkeys(await resolve(host, port)))
    except (OSError, UnicodeError) as error:
        raise _unknown(host, getattr(error, "strerror", None) or str(error)) from error
    if not found:
        raise _unknown(host, "no address")
    return found


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


def is_ip(host: str) -> bool:
    """Whether a host in normal form is an address in numbers."""
    return ":" in host or host.replace(".", "").isdecimal()


def _is_localhost(host: str) -> bool:
    """Names that are this machine whatever anybody says (RFC 6761)."""
    name = host.rstrip(".")
    return name == "localhost" or name.endswith(".localhost")


def _unknown(host: str, why: str) -> TurnloopError:
    return TurnloopError(
        f"the name {short(host, 100)} cannot be looked up ({why})",
        hint="Check its spelling; if other names fail as well, there is no network.",
    )


def _why_not(url: str) -> str:
    """One line for an address of which it is not plain which host it means."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        return "the address must be whole, https://example.org/page"
    if scheme.lower() not in ("http", "https"):
        return f"WebFetch reads http and https, not {scheme[:20]}; for files there is Read"
    place = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" in place:
        return "an address with a name or password in it is refused; leave them out"
    port = place.rpartition(":")[2] if _HAS_PORT.fullmatch(place) else ""
    if port and not (port.isascii() and port.isdecimal() and int(port[:9]) <= 65535):
        return f"{port[:20]!r} is no port; ports are numbers up to 65535"
    if _UNFIT.search(url[len(scheme) + 3 + len(place) :]):
        return "a backslash, line end or control character stands in the address; encode it (%5C)"
    return (
        "it is not plain which host this address means; write the host without blanks, "
        "backslashes and escapes"
    )
