"""Commands that go on while the model works on: known by an id, ended with the session."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from turnloop_core.api import Fact, RanCommand
from turnloop_shell.output import News, Output
from turnloop_shell.processes import Left, end_all, left_over
from turnloop_shell.running import Running, Sink

MOST_RUNNING = 8
MOST_ENDED = 16  # that are remembered
# Output may come a little after the shell's own end, from the end of a pipe; not for long.
GRACE = 0.25
# A look that waits goes on while output comes without such a pause: each look is a turn.
QUIET = 1.0


@dataclass(frozen=True, slots=True)
class Abandoned:
    """What a command left running that was not meant for the background."""

    mark: str
    running: Running
    output: Output


@dataclass(slots=True)
class Command:
    """A command in the background.

    Attributes:
        id: the model's name for it.
        text: as the model wrote it.
        cwd: where it runs.
        mark: what its processes carry in their environment.
        running: its shell and its pipe.
        output: what it prints.
        news: set when there is something new, output or the end.
        began: when it was started, on the monotonic clock.
        ended: when its shell ended.
        left: what still runs of it after its shell ended.
        killed: it was ended on request.
        told: its end was told to the model.
    """

    id: str
    text: str
    cwd: str
    mark: str
    running: Running
    output: News
    news: asyncio.Event
    began: float
    ended: float | None = None
    left: Sequence[Left] = ()
    killed: bool = False
    told: bool = False
    _looked: bool = field(default=False, repr=False)

    @property
    def exit_code(self) -> int | None:
        """Its status, negative for a signal; None while it runs."""
        return self.running.exited.result() if self.running.exited.done() else None

    @property
    def seconds(self) -> float:
        """How long it took, or has taken so far."""
        return (time.monotonic() if self.ended is None else self.ended) - self.began

    @property
    def over(self) -> bool:
        """Nothing of it runs any more, as far as was seen."""
        return self._looked and not self.left

    def on_exit(self) -> None:
        self.ended = time.monotonic()
        self.news.set()

    def on_end_of_output(self) -> None:
        self.output.close()
        if self.exit_code is not None:
            self.news.set()

    async def wait(self, seconds: float) -> None:
        """Until there is something new and no more of it comes, or the end, or the time is over."""
        self.running.reap()
        with anyio.move_on_after(seconds):
            while self._more_may_come():
                if not self.output.size:
                    self.news.clear()
                    await self.news.wait()
                    continue
                rest = self.output.newest + QUIET - time.monotonic()
                if rest <= 0:
                    break
                await self._over_within(rest)
        await self.settle()

    def _more_may_come(self) -> bool:
        if self.exit_code is None:
            return True
        return self._looked and bool(self.left) and not self.running.drained.done()

    async def _over_within(self, seconds: float) -> None:
        if self.exit_code is None:
            await self.running.wait_exit(seconds)
        else:
            await self.running.wait_drained(seconds)

    async def settle(self) -> None:
        """After its shell's end: take what still comes, and see what it left running."""
        if self.exit_code is None or self.over:
            return
        drained = await self.running.wait_drained(0 if self._looked else GRACE)
        self.left = left_over(self.running.pid, self.mark, held=not drained)
        self._looked = True
        if not self.left:
            self.close()

    async def kill(self) -> list[int]:
        """End all of it; ids of the processes that could not be ended."""
        self.killed = self.killed or not self.running.reap()
        stubborn = await end_all((self.mark,), self._shells())
        await self.running.wait_exit(GRACE)
        await self.running.wait_drained(GRACE)
        self._looked = self.exit_code is not None
        self.left = [Left(pid, "") for pid in stubborn]
        if not stubborn:
            self.close()
        return stubborn

    def _shells(self) -> Sequence[int]:
        """The id of its shell, while it is certain whose id that is."""
        return () if self.running.exited.done() else (self.running.pid,)

    def close(self) -> None:
        self.running.close()
        self.output.close()


class Background:
    """All that runs in the background in one session."""

    def __init__(self) -> None:
        self._commands: dict[str, Command] = {}
        self._abandoned: list[Abandoned] = []
        self._number = 0

    @property
    def commands(self) -> Sequence[Command]:
        """Those that are remembered, oldest first."""
        return tuple(self._commands.values())

    @property
    def running(self) -> Sequence[Command]:
        """Those of which something runs, be it only what their shell left behind."""
        return tuple(c for c in self.commands if not c.over)

    @property
    def full(self) -> bool:
        return len(self.running) >= MOST_RUNNING

    async def survey(self) -> None:
        """See what has ended by now, looked at or not, and forget what is too much of it."""
        for command in self.running:
            command.running.reap()
        # Together, since each may wait a moment for late output.
        await asyncio.gather(*(command.settle() for command in self.running))
        self._forget()

    def find(self, name: str) -> Command | None:
        return self._commands.get(name)

    def start(
        self,
        text: str,
        start: Callable[[Sink], Running],
        facts: Sequence[Fact],
        *,
        mark: str,
        cwd: str,
        path: Path,
    ) -> Command:
        """Start a command and remember it.

        Args:
            text: the command as the model wrote it.
            start: starts it, given where its output goes.
            facts: of the session so far. A resumed session must not use an id twice.
            mark: what its processes carry in their environment.
            cwd: where it runs.
            path: the file for its output.

        Raises:
            OSError, ValueError: as `start` does.
        """
        news = asyncio.Event()
        output = News(path, news.set)
        running = start(output.feed)
        self._number = max(self._number, started_before(facts)) + 1
        command = Command(
            f"bg{self._number}", text, cwd, mark, running, output, news, time.monotonic()
        )
        running.exited.add_done_callback(lambda _: command.on_exit())
        running.drained.add_done_callback(lambda _: command.on_end_of_output())
        self._commands[command.id] = command
        return command

    def abandon(self, abandoned: Abandoned) -> None:
        """Keep in mind what must be ended with the session."""
        self._abandoned.append(abandoned)

    def _forget(self) -> None:
        """What ended long ago, so that memory does not grow with the session.

        First goes what the model knows the end of.
        """
        ended = sorted((c for c in self.commands if c.over), key=lambda c: not c.told)
        for command in ended[: max(0, len(ended) - MOST_ENDED)]:
            del self._commands[command.id]

    async def aclose(self) -> None:
        """End everything."""
        abandoned, self._abandoned = self._abandoned, []
        commands = [c for c in self.commands if not c.over]
        marks = [*(a.mark for a in abandoned), *(c.mark for c in commands)]
        if not marks:
            return
        try:
            await end_all(marks, [c.running.pid for c in commands if c.exit_code is None])
        finally:
            for left in abandoned:
                left.running.close()
                left.output.close()
            for command in commands:
                command.close()


def started_before(facts: Sequence[Fact]) -> int:
    """How many commands this session ever started in the background."""
    return sum(
        isinstance(fact, RanCommand) and fact.background and fact.exit_code is None
        for fact in facts
    )
