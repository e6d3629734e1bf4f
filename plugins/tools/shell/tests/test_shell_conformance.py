"""Bash and BashOutput pass the suite that every tool must pass."""

from __future__ import annotations

from typing import Any

from turnloop_core.testing.contexts import registered
from turnloop_core.testing.project import Project
from turnloop_core.testing.tool_suite import ToolConformance
from turnloop_shell import plugin


class TestBash(ToolConformance):
    entry = registered(plugin, "register_tools")["Bash"]

    def valid(self, project: Project) -> dict[str, Any]:
        return {"command": "echo hello > made.txt && cat made.txt"}

    def long_running(self, project: Project) -> dict[str, Any]:
        return {"command": "sleep 300 & setsid sleep 300 & wait"}


class TestBashOutput(ToolConformance):
    entry = registered(plugin, "register_tools")["BashOutput"]

    def valid(self, project: Project) -> dict[str, Any]:
        return {}
