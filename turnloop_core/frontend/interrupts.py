"""Ctrl-c and its kin: the first ends the run in order, the second ends the process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from turnloop_core.errors import EXIT_INTERRUPTED

GRACE = 1.0  # seconds that cleaning up may take after the second signal


class Interrupts:
    """What to do when the user, or the system, wants the program to stop.

    Attributes:
        on_first: called in the loop's thread for the first signal.
        on_second: called there for each further one; the process ends `GRACE` seconds after the
            second, whether the loop answers or not.
        received: how many signals came since `reset`.
        last_signal: the number of the last one.
    """

    def __init__(self) -> None:
        self.on_first: Callable[[], None] = lambda: None
        self.on_second: Callable[[], None] = lambda: None
        self.received = 0
        self.last_signal = 0

    def reset(self) -> None:
        self.received = 0

    def stop(self) -> None:
        """Stop in order, as for a first signal, unless one came already."""
        if not self.received:
            self.received = 1
            asyncio.get_running_loop().call_soon(self._act, 1)

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Take over the signals while a loop runs. One that the parent had ignored stays so."""
        loop = asyncio.get_running_loop()

        def handle(number: int, _: FrameType | None) -> None:
            self.received += 1
            self.last_signal = number
            if self.received == 2:
                _end_soon()
            loop.call_soon_threadsafe(self._act, self.received)

        before = {}
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, handle)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _act(self, count: int) -> None:
        if count == 1:
            self.on_first()
        else:
            self.on_second()


def _end_soon() -> None:
    timer = threading.Timer(GRACE, os._exit, (EXIT_INTERRUPTED,))
    timer.daemon = True  # it does not hold up an end that comes sooner
    timer.start()
