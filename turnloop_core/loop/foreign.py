"""The stream of a provider plugin, whose faults must not end the program."""

from __future__ import annotations

from collections.abc import AsyncIterator

from turnloop_core.errors import BadReplyError, TurnloopError
from turnloop_core.loop.closing import closing
from turnloop_core.ports.provider import Provider, Request
from turnloop_core.types.deltas import Delta


async def foreign(provider: Provider, request: Request) -> AsyncIterator[Delta]:
    """The provider's deltas.

    Raises:
        TurnloopError: as the provider says.
        BadReplyError: it raised something else: a fault of the plugin.
    """
    try:
        async with closing(provider.stream(request)) as stream:
            async for delta in stream:
                yield delta
    except TurnloopError:
        raise
    except Exception as error:
        raise BadReplyError(
            f"provider {provider.name} broke down: {type(error).__name__}: {error}",
            hint="this is a fault of its plugin; run: tl plugins",
        ) from error
