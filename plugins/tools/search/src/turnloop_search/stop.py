"""One search's brake: a time limit, the user's interrupt, and the processes that both end."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO, TypeVar

from turnloop_search.answers import RefusedError

T = TypeVar("T")

SECONDS = 20.0
GRACE = 5.0  # seconds that a search has to end when its time is over


class StoppedError(Exception):
    """The search was stopped before this step."""


class Stop:
    """Set by the clock or by an interrupt; checked by whatever works in the thread.

    Attributes:
        seconds: the time limit.
        expired: the clock did it.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self.expired = False
        self._set = threading.Event()
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()

    def __bool__(self) -> bool:
        return self._set.is_set()

    def now(self) -> None:
        """Stop: no further process starts, and those that run are killed."""
        with self._lock:
            self._set.set()
            for process in self._running:
                _kill(process)

    def _expire(self) -> None:
        self.expired = True
        self.now()

    @contextmanager
    def clock(self) -> Iterator[None]:
        """The time limit holds within."""
        timer = threading.Timer(self.seconds, self._expire)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    @contextmanager
    def process(
        self,
        arguments: Sequence[str],
        *,
        cwd: str,
        environment: Mapping[str, str],
        stdin: IO[bytes] | None = None,
    ) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
        """A process that ends with this search, and the file into which it complains.

        Raises:
            StoppedError: the search is over already.
            OSError: it cannot be started.
        """
        with TemporaryFile() as complaints:
            with self._lock:
                if self._set.is_set():
                    raise StoppedError
                process = subprocess.Popen(
                    arguments,
                    cwd=cwd,
                    env=dict(environment),
                    stdin=stdin or subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=complaints,
                    start_new_session=True,  # a terminal's interrupt is for us to pass on
                )
                self._running.add(process)
            try:
                yield process, complaints
            finally:
                self._end(process)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        _kill(process)
        if process.stdout is not None:
            process.stdout.close()
        process.wait()
        with self._lock:
            self._running.discard(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it has started: the program may be a script around the real one."""
    if process.returncode is not None:
        return
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)  # a group of its own; not reaped yet
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):  # the group has ended; macOS has its own word
        process.kill()


def complaints_of(file: IO[bytes], most: int = 64_000) -> str:
    """What a process wrote to its standard error."""
    file.seek(0)
    return file.read(most).decode("utf-8", "replace")


async def in_thread(work: Callable[[Stop], T], seconds: float | None = None) -> T:
    """Do `work` in a thread; a cancelled call stops it and does not wait for a hanging disk.

    Raises:
        RefusedError: it does not end, though its time is over: a folder does not answer.
    """
    from anyio import get_cancelled_exc_class, move_on_after
    from anyio.to_thread import run_sync

    stop = Stop(SECONDS if seconds is None else seconds)

    def timed() -> T:
        with stop.clock():
            return work(stop)

    with move_on_after(stop.seconds + GRACE):
        try:
            return await run_sync(timed, abandon_on_cancel=True)
        except get_cancelled_exc_class():
            stop.now()
            raise
    raise RefusedError(
        f"the search did not end after {stop.seconds:g} seconds: a disk or a network folder does "
        "not answer. Nothing is known of what is there; search a narrower folder."
    )
