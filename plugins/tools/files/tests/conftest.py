"""A project, and the three tools at work in it: facts of one call are known to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
import pytest

from turnloop_core.api import Fact, PermissionMode, Result
from turnloop_core.registry import load_object
from turnloop_core.testing.contexts import call_context, factory_context, registered
from turnloop_core.testing.project import Project, temporary_project
from turnloop_files import plugin


@dataclass
class Desk:
    """Calls tools as dispatch does: judge, then run."""

    project: Project
    facts: list[Fact] = field(default_factory=list)
    vision: bool = True
    shared: dict[str, Any] = field(default_factory=dict)

    def call(
        self,
        name: str,
        *,
        mode: PermissionMode = PermissionMode.DEFAULT,
        meanwhile: Callable[[], object] = lambda: None,
        **arguments: Any,
    ) -> Result:
        entry = registered(plugin, "register_tools")[name]
        made = replace(factory_context(self.project, name), shared=self.shared)
        tool = load_object(entry.load)(made)
        args = tool.arguments.model_validate(arguments)
        context = call_context(self.project, tool.subjects(args, self.project.scope), mode=mode)
        context.vision = self.vision
        context.known_facts = tuple(self.facts)
        meanwhile()
        result: Result = anyio.run(tool.run, args, context)
        self.facts += result.facts
        return result

    def read(self, path: str, **more: Any) -> Result:
        return self.call("Read", file_path=path, **more)

    def write(self, path: str, content: str, **more: Any) -> Result:
        return self.call("Write", file_path=path, content=content, **more)

    def edit(self, path: str, old: str, new: str, **more: Any) -> Result:
        return self.call("Edit", file_path=path, old_string=old, new_string=new, **more)

    def edit_all(self, path: str, *pairs: tuple[str, str], **more: Any) -> Result:
        """Several edits in one call."""
        edits = [{"old_string": old, "new_string": new} for old, new in pairs]
        return self.call("Edit", file_path=path, edits=edits, **more)

    def bytes(self, name: str) -> bytes:
        return self.project.path(name).read_bytes()

    def put(self, name: str, content: str | bytes) -> None:
        """Change a file from outside, as a user or a formatter would."""
        self.project.write(name, content)

    def names(self) -> list[str]:
        """Everything in the project's folder, hidden files too: no stray file may be there."""
        return sorted(path.name for path in self.project.root.iterdir())


MakeDesk = Callable[..., Desk]


@pytest.fixture
def make_desk() -> Iterator[MakeDesk]:
    """Makes a desk over a project with these files."""
    with ExitStack() as stack:

        def make(files: Mapping[str, str | bytes] | None = None) -> Desk:
            return Desk(stack.enter_context(temporary_project(files)))

        yield make


OneDesk = Callable[..., AbstractContextManager[Desk]]


@pytest.fixture(scope="session")
def one_desk() -> OneDesk:
    """Opens a desk over a project with these files, for tests that need one for each example."""

    @contextmanager
    def opened(files: Mapping[str, str | bytes] | None = None) -> Iterator[Desk]:
        with temporary_project(files) as project:
            yield Desk(project)

    return opened
