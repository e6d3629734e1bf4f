"""What the provider suites work with: a served provider, and what was heard from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, cast

from turnloop_core.errors import ProviderError
from turnloop_core.ports.provider import Provider, Request
from turnloop_core.types.deltas import CallArguments, CallStart, Delta, ReasoningDelta, TextDelta
from turnloop_core.types.items import Item, Prompt
from turnloop_core.types.view import Prefix, ToolSchema, View
from turnloop_core.values import dataclass

_PATH = {"type": "object", "properties": {"file_path": {"type": "string"}}}
PREFIX = Prefix("You help with code.", (ToolSchema("Read", "Reads a file.", _PATH),))


def _no_bodies() -> Sequence[bytes]:
    return ()


async def _closed() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Served:
    """A provider whose next replies are known.

    Attributes:
        provider: the provider under test; the suite closes it.
        bodies: the bodies of all requests so far, oldest first; for providers with a wire.
        closed: waits, with a bound, until the client has closed the connection of the newest
            request; False when it did not. For providers with a wire.
    """

    provider: Provider
    bodies: Callable[[], Sequence[bytes]] = _no_bodies
    closed: Callable[[], Awaitable[bool]] = _closed


@dataclass(frozen=True, slots=True)
class Heard:
    """What came out of one stream."""

    deltas: tuple[Delta, ...]
    error: ProviderError | None = None

    def of(self, kind: type[Any]) -> tuple[Any, ...]:
        return tuple(delta for delta in self.deltas if isinstance(delta, kind))

    @property
    def text(self) -> str:
        return "".join(delta.text for delta in self.of(TextDelta))

    @property
    def reasoning(self) -> str:
        return "".join(delta.text for delta in self.of(ReasoningDelta))

    @property
    def calls(self) -> tuple[tuple[str, str], ...]:
        """Name and joined arguments of each call, in the order in which they began."""
        return tuple(
            (
                start.name,
                "".join(a.fragment for a in self.of(CallArguments) if a.block == start.block),
            )
            for start in self.of(CallStart)
        )


def request(provider: Provider, *items: Item) -> Request:
    """A request that carries `items`, or a plain prompt."""
    view = View(PREFIX, items or (Prompt(1, "Say something."),))
    return Request(view, provider.model, max_output=256)


async def hear(provider: Provider, asked: Request | None = None) -> Heard:
    """Listen to one stream to its end, or to its error."""
    deltas: list[Delta] = []
    try:
        async with aclosing(cast("Any", provider.stream(asked or request(provider)))) as stream:
            async for delta in stream:
                deltas.append(delta)  # noqa: PERF401 - kept when the stream raises
    except ProviderError as error:
        return Heard(tuple(deltas), error)
    return Heard(tuple(deltas))
