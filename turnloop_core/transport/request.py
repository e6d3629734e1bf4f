"""What an adapter gives to the transport: a request, and a decoder for its answer."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Protocol
from urllib.parse import parse_qsl, urlsplit

from turnloop_core.errors import AuthError, SettingsError
from turnloop_core.transport.address import parse
from turnloop_core.transport.retry import RetryPolicy
from turnloop_core.transport.speaker import Speaker
from turnloop_core.transport.sse import SseEvent, SseParser
from turnloop_core.types.deltas import Delta
from turnloop_core.values import dataclass

SHORTEST = 5  # characters of a value in a query that may be a key
HARMLESS = re.compile(r"accept|content-type|user-agent|.*-version", re.IGNORECASE)


class Framing(Protocol):
    """Cuts the bytes of one answer into events. Pure: it does no input or output.

    Attributes:
        stray: what belongs to no event; looked at when the stream ends, for an error in it.
    """

    @property
    def stray(self) -> bytes: ...

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that `chunk` completes; it may be cut anywhere.

        Raises:
            BadReplyError: an event is too large.
        """
        ...

    def close(self) -> list[SseEvent]:
        """What is left, once the body has ended."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One POST whose answer streams.

    Attributes:
        provider: name of the provider, for messages and for its limit of requests.
        url: where to.
        headers: the adapter's own; values may be keys, and never stand in a message.
        body: JSON bytes, or their pieces.
        key_name: the variable that holds the key, for hints.
        timeout_s: longest silence of the server, None for no limit.
        max_concurrent: requests of this provider in flight at once, 0 for no limit.
        health_url: answers with success when the model is loaded; "" when there is none. Asked
            before the first request, and after a failure that may be a boot.
        policy: how patient the request is.
        hints: HTTP status -> the next step to take, where the adapter knows better than the
            transport.
        too_long: words of this server, in lower case, that mean that the request is too long.
        framing: makes what cuts the answer into events: `SseParser` for server-sent events,
            `LineParser` for lines, or the adapter's own.
    """

    provider: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | Sequence[bytes] = b""
    key_name: str = ""
    timeout_s: float | None = 120.0
    max_concurrent: int = 0
    health_url: str = ""
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    hints: Mapping[int, str] = field(default_factory=dict)
    too_long: tuple[str, ...] = ()
    framing: Callable[[], Framing] = SseParser

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else b"".join(self.body)

    @property
    def address(self) -> str:
        """`host:port`, for messages."""
        parts = urlsplit(self.url)
        return f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"

    @property
    def secrets(self) -> tuple[str, ...]:
        """Header values that may not stand in a message."""
        values = [v for name, v in self.headers.items() if not HARMLESS.fullmatch(name)]
        return (*values, *(value.rpartition(" ")[2] for value in values), *_in_address(self.url))

    @property
    def speaker(self) -> Speaker:
        """Who answers, for its decoder."""
        return Speaker(self.provider, self.key_name, self.secrets, self.too_long)

    def check(self) -> None:
        """Find what cannot be sent, before anything is.

        Raises:
            SettingsError: the address is none.
            AuthError: a header holds what no header can hold; a key that was pasted badly, mostly.
        """
        for name, url in (("base_url", self.url), ("health_url", self.health_url)):
            if not _is_address(url) and (url or name == "base_url"):
                raise SettingsError(
                    f"{self.provider}: {name} is no http address: {_without_secrets(url)!r}",
                    key=f"providers.{self.provider}.{name}",
                    hint="write it as https://HOST/...",
                )
        for name, value in self.headers.items():
            if not (value.isascii() and value.isprintable()):
                raise AuthError(
                    f"{self.provider}: the header {name} holds characters that cannot be sent",
                    hint=f"check {self.key_name or 'its value'}: look for line breaks and quotes",
                )


def _in_address(url: str) -> tuple[str, ...]:
    """What of an address is a secret: who signs in, in the form that goes out too, and values."""
    if "@" not in url and "?" not in url:  # nearly always, and asked at every request
        return ()
    try:
        parts = urlsplit(url)
        userinfo = parse(url).userinfo
    except ValueError:
        return ()
    values = [value for _, value in parse_qsl(parts.query) if len(value) > SHORTEST]
    if userinfo:
        values += [userinfo, userinfo.partition(":")[2], b64encode(userinfo.encode()).decode()]
    return tuple(value for value in values if value)


def _without_secrets(url: str) -> str:
    """An address for a message: no user, no query."""
    start, mark, rest = url.partition("://")
    place, _, path = rest.partition("/")
    return f"{start}{mark}{place.rpartition('@')[2]}/{path.partition('?')[0]}" if mark else url[:80]


def _is_address(url: str) -> bool:
    try:
        address = parse(url)
    except ValueError:
        return False
    return address.scheme in ("http", "https") and bool(address.host)


class Decoder(Protocol):
    """Turns the events of one answer into deltas. Pure: it does no input or output.

    Attributes:
        done: the stream has said that it is at its end; what follows is not read.

    A decoder may also have `unsure`: true when content came after an ending mark, so that the mark
    proves nothing should the connection be lost.
    """

    done: bool

    def feed(self, event: SseEvent) -> Sequence[Delta]:
        """The deltas of one event; none for events without content.

        A whole JSON answer, where server-sent events were asked for, comes as one event.

        Raises:
            ProviderError: the event is an error, or is not what the protocol says.
        """
        ...

    def close(self) -> Sequence[Delta]:
        """What is left, and the one `End`, once the body has ended.

        Raises:
            StreamCutError: the body ended without any ending mark.
        """
        ...
