"""What an attempt costs: from the end of a reply to the next request, headless, in long runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from bench.children import BenchError, Ran, run as run_child
from bench.measured import Budget, Figure, Measured, figure, quantile, ratio
from bench.places import ask, floor, temporary_place
from bench.serving import serving

ROUNDS = 3
NOTES = (
    "Half of the turns read a file, half run `echo`; the server is a process of its own and has",
    "no latency. Each number is the median over interleaved runs of what one run gave.",
)


@dataclass(frozen=True, slots=True)
class Looped:
    """One run: the milliseconds of each turn, and what the program took in all."""

    turns: tuple[float, ...]
    ran: Ran
    rewrites: int

    def span(self, first: int, last: int) -> float:
        """Median of turns `first` to `last`, the ends included; the first turn is 1."""
        return median(self.turns[first - 1 : last] or self.turns)


def loop(turns: int, *, bare: bool) -> Looped:
    """Run `tl`, or the floor, over a script of so many turns.

    Raises:
        BenchError: it did not go through the whole script.
    """
    with temporary_place() as place, serving(place, turns) as server:
        place.settle(server.url)
        ran = run_child(floor(server.url) if bare else ask(turns), place, memory=True)
    if len(server.log) != turns + 1:
        raise BenchError(f"{len(server.log)} requests came, not {turns + 1}")
    return Looped(tuple(server.overheads), ran, server.rewrites)


def run(quick: bool) -> Measured:
    lengths = (4,) if quick else (50, 200)
    parts = [_length(turns, 1 if quick else ROUNDS) for turns in lengths]
    figures = tuple(each for part in parts for each in part.figures)
    return Measured(figures, parts[-1].budgets, NOTES)


def _length(turns: int, rounds: int) -> Measured:
    ours: list[Looped] = []
    bare: list[Looped] = []
    for _ in range(rounds):
        bare.append(loop(turns, bare=True))
        ours.append(loop(turns, bare=False))
    figures = [*_figures(f"floor, {turns} turns", turns, bare)]
    figures += _figures(f"tl, {turns} turns", turns, ours)
    found = {each.name: each.value for each in figures}
    made = [
        ratio(f"{what}, {turns} turns: tl / floor", found[f"tl{rest}"], found[f"floor{rest}"])
        for what, rest in (
            ("overhead", f", {turns} turns: overhead"),
            ("steady overhead", f", {turns} turns: overhead, steady"),
            ("CPU", f", {turns} turns: CPU"),
        )
    ]
    flat = [each.span(turns - 9, turns) / each.span(10, 20) for each in ours]
    made.append(figure(f"last ten turns / turns 10-20, {turns} turns: tl", flat, "x"))
    return Measured((*figures, *made), _budgets(turns, made, found, ours))


def _figures(name: str, turns: int, loops: Sequence[Looped]) -> list[Figure]:
    def over(what: str, unit: str, get: Callable[[Looped], float]) -> Figure:
        return figure(f"{name}: {what}", [get(each) for each in loops], unit)

    figures = [
        over("overhead", "ms", lambda each: median(each.turns)),
        over("overhead, steady", "ms", _steady),
        over("overhead, p95", "ms", lambda each: quantile(each.turns, 0.95)),
        over("overhead after a read", "ms", lambda each: median(each.turns[::2])),
        over("overhead after a command", "ms", lambda each: median(each.turns[1::2])),
        over("turns 10-20", "ms", lambda each: each.span(10, 20)),
        over("last ten turns", "ms", lambda each: each.span(turns - 9, turns)),
        over("CPU", "s", lambda each: each.ran.cpu_s),
        over("whole run", "s", lambda each: each.ran.wall_s),
    ]
    if all(each.ran.peak_mb is not None for each in loops):
        figures.append(over("peak memory (PSS)", "MB", lambda each: each.ran.peak_mb or 0.0))
    return figures


def _steady(looped: Looped) -> float:
    """Halfway between a read and a command. The median over both lies in the gap between them, and
    a few turns more on one side move it from end to end.
    """
    return (median(looped.turns[::2]) + median(looped.turns[1::2])) / 2


def _budgets(
    turns: int, made: Sequence[Figure], found: dict[str, float], ours: Sequence[Looped]
) -> tuple[Budget, ...]:
    by_name = {each.name: each.value for each in made}
    flat = f"last ten turns / turns 10-20, {turns} turns: tl"
    overhead = f"overhead, {turns} turns: tl / floor"
    steady = f"steady overhead, {turns} turns: tl / floor"
    cpu, memory = f"tl, {turns} turns: CPU", f"tl, {turns} turns: peak memory (PSS)"
    rewrites = f"requests of {turns} that rewrote history"
    budgets = [
        Budget(overhead, by_name[overhead], 2.0, "x"),
        Budget(steady, by_name[steady], 2.0, "x", note="halfway between a read and a command"),
        Budget(flat, by_name[flat], 1.2, "x"),
        Budget(cpu, found[cpu], 1.5, "s", note="for 200 turns, where the floor takes 0.4"),
        Budget(rewrites, max(each.rewrites for each in ours), 0, ""),
    ]
    if memory in found:
        budgets.append(Budget(memory, found[memory], 50.0, "MB"))
    return tuple(budgets)
