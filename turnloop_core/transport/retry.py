"""One ladder of retries: how long to wait, and when to give up."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from turnloop_core.errors import (
    ColdBootError,
    ProviderError,
    RetryableError,
    StreamCutError,
    UnreachableError,
)
from turnloop_core.types.deltas import Waiting
from turnloop_core.values import dataclass

if TYPE_CHECKING:
    from random import Random


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How patient a request is. All times in seconds.

    Attributes:
        max_retries: further tries after the first.
        max_unreachable: the same where no connection can be made: nobody listens there.
        base_s: the first wait is a random part of this, each further one of twice as much.
        cap_s: no random wait is longer.
        window_s: the last try of a rate limit comes after so long, because quotas are counted in
            windows of a minute, and the server does not always say so.
        longest_wait_s: a server that asks for more ends the try.
        budget_s: all tries together.
        boot_step_s: time between two tries while a model is loading; these are no retries.
        boot_budget_s: how long a model may load.
        boots_from_nothing: while it loads, nobody may listen at all.
    """

    max_retries: int = 6
    max_unreachable: int = 3
    base_s: float = 1.0
    cap_s: float = 30.0
    window_s: float = 60.0
    longest_wait_s: float = 180.0
    budget_s: float = 600.0
    boot_step_s: float = 10.0
    boot_budget_s: float = 900.0
    boots_from_nothing: bool = False


class Ladder:
    """The retries of one request.

    Args:
        policy: how patient it is.
        rng: source of the jitter, so that many workers do not come back in the same instant.
        clock: seconds that only go forward.
    """

    def __init__(
        self,
        policy: RetryPolicy,
        rng: Random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._policy = policy
        self._rng = rng
        self._clock = clock
        self._start = clock()
        self._retries = 0
        self._waited = 0.0
        self._booting = 0.0

    def next(self, error: ProviderError) -> Waiting:
        """The wait before the next try.

        Raises:
            ProviderError: `error` itself, when there is no next try; its hint says why. What
                was cut in every try is a `RetryableError` then.
        """
        if isinstance(error, ColdBootError):
            return self._boot(error)
        if not isinstance(error, (RetryableError, UnreachableError, StreamCutError)):
            raise error
        if self._retries >= self._allowed(error):
            raise self._given_up(error)
        if (error.retry_after or 0) > self._policy.longest_wait_s:
            again = spoken(error.retry_after or 0)
            error.hint = f"come back in {again}, or use another provider"
            raise error
        seconds = self._seconds(error)
        if self._elapsed + seconds > self._policy.budget_s:
            raise self._given_up(error)
        self._retries += 1
        self._waited += seconds
        return Waiting("retry", seconds, str(error), self._retries)

    def _boot(self, error: ColdBootError) -> Waiting:
        asked = error.retry_after or self._policy.boot_step_s
        left = self._policy.boot_budget_s - self._booting
        seconds = min(asked, self._policy.longest_wait_s, left)
        if seconds <= 0:
            error.hint = f"it was not ready after {spoken(self._booting)}; check the deployment"
            raise error
        self._booting += seconds
        return Waiting("boot", seconds, str(error))

    @property
    def _elapsed(self) -> float:
        return max(self._waited, self._clock() - self._start - self._booting)

    def _allowed(self, error: ProviderError) -> int:
        if isinstance(error, UnreachableError):
            return min(self._policy.max_retries, self._policy.max_unreachable)
        return self._policy.max_retries

    def _seconds(self, error: ProviderError) -> float:
        if error.retry_after is not None:
            return error.retry_after + self._rng.uniform(0, 0.25 + 0.1 * error.retry_after)
        step = min(self._policy.cap_s, self._policy.base_s * 2**self._retries)
        seconds = self._rng.uniform(0, step)
        last = self._retries + 1 == self._policy.max_retries
        if last and error.status in (413, 429):
            seconds = max(0.0, self._policy.window_s - self._waited) + seconds
        return seconds

    def _given_up(self, error: ProviderError) -> ProviderError:
        if not self._retries and not isinstance(error, StreamCutError):
            return error
        tries = f"gave up after {self._retries + 1} tries in {spoken(self._elapsed)}"
        hint = f"{tries}; {error.hint}" if error.hint else tries
        if isinstance(error, StreamCutError):
            # Not a cut reply any more, which is asked for again: no try brought even a part of one.
            return RetryableError(str(error), hint=hint)
        error.hint = hint
        return error


def spoken(seconds: float) -> str:
    """A span of time in words: `45 s`, `12 min`, `3.5 h`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
