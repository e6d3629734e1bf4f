"""What the tool suite works with: a tool in a project, and what could be seen of a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio

from turnloop_core.ports.tool import Tool
from turnloop_core.testing.contexts import call_context
from turnloop_core.testing.processes import marked_processes
from turnloop_core.testing.project import Project
from turnloop_core.testing.watch import Watched, watched
from turnloop_core.types.results import Result
from turnloop_core.types.subjects import PermissionMode, Subject, SubjectKind
from turnloop_core.values import dataclass

TIME_LIMIT = 30.0


@dataclass(frozen=True, slots=True)
class Tried:
    """One call, and all that could be seen of it."""

    result: Result | None
    error: Exception | None
    seen: Watched
    before: Mapping[str, str]
    after: Mapping[str, str]

    @property
    def changed(self) -> list[str]:
        """Paths below the project's base that were created, removed or changed."""
        names = {*self.before, *self.after}
        changed = [n for n in names if self.before.get(n) != self.after.get(n)]
        return sorted(n for n in changed if n.split("/")[0] not in ("data", "plugin-data"))


@dataclass(frozen=True, slots=True)
class Bench:
    """A tool in a project, with valid arguments."""

    tool: Tool
    project: Project
    arguments: dict[str, Any]

    @property
    def args(self) -> Any:
        return self.tool.arguments.model_validate(self.arguments)

    @property
    def subjects(self) -> tuple[Subject, ...]:
        return tuple(self.tool.subjects(self.args, self.project.scope))

    def try_it(
        self,
        mode: PermissionMode = PermissionMode.DEFAULT,
        *,
        environment: Mapping[str, str] | None = None,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Tried:
        """Judge, then do `meanwhile`, then run."""
        args, subjects = self.args, self.subjects
        context = call_context(self.project, subjects, mode=mode, environment=environment)

        async def go() -> Result:
            with anyio.fail_after(TIME_LIMIT):
                return await self.tool.run(args, context)

        meanwhile()
        before = self.project.snapshot()
        result, error = None, None
        with watched() as seen:
            try:
                result = anyio.run(go)
            except Exception as raised:  # noqa: BLE001 - a tool may raise anything
                error = raised
        return Tried(result, error, seen, before, self.project.snapshot())


def covered(
    path: str, subjects: Sequence[Subject], kinds: Sequence[SubjectKind], *, parents: bool = False
) -> bool:
    """Whether a subject names this path or a folder above it; with `parents` one below it."""
    return any(
        Path(path).is_relative_to(s.narrow) or (parents and Path(s.narrow).is_relative_to(path))
        for s in subjects
        if s.kind in kinds
    )


def start_and_cancel(bench: Bench, mark: dict[str, str]) -> bool:
    """Cancel a call once a process of it runs; whether one ever did."""
    args, context = bench.args, call_context(bench.project, bench.subjects, environment=mark)

    async def go() -> bool:
        over = anyio.Event()

        async def run() -> None:
            try:
                await bench.tool.run(args, context)
            finally:
                over.set()

        started = False
        with anyio.move_on_after(TIME_LIMIT):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run)
                while not started and not over.is_set():
                    await anyio.sleep(0.01)  # a process has no event that we could wait for
                    started = bool(marked_processes(mark))
                tasks.cancel_scope.cancel()
        return started

    return anyio.run(go)
