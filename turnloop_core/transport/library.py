"""What is used of the HTTP library. Imported when the first request is made.

httpcore is the engine of httpx. What httpx lays around it (cookies, redirects, authentication) no
endpoint of a model asks for, and it costs a tenth of a start and some of every request.
"""

from __future__ import annotations

import os
import ssl
import zlib
from collections.abc import AsyncIterator, Mapping

import httpcore

from turnloop_core.errors import SettingsError
from turnloop_core.transport.address import Address, parse

__all__ = ["FAILURES", "UNPACKED", "Wire", "headers_of", "httpcore", "packing", "unpacked"]

# All that sending and reading can raise; the library has no class for it.
FAILURES = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)
UNPACKED = ("", "gzip", "x-gzip", "deflate")  # what `unpacked` can read
_GZIP_OR_ZLIB = 47  # zlib's word for "see which it is"
_PIECE = 1024 * 1024  # a packed body can be a thousand times its size: not at once
DEFAULTS = {
    "accept": "*/*",
    "accept-encoding": "identity",
    "connection": "keep-alive",
    "user-agent": "turnloop",
}


class Wire:
    """Connections of one kind, without limits of their own: limits are kept per provider.

    Args:
        secure: for https. The certificates of the authorities are read only then.
        proxy: address of the proxy that all go through, "" for none.
        connect_s: longest time for making a connection.
        write_s: longest time for handing a piece to the network.
        keepalive_s: how long an idle connection is kept.

    Raises:
        SettingsError: the proxy, or the file of certificates, is none.
    """

    def __init__(
        self, *, secure: bool, proxy: str, connect_s: float, write_s: float, keepalive_s: float
    ) -> None:
        self._connect_s = connect_s
        self._write_s = write_s
        trusted = _trusted() if secure else None
        self._pool = (
            _proxied(proxy, trusted, keepalive_s) if proxy else _direct(trusted, keepalive_s)
        )

    async def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        content: bytes | None = None,
        *,
        read_s: float | None,
    ) -> httpcore.Response:
        """Send, and give the answer once its head is there. The caller closes it.

        Args:
            method: `GET` or `POST`.
            url: where to.
            headers: in place of those that are sent anyway.
            content: the body, None for none.
            read_s: longest silence of the server, None for no limit.

        Raises:
            Exception: one of `FAILURES`.
        """
        address = parse(url)
        limits = {"connect": self._connect_s, "read": read_s, "write": self._write_s, "pool": None}
        outgoing = httpcore.Request(
            method,
            httpcore.URL(
                scheme=address.scheme,
                host=address.host,
                port=address.port,
                target=address.target,
            ),
            headers=_raw_headers(address, headers, content),
            content=content,
            extensions={"timeout": limits},
        )
        return await self._pool.handle_async_request(outgoing)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._pool.aclose()


def headers_of(response: httpcore.Response) -> dict[str, str]:
    """The headers, names in lower case; of one that came more than once, all values."""
    found: dict[str, str] = {}
    for raw, value in response.headers:
        name, text = raw.lower().decode("latin-1"), value.decode("latin-1")
        found[name] = f"{found[name]}, {text}" if name in found else text
    return found


def packing(response: httpcore.Response) -> str:
    """How the body is packed, though nothing but plain was asked for; "" when it is plain."""
    packed = headers_of(response).get("content-encoding", "").strip().lower()
    return "" if packed == "identity" else packed


async def unpacked(response: httpcore.Response) -> AsyncIterator[bytes]:
    """The body piece by piece, in plain bytes: some gateways pack it whatever they are asked.

    Raises:
        Exception: one of `FAILURES`.
    """
    if not packing(response):
        async for chunk in response.aiter_stream():
            yield chunk
        return
    unpack = zlib.decompressobj(wbits=_GZIP_OR_ZLIB)
    try:
        async for chunk in response.aiter_stream():
            data = unpack.decompress(chunk, _PIECE)
            while data:
                yield data
                data = unpack.decompress(unpack.unconsumed_tail, _PIECE)
    except zlib.error as error:
        raise httpcore.RemoteProtocolError(
            f"the body is not what its header says: {error}"
        ) from error


def _raw_headers(
    address: Address, headers: Mapping[str, str], content: bytes | None
) -> list[tuple[bytes, bytes]]:
    made = DEFAULTS | {"host": address.host_header}
    made |= {name.lower(): value for name, value in headers.items()}
    if content is not None:
        made["content-length"] = str(len(content))
    if address.userinfo:
        made["authorization"] = _basic(address.userinfo)
    # A name that cannot be sent is refused by the library, in whatever bytes it comes.
    return [(name.encode(), value.encode()) for name, value in made.items()]


def _basic(userinfo: str) -> str:
    from base64 import b64encode

    return f"Basic {b64encode(userinfo.encode()).decode()}"


def _trusted() -> ssl.SSLContext:
    """The authorities that a variable names, else those of certifi."""
    if file := os.environ.get("SSL_CERT_FILE"):
        try:
            return ssl.create_default_context(cafile=file)
        except OSError as error:
            raise SettingsError(
                f"no certificates can be read from {file}",
                where="SSL_CERT_FILE",
                hint="point it to a file of certificates (PEM), or unset it",
            ) from error
    if folder := os.environ.get("SSL_CERT_DIR"):
        return ssl.create_default_context(capath=folder)
    import certifi

    return ssl.create_default_context(cafile=certifi.where())


def _direct(trusted: ssl.SSLContext | None, keepalive_s: float) -> httpcore.AsyncConnectionPool:
    return httpcore.AsyncConnectionPool(
        ssl_context=trusted, max_connections=None, keepalive_expiry=keepalive_s
    )


def _proxied(
    proxy: str, trusted: ssl.SSLContext | None, keepalive_s: float
) -> httpcore.AsyncConnectionPool:
    try:
        address = parse(proxy)
    except ValueError:
        address = None
    if address is None or address.scheme not in ("http", "https") or not address.host:
        raise SettingsError(
            "the proxy that the environment names has no http address",
            hint="write HTTP_PROXY, HTTPS_PROXY or ALL_PROXY as http://HOST:PORT, or unset it",
        )
    signed_in = [("proxy-authorization", _basic(address.userinfo))] if address.userinfo else None
    return httpcore.AsyncHTTPProxy(
        httpcore.URL(scheme=address.scheme, host=address.host, port=address.port, target="/"),
        proxy_headers=signed_in,
        ssl_context=trusted,
        max_connections=None,
        keepalive_expiry=keepalive_s,
    )
