"""Sources of tools: each in a task of its own, opened and closed within a bound."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup

from turnloop_core.errors import TurnloopError
from turnloop_core.loop.hooks import Emitter
from turnloop_core.loop.parts import Offered
from turnloop_core.ports.tool import Scope, SourcedTool, ToolSource
from turnloop_core.registry import ToolEntry
from turnloop_core.types.events import Notice

OPEN_WITHIN_S = 60.0  # all sources open side by side
CLOSE_WITHIN_S = 5.0


class _Opening:
    """One source. It lives in its own task, since what it opens may bind it to that task."""

    def __init__(self, source: ToolSource) -> None:
        self.source = source
        self.tools: Sequence[SourcedTool] = ()
        self.problem = ""
        self.hint = ""
        self.ready = anyio.Event()
        self.closing = anyio.Event()
        self.closed = anyio.Event()

    async def live(self, scope: Scope) -> None:
        try:
            async with self.source.open(scope) as tools:
                self.tools = tuple(tools)
                self.ready.set()
                await self.closing.wait()
        except TurnloopError as error:
            self.problem, self.hint = str(error), error.hint
        except Exception as error:  # foreign code may raise anything
            self.problem = f"{type(error).__name__}: {error}"
        finally:
            self.ready.set()
            self.closed.set()


@asynccontextmanager
async def open_sources(
    sources: Sequence[ToolSource], scope: Scope, emit: Emitter
) -> AsyncIterator[list[SourcedTool]]:
    """The tools of all sources that open in time; the others are named in a notice."""
    if not sources:
        yield []
        return
    openings = [_Opening(source) for source in sources]
    failure: Exception | None = None
    async with anyio.create_task_group() as group:
        for opening in openings:
            group.start_soon(opening.live, scope)
        try:
            await _opened(openings, emit)
            yield [tool for opening in openings if not opening.problem for tool in opening.tools]
        except Exception as error:  # kept, so that it does not come out wrapped in a group
            failure = error
        finally:
            with anyio.CancelScope(shield=True):
                await _close(openings, group)
    if failure is not None:
        raise failure


async def _opened(openings: Sequence[_Opening], emit: Emitter) -> None:
    with anyio.move_on_after(OPEN_WITHIN_S):
        for opening in openings:
            await opening.ready.wait()
    for opening in openings:
        if not opening.ready.is_set():
            opening.problem = f"it did not open within {OPEN_WITHIN_S:.0f} s"
        if opening.problem:
            text = f"{opening.source.name}: {opening.problem}"
            emit(Notice("warning", f"its tools are missing: {text}", opening.hint))


async def _close(openings: Sequence[_Opening], group: TaskGroup) -> None:
    """Ask all to close; what has not closed within the bound is cancelled."""
    for opening in openings:
        opening.closing.set()
    with anyio.move_on_after(CLOSE_WITHIN_S):
        for opening in openings:
            await opening.closed.wait()
        return
    group.cancel_scope.cancel()


def unique(
    offered: Sequence[Offered], sourced: Sequence[SourcedTool], emit: Emitter
) -> list[Offered]:
    """Tools of plugins and of sources; a source never takes the name of a tool that is there."""
    taken = {item.entry.name for item in offered}
    kept = list(offered)
    for item in sourced:
        name = item.tool.name
        if name in taken:
            emit(Notice("warning", f"a source offers a tool called {name}, which is there already"))
            continue
        taken.add(name)
        entry = ToolEntry(
            name,
            "",
            item.read_only,
            item.parallel_safe,
            item.bulk_args,
            in_plan=item.in_plan,
        )
        kept.append(Offered(entry, item.tool))
    return kept
