"""What the next request costs to make when the history is long: it should not depend on that."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from bench.measured import Budget, Figure, Measured, figure, ratio
from bench.samples import RECORDS_A_TURN, opening, turn
from turnloop_core.log.estimate import Estimator
from turnloop_core.log.records import Record
from turnloop_core.log.view import Fold
from turnloop_core.ports.provider import Request
from turnloop_core.types.capabilities import Capabilities
from turnloop_openai_compat.encode import Encoder
from turnloop_openai_compat.options import OpenAICompatOptions

LENGTHS = (10, 100, 1_000)
TURNS = 30  # measured at each length
CAN = Capabilities()
MAY_ADD = 360.0  # microseconds
PARTS = ("fold and view", "estimate", "encode", "all")


def _encoder() -> Encoder:
    return Encoder("bench", OpenAICompatOptions(kind="openai_compat"))


@dataclass(slots=True)
class Session:
    """A conversation that grows, with what makes requests of it."""

    fold: Fold
    estimator: Estimator
    encoder: Encoder
    records: int = 0

    @classmethod
    def begin(cls) -> Session:
        made = cls(Fold(), Estimator(), _encoder())
        for body in opening():
            made.records += 1
            made.fold.feed(Record(made.records, 0.0, body))
        return made

    def grow(self) -> tuple[float, ...]:
        """One turn more, and the request after it: microseconds of each part."""
        bodies = turn(self.records + 1)
        times = [time.perf_counter_ns()]
        for body in bodies:
            self.records += 1
            self.fold.feed(Record(self.records, 0.0, body))
            view = self.fold.view()
        times.append(time.perf_counter_ns())
        self.estimator.history(view)
        self.estimator.prefix(view.prefix)
        times.append(time.perf_counter_ns())
        self.encoder.body(Request(view, "scripted", 16_384), CAN)
        times.append(time.perf_counter_ns())
        parts = [(b - a) / 1e3 for a, b in pairwise(times)]
        return (*parts, sum(parts))


def growing(lengths: tuple[int, ...], turns: int) -> Iterator[tuple[int, list[tuple[float, ...]]]]:
    """For each length of the history, what the turns after it cost."""
    session, length = Session.begin(), 0
    for wanted in lengths:
        while length < wanted:
            session.grow()
            length += 1
        spent = [session.grow() for _ in range(turns)]
        length += turns
        yield wanted, spent


def run(quick: bool) -> Measured:
    lengths, turns = ((2, 6), 3) if quick else (LENGTHS, TURNS)
    figures: list[Figure] = []
    middle: dict[tuple[int, str], float] = {}
    for length, spent in growing(lengths, turns):
        for part, runs in zip(PARTS, zip(*spent, strict=True), strict=True):
            figures.append(figure(f"after {length:,} turns: {part}", runs, "us"))
            middle[length, part] = median(runs)
    short, long = lengths[0], lengths[-1]
    name = f"turn after {long:,} / after {short:,}"
    figures += [ratio(f"{name}: {part}", middle[long, part], middle[short, part]) for part in PARTS]
    added = middle[long, "all"] - middle[short, "all"]
    more = f"what {long - short:,} turns more add to a turn"
    budgets = (Budget(more, added, MAY_ADD, "us", note="a fifth of the floor's turn of 1.8 ms"),)
    note = f"A turn is {RECORDS_A_TURN} records; each asks for the view, as a run does."
    return Measured(tuple(figures), budgets, (note,))
