"""The ladder: growing waits with jitter, hints of the server, bounds on everything."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.errors import (
    AuthError,
    ColdBootError,
    ProviderError,
    RetryableError,
    StreamCutError,
    UnreachableError,
)
from turnloop_core.transport.retry import Ladder, RetryPolicy
from turnloop_core.types.deltas import Waiting


def climb(error: ProviderError, policy: RetryPolicy | None = None, seed: int = 1) -> list[Waiting]:
    """All the waits that the ladder gives for one error, before it raises it."""
    ladder = Ladder(policy or RetryPolicy(), random.Random(seed), clock=lambda: 0.0)
    steps: list[Waiting] = []
    with pytest.raises(type(error)) as raised:
        for _ in range(1000):
            steps.append(ladder.next(error))
    assert raised.value is error
    return steps


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**6), retries=st.integers(1, 10))
def test_a_rate_limit_without_a_hint_is_outlasted(seed: int, retries: int) -> None:
    steps = climb(RetryableError("slow", status=429), RetryPolicy(max_retries=retries), seed)
    assert [step.number for step in steps] == list(range(1, retries + 1))
    total = sum(step.seconds for step in steps)
    assert 60 <= total <= 60 + 30 * retries


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_other_waits_grow_and_are_jittered(seed: int) -> None:
    steps = climb(RetryableError("oops", status=500), seed=seed)
    assert len(steps) == 6
    for number, step in enumerate(steps):
        assert 0 <= step.seconds <= min(30, 2**number)


def test_workers_do_not_come_back_together() -> None:
    error = RetryableError("slow", status=429, retry_after=20)
    firsts = {climb(error, seed=seed)[0].seconds for seed in range(10)}
    assert len(firsts) == 10
    assert all(20 <= first <= 22.25 for first in firsts)


def test_an_absurd_wait_ends_the_try() -> None:
    error = RetryableError("slow", status=429, retry_after=86_400)
    assert climb(error) == []
    assert error.hint == "come back in 24.0 h, or use another provider"


def test_all_waits_together_are_bounded() -> None:
    error = RetryableError("slow", status=429, retry_after=170)
    steps = climb(error, RetryPolicy(max_retries=50, budget_s=600))
    assert len(steps) == 3
    assert error.hint.startswith("gave up after 4 tries in ")


def test_the_time_that_tries_take_counts_too() -> None:
    times = iter([0.0, 400.0, 400.0, 700.0, 700.0])
    ladder = Ladder(RetryPolicy(), random.Random(1), clock=lambda: next(times))
    ladder.next(RetryableError("timeout"))
    ladder.next(RetryableError("timeout"))
    with pytest.raises(RetryableError):
        ladder.next(RetryableError("timeout"))


def test_what_cannot_be_reached_is_given_up_sooner() -> None:
    assert len(climb(UnreachableError("refused"))) == 3
    assert len(climb(UnreachableError("refused"), RetryPolicy(max_retries=1))) == 1


def test_a_cut_before_any_content_is_tried_again() -> None:
    ladder = Ladder(RetryPolicy(), random.Random(1), clock=lambda: 0.0)
    numbers = [ladder.next(StreamCutError("cut")).number for _ in range(6)]
    assert numbers == [1, 2, 3, 4, 5, 6]
    # No cut reply any more, for which the loop would ask again, with six more tries.
    with pytest.raises(RetryableError, match="cut") as raised:
        ladder.next(StreamCutError("cut"))
    assert raised.value.hint.startswith("gave up after 7 tries in ")


def test_a_cut_without_tries_is_not_asked_for_by_others_either() -> None:
    """Nothing of a reply had come: as a cut reply, the loop would ask for it again."""
    ladder = Ladder(RetryPolicy(max_retries=0), random.Random(1))
    with pytest.raises(RetryableError, match="cut"):
        ladder.next(StreamCutError("cut"))


def test_what_waiting_cannot_mend_is_raised_at_once() -> None:
    error = AuthError("no", hint="check the key")
    assert climb(error) == []
    assert error.hint == "check the key"


def test_a_boot_is_waited_for_and_is_no_retry() -> None:
    error = ColdBootError("loading", status=503)
    steps = climb(error, RetryPolicy(max_retries=0, boot_step_s=10, boot_budget_s=25))
    assert steps == [
        Waiting("boot", 10.0, "loading"),
        Waiting("boot", 10.0, "loading"),
        Waiting("boot", 5.0, "loading"),
    ]
    assert error.hint == "it was not ready after 25 s; check the deployment"
