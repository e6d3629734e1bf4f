"""Endpoints that load their model first: is it loaded, and does a failure mean that it is not?"""

from __future__ import annotations

from turnloop_core.errors import ColdBootError, ProviderError, RetryableError, UnreachableError
from turnloop_core.transport.library import httpx
from turnloop_core.transport.request import HttpRequest

PROBE_S = 10.0
BOOTING = frozenset({0, 502, 503, 504})  # 0: no answer at all


async def is_healthy(client: httpx.AsyncClient, request: HttpRequest) -> bool:
    """Whether the endpoint says that it is ready."""
    headers = {"accept-encoding": "identity", **request.headers}
    try:
        answer = await client.get(request.health_url, headers=headers, timeout=PROBE_S)
    except httpx.TransportError:
        return False
    return answer.is_success


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
