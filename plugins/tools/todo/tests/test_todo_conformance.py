"""TodoWrite passes the suite that every tool must pass."""

from __future__ import annotations

from typing import Any

from turnloop_core.testing.contexts import registered
from turnloop_core.testing.project import Project
from turnloop_core.testing.tool_suite import ToolConformance
from turnloop_todo import plugin


class TestTodoWrite(ToolConformance):
    entry = registered(plugin, "register_tools")["TodoWrite"]

    def valid(self, project: Project) -> dict[str, Any]:
        return {"todos": [{"text": "look", "status": "completed"}, {"text": "mend"}]}
