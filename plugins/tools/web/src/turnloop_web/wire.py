"""One request over HTTP, bounded in time and size. No cookies, no redirects, no tries again.

Imports the library, so it is imported when the first request is made.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import field
from urllib.parse import quote, unquote, urlsplit

import httpcore

from turnloop_core.api import SettingsError, dataclass, proxy_for
from turnloop_web.failures import failure, unsendable
from turnloop_web.unpack import TAKEN, Body

_FAILURES = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)
_KEEPS = "%!$&'()*+,;=:@/?[]~-._"  # in a path or query; the rest goes encoded
USER_AGENT = "Mozilla/5.0 (compatible; turnloop)"


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked.

    Attributes:
        url: in normal form.
        connect_to: the IP addresses that may be connected to, in order; None lets the system look
            the name up. Not used with a proxy, which looks names up itself.
        method: `GET` or `POST`.
        headers: names in lower case.
        content: the body, None for none.
        connect_s: longest time for a connection to one address.
        read_s: longest silence of the server.
        wanted: (status, headers) -> how many bytes of the body to read; 0 reads none.
    """

    url: str
    wanted: Callable[[int, Mapping[str, str]], int]
    connect_to: Sequence[str] | None = None
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    connect_s: float = 10.0
    read_s: float = 20.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What came. `headers` have names in lower case; `cut`: there was more of the body."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    cut: bool = False


def proxy_of(url: str) -> str:
    """The proxy that requests to this address go through, "" for none."""
    parts = urlsplit(url)
    return proxy_for(parts.scheme, parts.hostname or "")


async def ask(request: Request) -> Answer:
    """Make the request.

    Raises:
        TimeoutError: a limit passed.
        TurnloopError: it failed; says why, and what to do.
    """
    async with _connections(request) as connections:
        try:
            response = await connections.handle_async_request(_outgoing(request))
            async with aclosing(response):
                return await _read(request, response)
        except _FAILURES as error:
            raise failure(error, urlsplit(request.url).hostname or "") from error


async def _read(request: Request, response: httpcore.Response) -> Answer:
    headers = _headers(response.headers)
    most = request.wanted(response.status, headers)
    if not most:
        return Answer(request.url, response.status, headers, b"")
    body = Body(headers.get("content-encoding", ""), most)
    async with aclosing(response.aiter_stream()) as chunks:  # type: ignore[type-var]
        async for chunk in chunks:
            if not body.feed(chunk):
                break
    return Answer(request.url, response.status, headers, bytes(body.kept), body.cut)


def _outgoing(request: Request) -> httpcore.Request:
    parts = urlsplit(request.url)
    target = quote(parts.path or "/", safe=_KEEPS)
    target += f"?{quote(parts.query, safe=_KEEPS)}" if parts.query else ""
    headers = {
        "host": parts.netloc,
        "user-agent": USER_AGENT,
        "accept": "*/*",
        "accept-encoding": TAKEN,
        **request.headers,
    }
    if not all(value.isprintable() for value in headers.values()):
        raise unsendable()
    if request.content is not None:
        headers["content-length"] = str(len(request.content))
    limits = {"connect": request.connect_s, "read": request.read_s, "write": request.read_s}
    return httpcore.Request(
        request.method,
        httpcore.URL(
            scheme=parts.scheme, host=parts.hostname or "", port=parts.port, target=target
        ),
        headers=[(name.encode(), value.encode()) for name, value in headers.items()],
        content=request.content,
        extensions={"timeout": limits},
    )


def _headers(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Names in lower case; the first value of a name that came more than once."""
    found: dict[str, str] = {}
    for name, value in raw:
        found.setdefault(name.lower().decode("latin-1"), value.decode("latin-1"))
    return found


def _connections(request: Request) -> httpcore.AsyncConnectionPool:
    trusted = _trusted() if request.url.startswith("https:") else None
    if proxy := proxy_of(request.url):
        return _proxied(proxy, trusted)
    backend = None if request.connect_to is None else Dial(request.connect_to)
    return httpcore.AsyncConnectionPool(ssl_context=trusted, network_backend=backend)


class Dial(httpcore.AsyncNetworkBackend):
    """Connects to addresses that were checked, whatever the name may stand for by now.

    Name and port of the request stay what they are, for the Host header and for TLS.
    """

    def __init__(self, addresses: Sequence[str]) -> None:
        self._addresses = addresses
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # the library's own signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        failed: Exception = httpcore.ConnectError("no address")
        for address in self._addresses:
            try:
                return await self._network.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise failed


def _proxied(proxy: str, trusted: ssl.SSLContext | None) -> httpcore.AsyncHTTPProxy:
    parts = urlsplit(proxy)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(
            "the proxy that the environment names has no http address",
            hint="write HTTP_PROXY, HTTPS_PROXY or ALL_PROXY as http://HOST:PORT, or unset it",
        )
    signed_in = None
    if parts.username:
        signed_in = (unquote(parts.username), unquote(parts.password or ""))
    where = httpcore.URL(scheme=parts.scheme, host=parts.hostname, port=parts.port, target="/")
    return httpcore.AsyncHTTPProxy(where, proxy_auth=signed_in, ssl_context=trusted)


def _trusted() -> ssl.SSLContext:
    """The authorities that a variable names, else those of certifi."""
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    try:
        if file or folder:
            return ssl.create_default_context(cafile=file or None, capath=folder or None)
    except OSError as error:
        raise SettingsError(
            f"no certificates can be read from {file or folder}",
            where="SSL_CERT_FILE",
            hint="point it to a file of certificates (PEM), or unset it",
        ) from error
    return httpcore.default_ssl_context()
