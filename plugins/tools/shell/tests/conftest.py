"""A project with a shell in it, and a look at what processes are left."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest

from turnloop_core.api import Fact, PermissionMode, Result
from turnloop_core.testing.contexts import FakeCallContext, call_context, factory_context
from turnloop_core.testing.processes import marked_processes, new_mark
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.worktree.watch import Worktree
from turnloop_shell import reading
from turnloop_shell.background import Background
from turnloop_shell.reading import BashOutput
from turnloop_shell.tool import Bash, create

# Generators and judges of command lines lie beside the tests.
sys.path.insert(0, str(Path(__file__).parent))


@dataclass
class Bench:
    """One session's tools Bash and BashOutput."""

    project: Project
    tool: Bash
    reader: BashOutput = field(default_factory=lambda: BashOutput(Background()))
    mark: dict[str, str] = field(default_factory=new_mark)
    contexts: list[FakeCallContext] = field(default_factory=list)

    async def run(
        self,
        command: str,
        *,
        mode: PermissionMode = PermissionMode.DEFAULT,
        environment: Mapping[str, str] | None = None,
        worktree: Worktree | None = None,
        facts: Sequence[Fact] = (),
        **arguments: Any,
    ) -> Result:
        args = self.tool.arguments.model_validate({"command": command, **arguments})
        context = call_context(
            self.project,
            self.tool.subjects(args, self.project.scope),
            mode=mode,
            environment={**self.mark, **(environment or {})},
        )
        context.worktree = worktree
        context.known_facts = facts
        self.contexts.append(context)
        result: Result = await self.tool.run(args, context)
        return result

    async def look(
        self,
        name: str = "",
        *,
        mode: PermissionMode = PermissionMode.DEFAULT,
        facts: Sequence[Fact] = (),
        **arguments: Any,
    ) -> Result:
        """Call BashOutput."""
        args = self.reader.arguments.model_validate({"id": name, **arguments})
        context = call_context(self.project, mode=mode)
        context.known_facts = facts
        return await self.reader.run(args, context)

    async def background(self, command: str, **arguments: Any) -> str:
        """Start a command in the background; its id."""
        result = await self.run(command, run_in_background=True, **arguments)
        assert result.ok, result.text
        return result.text.removeprefix("[runs in the background as ").partition(";")[0]

    async def until(self, condition: Callable[[], object]) -> None:
        """Processes and files have no event that one could wait for."""
        with anyio.fail_after(30):
            while not condition():  # noqa: ASYNC110
                await anyio.sleep(0.01)

    def alive(self) -> list[int]:
        """Processes of this session that run."""
        return [p for p in marked_processes(self.mark) if _runs(p)]

    def all_gone(self) -> bool:
        """Whether nothing of this session runs, once what was just ended is gone."""
        found = []
        for pid in self.alive():
            try:
                found.append(psutil.Process(pid))
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(found, timeout=5)
        return not self.alive()


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


Work = Callable[[Bench], Awaitable[None]]


@asynccontextmanager
async def a_bench(files: Mapping[str, str | bytes]) -> AsyncIterator[Bench]:
    with temporary_project(files) as project:
        context = factory_context(project, "Bash")
        bench = Bench(project, create(context), reading.create(context))
        try:
            yield bench
        finally:
            await bench.tool.aclose()
            assert bench.all_gone(), "the session left processes"


@pytest.fixture
def in_shell() -> Callable[..., None]:
    """Runs `work(bench)` in an event loop of its own; afterwards no process may be left."""

    def go(work: Work, files: Mapping[str, str | bytes] | None = None) -> None:
        async def main() -> None:
            with anyio.fail_after(60):
                async with a_bench(files or {}) as bench:
                    await work(bench)

        anyio.run(main)

    return go
