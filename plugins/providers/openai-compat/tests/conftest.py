"""Providers made as settings would make them, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from turnloop_core.ports.provider import Request
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.transport.client import Transport
from turnloop_core.types.deltas import Delta
from turnloop_core.types.items import Prompt
from turnloop_core.types.view import Prefix, View
from turnloop_openai_compat.options import OpenAICompatOptions
from turnloop_openai_compat.provider import OpenAICompat, create


async def no_sleep(_: float) -> None:
    await anyio.lowlevel.checkpoint()


@pytest.fixture
def project() -> Iterator[Project]:
    with temporary_project({}) as made:
        yield made


@pytest.fixture
def transport() -> Transport:
    return Transport(sleep=no_sleep)


@pytest.fixture
def make(project: Project, transport: Transport) -> Callable[..., OpenAICompat]:
    """Fields of an entry -> its provider; the name is `p`, keys come as `secrets`."""

    def made(name: str = "p", secrets: Mapping[str, str] | None = None, **fields: Any) -> Any:
        options = OpenAICompatOptions(**{"kind": "openai_compat", "model": "m", **fields})
        context = factory_context(
            project, name, options=options, secrets=secrets, transport=transport
        )
        return create(context)

    return made


@pytest.fixture
def hear(transport: Transport) -> Callable[..., list[Delta]]:
    """A provider and what to ask of it -> everything that it gives."""

    def heard(provider: OpenAICompat, request: Request | None = None) -> list[Delta]:
        asked = request or Request(View(Prefix("Be good."), (Prompt(1, "Hi"),)), "m", 100)

        async def go() -> list[Delta]:
            try:
                return [delta async for delta in provider.stream(asked)]
            finally:
                await transport.aclose()

        return anyio.run(go)

    return heard
