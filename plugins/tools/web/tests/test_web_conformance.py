"""WebFetch and WebSearch pass the suite that every tool must pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from turnloop_core.api import Tool
from turnloop_core.testing.contexts import factory_context, registered
from turnloop_core.testing.loopback import Answer, Loopback
from turnloop_core.testing.project import Project
from turnloop_core.testing.tool_suite import ToolConformance
from turnloop_web import plugin
from turnloop_web.search import create
from turnloop_web.settings import SearchSettings

ENTRIES = registered(plugin, "register_tools")
PAGE = b"<html><title>A page</title><p>some words</p></html>"
FOUND = b'{"results": [{"title": "A", "url": "https://a.example/", "content": "words"}]}'


class TestWebFetch(ToolConformance):
    entry = ENTRIES["WebFetch"]

    @pytest.fixture(autouse=True)
    def server(self) -> Iterator[None]:
        answer = Answer(headers={"content-type": "text/html"}, body=PAGE)
        with Loopback(handler=lambda _: answer) as server:
            self.url = server.url
            yield

    def valid(self, project: Project) -> dict[str, Any]:
        return {"url": f"{self.url}/page"}


class TestWebSearch(ToolConformance):
    entry = ENTRIES["WebSearch"]

    @pytest.fixture(autouse=True)
    def server(self) -> Iterator[None]:
        with Loopback(handler=lambda _: Answer(body=FOUND)) as server:
            self.url = server.url
            yield

    def make(self, project: Project) -> Tool:
        settings = SearchSettings(backend="tavily", api_key_env="KEY", base_url=self.url)
        context = factory_context(project, settings=settings, secrets={"KEY": "secret"})
        return create(context)

    def valid(self, project: Project) -> dict[str, Any]:
        return {"query": "some words"}


def test_both_work_in_plan_mode_and_side_by_side() -> None:
    assert set(ENTRIES) == {"WebFetch", "WebSearch"}
    assert all(entry.read_only and entry.parallel_safe for entry in ENTRIES.values())
