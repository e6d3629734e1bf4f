"""One try: a request goes out, and its answer comes back or is refused."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

import anyio

from turnloop_core.errors import (
    BadReplyError,
    ProviderError,
    RequestRefusedError,
    RetryableError,
    UnreachableError,
)
from turnloop_core.transport.library import (
    FAILURES,
    UNPACKED,
    Wire,
    headers_of,
    httpcore,
    packing,
    unpacked,
)
from turnloop_core.transport.reader import Clock, Reader
from turnloop_core.transport.request import Decoder, HttpRequest
from turnloop_core.types.deltas import Delta

LARGEST_ERROR = 1024 * 1024
ERROR_BODY_S = 10.0  # how long the words of an error may take to come


async def attempt(
    wire: Wire, request: HttpRequest, decoder: Decoder, clock: Clock
) -> AsyncGenerator[Delta, None]:
    """Send once and decode the answer.

    Raises:
        ProviderError: as classified.
    """
    response = await _send(wire, request)
    try:
        if not 200 <= response.status < 300:
            raise await _refusal(response, request)
        if (packed := packing(response)) not in UNPACKED:
            raise BadReplyError(
                f"{request.provider}: {request.address} packs its reply ({packed}),"
                " though it was asked not to",
                hint="switch compression off there, or in the proxy before it",
            )
        reader = Reader(response, request, decoder, clock)
        async with aclosing(reader.deltas()) as deltas:
            async for delta in deltas:
                yield delta
    finally:
        await response.aclose()


async def _send(wire: Wire, request: HttpRequest) -> httpcore.Response:
    who = request.provider
    try:
        return await wire.send(
            "POST", request.url, request.headers, request.content, read_s=request.timeout_s
        )
    except (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.ProxyError) as error:
        raise _unreachable(error, request) from error
    except httpcore.ReadTimeout as error:
        raise RetryableError(
            f"{who}: no answer from {request.address} within {request.timeout_s:g} s",
            hint="a larger timeout_s waits longer; check that the model is deployed",
        ) from error
    except httpcore.LocalProtocolError:  # its text may hold a header's value
        raise RequestRefusedError(f"{who}: the request cannot be sent") from None
    except httpcore.RemoteProtocolError as error:
        if "disconnected" in str(error):  # before a byte came
            raise _gone(request) from error
        raise BadReplyError(
            f"{who}: what answers at {request.address} does not speak HTTP",
            hint="check base_url: scheme, host and port",
        ) from error
    except FAILURES as error:
        raise _gone(request) from error


def _gone(request: HttpRequest) -> RetryableError:
    return RetryableError(
        f"{request.provider}: {request.address} closed the connection before it answered",
        hint="try again later, or use another provider",
    )


def _unreachable(error: Exception, request: HttpRequest) -> ProviderError:
    reason = _reason(error)
    if isinstance(error, httpcore.ConnectTimeout):
        reason = "no connection in time"
    if "CERTIFICATE_VERIFY_FAILED" in reason:
        hint = "check base_url; for an authority of your own set SSL_CERT_FILE"
    else:
        hint = "check base_url, and that the server is running"
    what = f"cannot reach {request.address}: {reason or type(error).__name__}"
    return UnreachableError(f"{request.provider}: {what}", hint=hint)


def _reason(error: BaseException | None) -> str:
    """What the error says, or else what it came from: some of the library's say nothing."""
    for _ in range(5):
        if error is None:
            return ""
        if words := " ".join(str(error).split()):
            return words
        error = error.__cause__ or error.__context__
    return ""


async def _refusal(response: httpcore.Response, request: HttpRequest) -> ProviderError:
    from turnloop_core.transport.errors import classify

    body = b""
    with suppress(*FAILURES), anyio.move_on_after(ERROR_BODY_S):  # the status tells enough
        async for chunk in unpacked(response):
            body += chunk
            if len(body) > LARGEST_ERROR:
                break
    refusal = classify(
        response.status,
        headers_of(response),
        body if packing(response) in UNPACKED else b"",
        provider=request.provider,
        key_name=request.key_name,
        secrets=request.secrets,
        too_long=request.too_long,
    )
    refusal.hint = request.hints.get(response.status, refusal.hint)
    return refusal
