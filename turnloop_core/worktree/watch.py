"""A session's eye on the project: what changed while something ran.

What looks and compares is imported at the first look: every session has an eye, and some never
open it.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from turnloop_core.types.changes import Changes

if TYPE_CHECKING:
    from turnloop_core.worktree.snapshot import Limits, Snapshot

# A look of this size is cheaper than handing it to a thread; beyond it the thread takes over.
_QUICK_FILES, _QUICK_SECONDS = 1_000, 0.004
_GIVES_UP = 2  # looks in a row that reached a limit; after that nobody looks any more
# Looks that cost more than `_CHEAP` seconds may take a twentieth of the session's time, and may run
# up a second in advance: in a large project not every one of many quick commands is watched.
_CHEAP, _SHARE, _ADVANCE = 0.02, 0.05, 1.0
_TOO_OFTEN = "looking at so many files at every command would take too long"
# A look may serve as the one before the next command for ten times what it cost, within bounds.
_FRESH, _FRESHEST, _FRESH_AT_MOST = 10, 0.05, 1.0


class Watched:
    """What was seen: a `Watch`.

    Attributes:
        changes: None while it goes on, when it was broken off, and when nobody looked.
    """

    __slots__ = ("changes",)

    def __init__(self) -> None:
        self.changes: Changes | None = None


Watching = Callable[[], AbstractAsyncContextManager[Watched]]


class Worktree:
    """Looks at the project's files before and after what may change them, once each at most.

    The look after one command serves as the look before the next if it is recent and no other call
    that may write came between. What other programs do in that moment (a twentieth of a second in
    a small project, a second at most) then counts as done by the command: changes are what
    happened meanwhile, whoever did it. A change that keeps size, modification time and inode is
    not seen; that takes two writes within one tick of the file system's clock, or intent.

    Args:
        root: the project's root, a real absolute path.
        home: the user's home, for the ignore rules in it.
        notify: told once, in words, when it stops looking for the rest of the session.
        limits: what one look may cost, None for the usual ones.
        clock: monotonic seconds.

    Attributes:
        looks: how often it has looked.
    """

    def __init__(
        self,
        root: Path,
        *,
        home: Path | None = None,
        notify: Callable[[str], None] = lambda _: None,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.looks = 0
        self._root = root
        self._home = home
        self._notify = notify
        self._limits = limits
        self._clock = clock
        self._lock = anyio.Lock()
        self._newest: Snapshot | None = None
        self._calls = 0  # that may write, so far
        self._begun = 0  # number of the look that began last; `looks` is that of the last to end
        self._seen_calls = 0  # how many of these the newest look is later than
        self._given_up = 0
        self._small = True
        self._advance = _ADVANCE
        self._counted = clock()

    @property
    def off(self) -> bool:
        """The project is too large to look at."""
        return self._given_up >= _GIVES_UP

    def call(self, *, writes: bool) -> Watching:
        """Announce a call; gives what it watches the files with.

        Args:
            writes: it may change files.
        """
        self._calls += writes
        return partial(self.watching, self._calls)

    @asynccontextmanager
    async def watching(self, call: int = 0) -> AsyncIterator[Watched]:
        """See what changes within. Nothing is known when what is within raises."""
        from turnloop_core.worktree.compare import changes

        seen = Watched()
        if self._too_often():
            yield seen
            seen.changes = Changes(complete=False, why=_TOO_OFTEN)
            return
        before = await self._before(call)
        yield seen
        if before is not None and before.complete:
            after = await self.look()
            seen.changes = None if after is None else changes(before, after)
        elif before is not None:
            seen.changes = Changes(complete=False, why=before.why)

    async def look(self) -> Snapshot | None:
        """The files as they are now; None when it does not look any more. Looks that are wanted at
        the same time are shared.
        """
        return await self._look(self._begun, self._calls)

    def _too_often(self) -> bool:
        """Whether looks have taken more than their share of the time lately."""
        now = self._clock()
        earned = _SHARE * (now - self._counted)
        self._counted, self._advance = now, min(self._advance + earned, _ADVANCE)
        dear = self._newest is not None and self._newest.seconds > _CHEAP
        return dear and self._advance <= 0

    async def _before(self, call: int) -> Snapshot | None:
        """The files as they were a moment ago."""
        newest = self._newest
        if newest is not None and self._calls == call and self._seen_calls >= call - 1:
            fresh = min(max(_FRESH * newest.seconds, _FRESHEST), _FRESH_AT_MOST)
            if self._clock() - newest.ended <= fresh:
                return newest
        # One that others are waiting for will do, even if it began before: whoever waits for it has
        # not started yet.
        return await self._look(self.looks, call - 1)

    async def _look(self, past: int, calls: int) -> Snapshot | None:
        """The newest look if it has a number above `past`, else a new one.

        Args:
            past: number of a look.
            calls: how many of the calls that may write a new one has seen the end of, or knows to
                go on beside.
        """
        async with self._lock:
            if self.off:
                return None
            if self._newest is not None and self.looks > past:
                return self._newest
            self._begun = self.looks + 1
            look = await self._scan()
            self.looks += 1
            self._advance -= look.seconds
            if look.complete:
                self._newest, self._seen_calls, self._given_up = look, calls, 0
            else:
                self._newest, self._given_up = None, self._given_up + 1
                if self.off:
                    self._notify(look.why)
            return look

    async def _scan(self) -> Snapshot:
        from anyio.to_thread import run_sync

        from turnloop_core.worktree.scan import scan
        from turnloop_core.worktree.snapshot import Limits

        limits = self._limits or Limits()
        work = partial(scan, self._root, home=self._home, clock=self._clock, previous=self._newest)
        if self._small:
            files, seconds = min(_QUICK_FILES, limits.files), min(_QUICK_SECONDS, limits.seconds)
            look = work(Limits(files, seconds))
            if look.complete:
                return look
        look = await run_sync(work, limits, abandon_on_cancel=True)
        self._small = look.complete and len(look.files) < _QUICK_FILES // 2
        return look
