"""Addresses as the wire wants them: plain ASCII, and what of them belongs into headers."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlsplit

_PORTS = {"http": 80, "https": 443}
# What is encoded already stays as it is; the rest are the marks that a path or query may hold.
_IN_PATH = "%!$&'()*+,;=:@/[]|\\^"
_IN_QUERY = _IN_PATH + "?`{}"


class Address(NamedTuple):
    """Where a request goes.

    Attributes:
        scheme: `http` or `https`.
        host: in ASCII, without brackets.
        port: None where it is the scheme's own.
        target: path and query.
        userinfo: `name:password` as it stands in the address, decoded; "" when there is none.
    """

    scheme: str
    host: str
    port: int | None
    target: str
    userinfo: str

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"


def parse(url: str) -> Address:
    """The address that `url` names.

    Raises:
        ValueError: it names none.
    """
    if not url.isprintable():
        raise ValueError("it holds what cannot be seen")
    parts = urlsplit(url)
    port = parts.port
    target = quote(parts.path, safe=_IN_PATH) or "/"
    if parts.query:
        target += f"?{quote(parts.query, safe=_IN_QUERY)}"
    return Address(
        parts.scheme,
        _ascii(parts.hostname or ""),
        None if port == _PORTS.get(parts.scheme) else port,
        target,
        _userinfo(parts),
    )


def _ascii(host: str) -> str:
    if host.isascii():
        return host
    import idna  # its tables are large, and such hosts rare

    return idna.encode(host).decode()


def _userinfo(parts: SplitResult) -> str:
    if not (parts.username or parts.password):
        return ""
    return f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
