"""Start-up: bare Python, the floor, and `tl`, in turns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median

from bench.children import Ran, run as run_child
from bench.measured import Budget, Figure, Measured, figure, ratio
from bench.places import Place, ask, floor, python, temporary_place, tl
from bench.serving import Server, serving

ROUNDS = 15
NOTES = (
    "Medians of interleaved rounds. A first round, not counted, compiled all bytecode;",
    "PYTHONDONTWRITEBYTECODE is not set. To the first request: from before the spawn to headers.",
    "CPU (user and system, to the end) says more than the clock while others use the machine.",
)
VERSION_LIMIT = 4.4  # 44 ms where bare Python takes 10
AIM = 1.94  # 184 ms where the floor takes 95


def run_rounds(rounds: int, steps: dict[str, Callable[[], Ran]]) -> dict[str, list[Ran]]:
    """Every step once a round, so that what else happens on the machine hits all alike."""
    for step in steps.values():
        step()
    done: dict[str, list[Ran]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            done[name].append(step())
    return done


class _Programs:
    """The programs, each in its place."""

    def __init__(self, place: Place, server: Server) -> None:
        self._place = place
        self._server = server
        self._homes = 0
        place.settle(server.url)

    def steps(self) -> dict[str, Callable[[], Ran]]:
        place, url = self._place, self._server.url
        return {
            "bare python": lambda: run_child(python("-c", "pass"), place),
            "import click": lambda: run_child(python("-c", "import click"), place),
            "tl --version": lambda: run_child(tl("--version"), place),
            "tl --help": lambda: run_child(tl("--help"), place),
            "floor": lambda: run_child(floor(url), place),
            "tl, cold home": lambda: run_child(ask(1), self._fresh()),
            "tl, used home": lambda: run_child(ask(1), place),
        }

    def _fresh(self) -> Place:
        """A home in which nothing but settings was ever written."""
        self._homes += 1
        home = Path(f"{self._place.home}-{self._homes}")
        home.mkdir()
        fresh = Place(home, self._place.work)
        fresh.settle(self._server.url)
        return fresh


ASKING = ("floor", "tl, cold home", "tl, used home")


def run_all(rounds: int) -> tuple[dict[str, list[Ran]], dict[str, list[float]]]:
    """The programs that ran, and the milliseconds to the first request of those that ask."""
    with temporary_place() as place, serving(place, 0) as server:
        ran = run_rounds(rounds, _Programs(place, server).steps())
    arrivals = iter([entry["arrived"] for entry in server.log][len(ASKING) :])
    first: dict[str, list[float]] = {name: [] for name in ASKING}
    for number in range(rounds):
        for name in ASKING:
            first[name].append((next(arrivals) - ran[name][number].started_ns) / 1e6)
    return ran, first


def run(quick: bool) -> Measured:
    ran, first = run_all(1 if quick else ROUNDS)
    walls = {name: [1e3 * each.wall_s for each in runs] for name, runs in ran.items()}
    figures = [figure(name, runs, "ms") for name, runs in walls.items() if name not in ASKING]
    figures += [figure(f"{name}: first request", runs, "ms") for name, runs in first.items()]
    figures += [figure(f"{name}: to the end", walls[name], "ms") for name in ASKING]
    figures += [
        figure(f"{name}: CPU", [1e3 * each.cpu_s for each in runs], "ms")
        for name, runs in ran.items()
    ]
    middle = {name: median(runs) for name, runs in {**walls, **first}.items()}
    ratios = {
        "tl --version / bare python": ("tl --version", "bare python"),
        "tl --help / import click": ("tl --help", "import click"),
        "first request, cold home / floor": ("tl, cold home", "floor"),
        "first request, used home / floor": ("tl, used home", "floor"),
    }
    made = {name: ratio(name, middle[a], middle[b]) for name, (a, b) in ratios.items()}
    return Measured((*figures, *made.values()), _budgets(made), NOTES)


def _budgets(made: dict[str, Figure]) -> tuple[Budget, ...]:
    def keeps(name: str, limit: float, note: str = "") -> Budget:
        return Budget(name, made[name].value, limit, "x", note=note)

    used = "first request, used home / floor"
    aim = "184 ms where the floor takes 95: the fastest of the others"
    return (
        keeps("tl --version / bare python", VERSION_LIMIT, "44 ms where bare Python takes 10"),
        keeps("tl --help / import click", 2.0),
        keeps(used, 2.7),
        Budget(f"aim: {used}", made[used].value, AIM, "x", note=aim),
    )
