"""Read, Write and Edit pass the suite that every tool must pass."""

from __future__ import annotations

from typing import Any, ClassVar

from turnloop_core.testing.contexts import registered
from turnloop_core.testing.project import Project
from turnloop_core.testing.tool_suite import ToolConformance
from turnloop_files import plugin

ENTRIES = registered(plugin, "register_tools")


class TestRead(ToolConformance):
    entry = ENTRIES["Read"]
    files: ClassVar = {"notes/a.txt": "one\ntwo\n"}

    def valid(self, project: Project) -> dict[str, Any]:
        return {"file_path": str(project.path("notes/a.txt"))}


class TestWrite(ToolConformance):
    entry = ENTRIES["Write"]

    def valid(self, project: Project) -> dict[str, Any]:
        return {"file_path": "new/folder/a.txt", "content": "one\n"}


class TestEdit(ToolConformance):
    entry = ENTRIES["Edit"]
    files: ClassVar = {"a.txt": "one\ntwo\n"}

    def valid(self, project: Project) -> dict[str, Any]:
        return {"file_path": "a.txt", "old_string": "two", "new_string": "2"}
