"""A project with a shell in it, and a look at what processes are left."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import psutil
import pytest

from turnloop_core.api import PermissionMode, Result
from turnloop_core.testing.contexts import FakeCallContext, call_context, factory_context
from turnloop_core.testing.processes import marked_processes, new_mark
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.worktree.watch import Worktree
from turnloop_shell.tool import Bash, create


@dataclass
class Bench:
    """One session's Bash tool."""

    project: Project
    tool: Bash
    mark: dict[str, str] = field(default_factory=new_mark)
    contexts: list[FakeCallContext] = field(default_factory=list)

    async def run(
        self,
        command: str,
        *,
        mode: PermissionMode = PermissionMode.DEFAULT,
        environment: Mapping[str, str] | None = None,
        worktree: Worktree | None = None,
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
        self.contexts.append(context)
        result: Result = await self.tool.run(args, context)
        return result

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
        bench = Bench(project, create(factory_context(project, "Bash")))
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
