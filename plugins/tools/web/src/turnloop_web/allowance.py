"""The time that a fetch may take by itself: a user who thinks about a question takes none of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import anyio


class Allowance:
    """Seconds that are left.

    Args:
        seconds: all of them.
        said: the error's message once they are used up.
    """

    def __init__(self, seconds: float, said: str) -> None:
        self._left = seconds
        self._said = said

    @contextmanager
    def spent(self) -> Iterator[None]:
        """What is done within is stopped when the time is used up.

        Raises:
            TimeoutError: it was.
        """
        began = anyio.current_time()
        with anyio.move_on_after(self._left) as scope:
            yield
        self._left -= anyio.current_time() - began
        if scope.cancelled_caught:
            raise TimeoutError(self._said)
