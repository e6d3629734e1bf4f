"""Endpoints that load their model first: is it loaded, and does a failure mean that it is not?"""

from __future__ import annotations

from turnloop_core.errors import (
    ColdBootError,
    ProviderError,
    RequestRefusedError,
    RetryableError,
    UnreachableError,
)
from turnloop_core.transport.address import parse
from turnloop_core.transport.library import FAILURES, Wire, httpcore
from turnloop_core.transport.request import HttpRequest

PROBE_S = 10.0
BOOTING = frozenset({0, 502, 503, 504})  # 0: no answer at all
WRONG = frozenset({400, 401, 403, 404, 405, 410})  # no model that loads answers so


async def ill_health(wire: Wire, request: HttpRequest) -> ProviderError | None:
    """Why the endpoint is not ready; None when it says that it is."""
    try:
        answer = await wire.send("GET", request.health_url, _headers(request), read_s=PROBE_S)
        try:
            await answer.aread()  # so that the connection can be used again
        finally:
            await answer.aclose()
    except FAILURES as error:
        return as_boot(_silent(request, error), request)
    if 200 <= answer.status < 300:
        return None
    if answer.status in WRONG:
        return RequestRefusedError(
            f"{request.provider}: health_url answers {answer.status} ({_place(request)})",
            hint="check health_url: it must answer with success when the model is loaded",
            status=answer.status,
        )
    return ColdBootError(f"{request.provider}: the model is not loaded yet ({_place(request)})")


def as_boot(error: ProviderError, request: HttpRequest) -> ProviderError:
    """The error, as a boot where an endpoint that can be asked for its health gave no answer.

    Where nobody listens at all, that is a boot only for endpoints whose settings say that they
    boot from nothing (`boots_from_nothing` of the policy).
    """
    if isinstance(error, ColdBootError) or not request.health_url:
        return error
    silent = (isinstance(error, UnreachableError) and request.policy.boots_from_nothing) or (
        isinstance(error, RetryableError) and error.status in BOOTING
    )
    return ColdBootError(str(error), status=error.status) if silent else error


def _silent(request: HttpRequest, error: Exception) -> ProviderError:
    reason = " ".join(str(error).split()) or type(error).__name__
    nobody = isinstance(error, (httpcore.ConnectError, httpcore.ConnectTimeout))
    return (UnreachableError if nobody else RetryableError)(
        f"{request.provider}: health_url cannot be reached ({_place(request)}): {reason}",
        hint="check health_url, and that the server is running",
    )


def _headers(request: HttpRequest) -> dict[str, str]:
    """The headers of the request, for the same server only: keys are nobody else's business."""
    here, there = parse(request.url), parse(request.health_url)
    same = (here.scheme, here.host, here.port) == (there.scheme, there.host, there.port)
    return dict(request.headers) if same else {}


def _place(request: HttpRequest) -> str:
    address = parse(request.health_url)
    return f"{address.host}:{address.port}{address.target.partition('?')[0]}"
