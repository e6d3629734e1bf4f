"""What every benchmark gives back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Figure:
    """One number.

    Attributes:
        name: what was measured.
        value: the number; the median where there are `runs`.
        unit: `ms`, `s`, `MB`, `x` for a ratio, ...
        runs: the numbers it was made from, in the order they came.
    """

    name: str
    value: float
    unit: str
    runs: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Budget:
    """What a number should be. Reported, never asserted.

    Attributes:
        name: what is measured.
        value: what came out.
        limit: what it should keep to.
        unit: of both.
        at_least: the limit is a floor, not a ceiling.
        note: what the number has to be read with.
    """

    name: str
    value: float
    limit: float
    unit: str
    at_least: bool = False
    note: str = ""

    @property
    def met(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit


@dataclass(frozen=True, slots=True)
class Measured:
    """The outcome of one benchmark."""

    figures: tuple[Figure, ...] = ()
    budgets: tuple[Budget, ...] = ()
    notes: tuple[str, ...] = ()


class Benchmark(Protocol):
    """What a module of this folder offers. `quick` tries it out, with sizes that prove nothing."""

    def run(self, quick: bool) -> Measured: ...


def figure(name: str, runs: Sequence[float], unit: str) -> Figure:
    """The median of `runs`."""
    return Figure(name, median(runs), unit, tuple(round(run, 4) for run in runs))


def ratio(name: str, over: float, under: float) -> Figure:
    """How many times `under` goes into `over`; not a number where it was too small to measure."""
    return Figure(name, over / under if under else math.nan, "x")


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
