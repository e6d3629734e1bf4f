"""AskUserQuestion passes the suite that every tool must pass."""

from __future__ import annotations

from typing import Any

from turnloop_ask import plugin
from turnloop_core.testing.contexts import registered
from turnloop_core.testing.project import Project
from turnloop_core.testing.tool_suite import ToolConformance


class TestAskUserQuestion(ToolConformance):
    entry = registered(plugin, "register_tools")["AskUserQuestion"]

    def valid(self, project: Project) -> dict[str, Any]:
        return {"question": "Which colour?", "options": ["red", "blue"]}
