"""Endpoints that load their model first: is it loaded, and does a failure mean that it is not?"""

from __future__ import annotations

from turnloop_core.errors import ColdBootError, ProviderError, RetryableError, UnreachableError
from turnloop_core.transport.library import FAILURES, Wire
from turnloop_core.transport.request import HttpRequest

PROBE_S = 10.0
BOOTING = frozenset({0, 502, 503, 504})  # 0: no answer at all


async def is_healthy(wire: Wire, request: HttpRequest) -> bool:
    """Whether the endpoint says that it is ready."""
    try:
        answer = await wire.send("GET", request.health_url, request.headers, read_s=PROBE_S)
        try:
            await answer.aread()  # so that the connection can be used again
        finally:
            await answer.aclose()
    except FAILURES:
        return False
    return 200 <= answer.status < 300


def as_boot(error: ProviderError, request: HttpRequest) -> ProviderError:
    """The error, as a boot where an endpoint that can be asked for its health gave no answer."""
    if isinstance(error, ColdBootError) or not request.health_url:
        return error
    silent = isinstance(error, UnreachableError) or (
        isinstance(error, RetryableError) and error.status in BOOTING
    )
    return ColdBootError(str(error), status=error.status) if silent else error


def not_ready(request: HttpRequest) -> ColdBootError:
    return ColdBootError(f"{request.provider}: the model is not loaded yet ({request.health_url})")
