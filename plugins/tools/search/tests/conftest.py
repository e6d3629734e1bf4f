"""A project, and both tools at work in it; each search runs on the roads that are there."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest

from turnloop_core.api import Result
from turnloop_core.registry import load_object
from turnloop_core.testing.contexts import call_context, factory_context, registered
from turnloop_core.testing.project import Project, temporary_project
from turnloop_search import plugin

ENTRIES = registered(plugin, "register_tools")


@dataclass
class Desk:
    """Calls tools as dispatch does: judge, then run.

    Attributes:
        programs: the PATH of the calls: whether ripgrep is there.
        unreadable: names that permission rules keep from being read.
        environment: further variables of the calls.
    """

    project: Project
    programs: str
    unreadable: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)

    def call(
        self, name: str, *, meanwhile: Callable[[], object] = lambda: None, **arguments: Any
    ) -> Result:
        tool = load_object(ENTRIES[name].load)(factory_context(self.project, name))
        args = tool.arguments.model_validate(arguments)
        subjects = tool.subjects(args, self.project.scope)
        context = call_context(
            self.project, subjects, environment=self.environment | {"PATH": self.programs}
        )
        context.unreadable = [str(self.project.path(name)) for name in self.unreadable]
        meanwhile()
        result: Result = anyio.run(tool.run, args, context)
        return result

    def glob(self, pattern: str, **more: Any) -> Result:
        return self.call("Glob", pattern=pattern, **more)

    def grep(self, pattern: str, **more: Any) -> Result:
        return self.call("Grep", pattern=pattern, **more)

    def names(self, pattern: str, **more: Any) -> list[str]:
        """The files that Glob lists."""
        return self.listed(self.glob(pattern, **more))

    def files(self, pattern: str, **more: Any) -> list[str]:
        """The files in which Grep finds something."""
        return self.listed(self.grep(pattern, output="files", **more))

    def listed(self, result: Result) -> list[str]:
        """The lines of an answer that are no notes; none when nothing was found."""
        lines = result.text.splitlines()
        if lines[0].startswith(("no ", "nothing ")):
            return []
        return [line for line in lines if not line.startswith("[")]

    def notes(self, result: Result) -> list[str]:
        return [line for line in result.text.splitlines() if line.startswith("[")]

    def link(self, name: str, target: str | Path) -> None:
        self.project.path(name).symlink_to(target)


MakeDesk = Callable[..., Desk]

ROADS = {"ripgrep": ("rg",), "our own scanner": ()}


def programs(folder: Path, names: tuple[str, ...]) -> str:
    """A folder for PATH that holds these programs alone."""
    folder.mkdir()
    for name in names:
        found = shutil.which(name)
        if found is None:
            pytest.skip(f"{name} is not installed")
        (folder / name).symlink_to(found)
    return str(folder)


@pytest.fixture(params=ROADS)
def road(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """PATH for one of the roads; one corpus of tests runs on all of them."""
    return programs(tmp_path / "bin", ROADS[request.param])


@pytest.fixture
def make_desk(road: str) -> Iterator[MakeDesk]:
    """Makes a desk over a project with these files; a repository unless `git=False`."""
    with ExitStack() as stack:

        def make(files: Mapping[str, str | bytes], *, git: bool = True) -> Desk:
            return Desk(stack.enter_context(temporary_project(files, git=git)), road)

        yield make


@pytest.fixture
def scan_desk(road: str) -> Iterator[MakeDesk]:
    """As `make_desk`, over a plain folder: for what hangs on the scanner alone."""
    with ExitStack() as stack:

        def make(files: Mapping[str, str | bytes]) -> Desk:
            return Desk(stack.enter_context(temporary_project(files)), road)

        yield make


@pytest.fixture
def plain_desk(tmp_path: Path) -> Iterator[MakeDesk]:
    """As `make_desk`, on the road that is there: for what does not depend on it."""
    names = tuple(name for name in ("rg",) if shutil.which(name))
    with ExitStack() as stack:

        def make(files: Mapping[str, str | bytes], *, git: bool = False) -> Desk:
            project = stack.enter_context(temporary_project(files, git=git))
            return Desk(project, programs(tmp_path / "bin", names))

        yield make
