"""Glob and Grep pass the suite that every tool must pass."""

from __future__ import annotations

from typing import Any, ClassVar

from turnloop_core.testing.contexts import registered
from turnloop_core.testing.project import Project
from turnloop_core.testing.tool_suite import ToolConformance
from turnloop_search import plugin

ENTRIES = registered(plugin, "register_tools")


class TestGlob(ToolConformance):
    entry = ENTRIES["Glob"]
    files: ClassVar = {"notes/a.txt": "one\ntwo\n", ".gitignore": "*.log\n"}

    def valid(self, project: Project) -> dict[str, Any]:
        return {"pattern": "**/*.txt"}


class TestGrep(ToolConformance):
    entry = ENTRIES["Grep"]
    files: ClassVar = {"notes/a.txt": "one\ntwo\n"}

    def valid(self, project: Project) -> dict[str, Any]:
        return {"pattern": "two"}


class TestGrepInOneFile(ToolConformance):
    entry = ENTRIES["Grep"]
    files: ClassVar = {"notes/a.txt": "one\ntwo\n"}

    def valid(self, project: Project) -> dict[str, Any]:
        return {"pattern": "two", "path": "notes/a.txt"}
