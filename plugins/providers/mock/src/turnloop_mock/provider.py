"""The mock provider: no model, no network, no cost."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Protocol

import anyio
import anyio.lowlevel

from turnloop_core.api import (
    Capabilities,
    Delta,
    FactoryContext,
    ProviderError,
    Request,
    checked_caps,
)
from turnloop_mock.echo import Echo
from turnloop_mock.options import MockOptions

MODEL = "mock-1"
KNOWN = Capabilities(
    max_context=200_000,
    max_output=32_000,
    supports_vision=True,
    price_in_per_mtok=0.0,
    price_out_per_mtok=0.0,
    price_cached_per_mtok=0.0,
    price_cache_write_per_mtok=0.0,
    known=True,
)


class Answering(Protocol):
    """Gives the reply to a request as it is to stream: deltas, then maybe the error to raise."""

    def answer(self, request: Request) -> Sequence[Delta | ProviderError]: ...


def create(context: FactoryContext) -> MockProvider:
    """Make the provider that settings describe.

    Raises:
        SettingsError: they do not go together, or name a script or a session that cannot be used.
    """
    options: MockOptions = context.options
    model = options.model or MODEL
    return MockProvider(
        context.name, model, _answering(context, options), _known(context, options), options.delay_s
    )


def _known(context: FactoryContext, options: MockOptions) -> Capabilities:
    return replace(KNOWN, **checked_caps(context.name, options.caps))


def _answering(context: FactoryContext, options: MockOptions) -> Answering:
    from turnloop_mock import modes

    modes.check(context.name, options)
    match options.mode:
        case "scripted":
            return modes.scripted(context, options)
        case "replay":
            return modes.replay(context, options)
        case "chaos":
            return modes.chaos(options)
    return Echo()


class MockProvider:
    """Streams what it is given, in small pieces."""

    def __init__(
        self, name: str, model: str, answering: Answering, known: Capabilities, delay_s: float
    ) -> None:
        self.name = name
        self.model = model
        self._answering = answering
        self._known = known
        self._delay = delay_s

    def capabilities(self, model: str) -> Capabilities:
        return self._known if model == self.model else Capabilities()

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        for step in self._answering.answer(request):
            if self._delay > 0:
                await anyio.sleep(self._delay)
            else:
                await anyio.lowlevel.checkpoint()
            if isinstance(step, ProviderError):
                raise step
            yield step

    async def aclose(self) -> None:
        """There is nothing to close."""
