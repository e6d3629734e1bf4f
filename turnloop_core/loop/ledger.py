"""Where the time went: a partition of a run's own timeline, in seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

State = Literal[
    "human",  # a question is open
    "tools",  # calls run; side by side they count once
    "verification",  # checks that the harness makes by itself
    "compaction",  # thinning the view, the summary request included
    "boot_wait",  # the model is loading
    "retry_wait",  # waiting to ask again, or for a free slot
    "model_wait",  # asked, nothing has come yet
    "model_stream",  # the reply is coming
    "harness",  # everything else
]


class Ledger:
    """Books every moment on exactly one state.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._spent: dict[str, float] = {}
        self._state: State = "harness"
        self._since = clock()

    def switch(self, state: State) -> State:
        """Book what has passed and go on in `state`; gives the state before."""
        now = self._clock()
        before = self._state
        self._spent[before] = self._spent.get(before, 0.0) + now - self._since
        self._state, self._since = state, now
        return before

    @contextmanager
    def state(self, state: State) -> Iterator[None]:
        """Be in `state` for a while, then go back to the one before."""
        before = self.switch(state)
        try:
            yield
        finally:
            self.switch(before)

    def take(self) -> dict[str, float]:
        """What was booked since the last `take`, rounded to microseconds; states without time
        are left out.
        """
        self.switch(self._state)
        spent, self._spent = self._spent, {}
        return {state: round(s, 6) for state, s in spent.items() if s > 0}
