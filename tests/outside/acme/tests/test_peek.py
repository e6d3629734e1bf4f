"""The tool."""

from __future__ import annotations

from typing import Any, ClassVar

import anyio

from acme_turnloop import plugin
from acme_turnloop.peek import Arguments, Peek
from turnloop_core.api import ErrorKind, Result
from turnloop_core.testing.contexts import call_context, registered
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.testing.tool_suite import ToolConformance


class TestPeek(ToolConformance):
    entry = registered(plugin, "register_tools")["Peek"]
    files: ClassVar = {"a.txt": "one\ntwo\nthree\n"}

    def valid(self, project: Project) -> dict[str, Any]:
        return {"path": "a.txt", "lines": 2}


def peek(project: Project, **given: Any) -> Result:
    tool, args = Peek(), Arguments(**given)
    return anyio.run(tool.run, args, call_context(project, tool.subjects(args, project.scope)))


def test_it_shows_the_beginning() -> None:
    with temporary_project({"a.txt": "one\ntwo\nthree\n"}) as project:
        assert peek(project, path="a.txt", lines=2).text == "a.txt: 2 of 3 lines\none\ntwo"


def test_what_is_not_there() -> None:
    with temporary_project() as project:
        result = peek(project, path="a.txt")
    assert result.error is ErrorKind.TOOL_ERROR
    assert result.text == "cannot open a.txt: No such file or directory."
