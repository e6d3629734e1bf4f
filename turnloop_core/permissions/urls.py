"""Addresses as subjects, and the patterns that rules have for them.

An address is taken apart by hand and strictly: where two programs could disagree on the host (user
information, a backslash, blanks, an escaped host), there is no address, only an undecidable
subject. Nothing here resolves a name; who connects passes on what it found as `resolved`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from turnloop_core.permissions.text import printable
from turnloop_core.permissions.wildcards import pieces_match
from turnloop_core.types.subjects import Subject, SubjectKind
from turnloop_core.values import dataclass

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

_PORTS = {"http": 80, "https": 443}
_ADDRESS = re.compile(r"(?i:(https?))://([^/?#]+)([^#]*)(?:#.*)?", re.DOTALL)
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]@%]+)(?::([0-9]{0,5}))?")
_SUSPECT = re.compile(r"[\x00-\x20\x7f\\]")
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?")
_DOT = re.compile(r"%2e", re.IGNORECASE)
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_LOCAL_NAMES = ("localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp")


@dataclass(frozen=True, slots=True)
class Address:
    """An http address in normal form: `rest` is path and query, dot segments removed."""

    scheme: str
    host: str
    port: int
    rest: str

    @property
    def origin(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"

    def __str__(self) -> str:
        return self.origin + self.rest


@dataclass(frozen=True, slots=True)
class UrlPattern:
    """`scheme://host[:port]/glob`. `port` is None when the pattern names none."""

    scheme: str
    host: str
    port: int | None
    rest: tuple[str, ...]

    def matches(self, address: Address, *, wide: bool) -> bool:
        """Whether it names the address. `wide` (deny, ask) looks past scheme and standard port."""
        if not wide and address.scheme != self.scheme:
            return False
        port = self.port
        if port is None:
            port = address.port if wide else _PORTS[self.scheme]
        return (
            port == address.port
            and self._names(address.host, wide=wide)
            and pieces_match(self.rest, address.rest)
        )

    @property
    def many_hosts(self) -> bool:
        """It names no host, but all below one."""
        return self.host.startswith("*.")

    def _names(self, host: str, *, wide: bool) -> bool:
        if not self.many_hosts:
            return host == self.host
        return host.endswith(self.host[1:]) or (wide and host == self.host[2:])


def parse_address(url: str) -> Address | None:
    """The address in normal form, None when it is not plain what its host is."""
    url = url.strip()
    found = _ADDRESS.fullmatch(url)
    if found is None or _SUSPECT.search(url):
        return None
    authority = _AUTHORITY.fullmatch(found[2])
    if authority is None:
        return None
    host = _normal_host(authority[1])
    scheme = found[1].lower()
    port = int(authority[2] or _PORTS[scheme])
    if host is None or port > 65535:
        return None
    return Address(scheme, host, port, _normal_rest(found[3]))


def parse_url_pattern(pattern: str) -> UrlPattern:
    """Read the pattern of a rule.

    Raises:
        ValueError: it is not one; says why.
    """
    found = re.fullmatch(r"(https?)://([^/?#@\\\s]+)(/\S*)", pattern)
    if found is None:
        raise ValueError("an address is written scheme://host[:port]/glob, with http or https")
    host, colon, port = found[2].rpartition(":")
    if not colon or found[2].endswith("]"):
        host, port = found[2], ""
    if port and not (port.isascii() and port.isdecimal() and int(port) < 65536):
        raise ValueError(f"{port!r} is not a port")
    base = _normal_host(host.removeprefix("*."))
    if base is None or "*" in base:
        raise ValueError(f"the host {host!r} must be whole, or begin with *.")
    if host.startswith("*."):
        base = f"*.{base}"
    rest = tuple(_normal_rest(found[3]).split("*"))
    return UrlPattern(found[1], base, int(port) if port else None, rest)


def url_subject(url: str, resolved: Sequence[str] = ()) -> Subject:
    """The subject of fetching an address.

    Args:
        url: as given.
        resolved: the IP addresses that the name stands for, where somebody knows them.
    """
    address = parse_address(url)
    if address is None:
        return Subject(
            SubjectKind.URL,
            url.strip(),
            display=printable(url.strip()),
            dynamic=True,
            reason="it is not plain which host this address means",
        )
    return Subject(SubjectKind.URL, str(address), _wide(address, resolved), printable(str(address)))


def _wide(address: Address, resolved: Sequence[str]) -> tuple[str, ...]:
    plain = _normal_rest(_ESCAPE.sub(_unescaped, address.rest))
    found = (_normal_host(_bracketed(ip)) for ip in resolved)
    hosts = (address.host, address.host.rstrip("."), *found)
    forms = [
        Address(address.scheme, host, address.port, rest)
        for host in hosts
        if host
        for rest in (address.rest, plain)
    ]
    return tuple(dict.fromkeys(str(form) for form in forms if form != address))


def _unescaped(found: re.Match[str]) -> str:
    char = chr(int(found[1], 16))
    return char if char.isascii() and (char.isalnum() or char in "-._~/") else found[0]


def _bracketed(ip: str) -> str:
    return f"[{ip}]" if ":" in ip else ip


def is_private(host: str) -> bool:
    """Whether a normal host is loopback, private, link-local, or a name of the local network."""
    if (ip := _ip(host)) is not None:
        return not all(part.is_global and not part.is_multicast for part in _embedded(ip))
    name = host.rstrip(".")
    return "." not in name or name.rsplit(".", 1)[1] in _LOCAL_NAMES or name.endswith(".home.arpa")


def _embedded(ip: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    """The address, or the IPv4 addresses that an IPv6 address stands for."""
    from ipaddress import IPv4Address

    if isinstance(ip, IPv4Address):
        return [ip]
    inner = ip.ipv4_mapped or ip.sixtofour
    if ip.teredo:
        return [ip, *ip.teredo]
    if inner is None and int(ip) >> 32 in (0, 0x64FF9B << 64):  # compatible, NAT64
        inner = IPv4Address(int(ip) & 0xFFFFFFFF)
    return [ip] if inner is None else [inner]


def _ip(host: str) -> IPv4Address | IPv6Address | None:
    if ":" not in host and not host.replace(".", "").isdecimal():
        return None
    from ipaddress import ip_address

    try:
        return ip_address(host)
    except ValueError:
        return None


def _normal_host(host: str) -> str | None:
    """Lower case, ASCII, numbers as dotted addresses. None when it is no host."""
    if host.startswith("["):
        ip = _ip(host[1:-1]) if host.endswith("]") else None
        return str(ip) if ip is not None and ip.version == 6 else None
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    host = host.lower()
    if not _HOST.fullmatch(host):
        return None
    last = host.rstrip(".").rsplit(".", 1)[-1]
    if last.isdecimal() or re.fullmatch(r"0x[0-9a-f]*", last):
        return _numeric_host(host.rstrip("."))
    return host


def _numeric_host(host: str) -> str | None:
    """`2130706433`, `0x7f.1`, `0177.0.0.1`: what programs take for an IPv4 address."""
    numbers = []
    for part in host.split("."):
        base = 16 if part.startswith("0x") else 8 if part[0] == "0" and len(part) > 1 else 10
        try:
            numbers.append(int(part[2:] or "0" if base == 16 else part, base))
        except ValueError:
            return None
    *front, tail = numbers
    if len(numbers) > 4 or any(n > 255 for n in front) or tail >= 256 ** (5 - len(numbers)):
        return None
    value = tail + sum(n << (24 - 8 * place) for place, n in enumerate(front))
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


def _normal_rest(rest: str) -> str:
    """Path and query with dot segments removed, as programs do before they ask a server."""
    path, mark, query = rest.partition("?")
    kept: list[str] = []
    segments = path.split("/")[1:] if path else [""]
    for place, segment in enumerate(segments):
        plain = _DOT.sub(".", segment)
        if plain not in (".", ".."):
            kept.append(segment)
            continue
        if plain == ".." and kept:
            kept.pop()
        if place == len(segments) - 1:
            kept.append("")
    return "/" + "/".join(kept) + mark + query
