"""How long an answer asks to wait: from its headers, its body or its words."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from turnloop_core.transport.problem import Problem

# "try again in 1m0.36s", "retry in 48.9s", "in 174ms", "after 20 seconds", "1h2m3s", "in 2 minutes"
_UNIT = r"(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)"
_SPAN = re.compile(
    rf"(?:(?:try again|retry|reset|available|wait)\w*(?:\s+\w+){{0,2}}?|\bin|\bafter)\s+"
    rf"((?:\d+(?:\.\d+)?\s*{_UNIT}(?![a-z])\s*)+)",
    re.I,
)
_PART = re.compile(rf"(\d+(?:\.\d+)?)\s*({_UNIT})", re.I)
LONGEST_S = 366 * 86_400.0  # what asks for more is no span of time
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def from_headers(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds to wait, or None when the headers say nothing usable.

    Of two forms that contradict each other the longer one holds. Zero, negative values, dates in
    the past and words are as good as nothing.

    Args:
        headers: names in lower case.
        now: Unix time in seconds, for dates.
    """
    waits = [
        _number(headers.get("retry-after-ms"), 0.001),
        _number(headers.get("retry-after"), 1.0),
        _date(headers.get("retry-after"), time.time() if now is None else now),
    ]
    usable = [wait for wait in waits if wait is not None and wait > 0]
    return max(usable) if usable else None


def from_problem(problem: Problem) -> float | None:
    """Seconds to wait that the body of an error names, None when it names none."""
    wait = from_details(problem)
    return from_words(problem.message) if wait is None else wait


def from_details(problem: Problem) -> float | None:
    """Seconds to wait that a field of the body names, None when none does."""
    for detail in problem.details:
        delay = detail.get("retryDelay")
        if isinstance(delay, str) and (wait := _number(delay.removesuffix("s"), 1.0)):
            return wait
    return None


def from_words(message: str) -> float | None:
    """Seconds to wait that a message names, None when it names none."""
    found = _SPAN.search(message)
    if found is None:
        return None
    total = 0.0
    for number, unit in _PART.findall(found.group(1)):
        word = unit.lower()
        is_milli = word.startswith(("ms", "milli"))
        total += float(number) * _SECONDS["ms" if is_milli else word[0]]
    return total if total > 0 else None


def _number(value: str | None, scale: float) -> float | None:
    try:
        seconds = float(value or "") * scale
    except ValueError:
        return None
    return seconds if 0 < seconds < LONGEST_S else None


def _date(value: str | None, now: float) -> float | None:
    try:
        return parsedate_to_datetime(value or "").timestamp() - now
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
