"""The log: appending, opening a long one, listing many."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

from bench.measured import Budget, Figure, Measured, figure
from bench.places import temporary_place
from bench.samples import opening, session
from turnloop_core.log.jsonl import encode
from turnloop_core.log.records import Body, Record, SessionRecord
from turnloop_core.log.store import SessionStore
from turnloop_core.log.writer import LogWriter

RECORDS = 100_000
SESSIONS = 1_000
ROUNDS = 3


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def write(path: Path, bodies: Iterable[Body]) -> None:
    """A log, in one go."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (encode(Record(number, float(number), body)) for number, body in enumerate(bodies, 1))
    path.write_bytes(b"\n".join(lines) + b"\n")


def append_all(path: Path, count: int) -> list[float]:
    """Microseconds of each append."""
    first, *rest = session(count)
    assert isinstance(first, SessionRecord)
    spent = []
    with LogWriter.create(path, first) as log:
        for body in rest:
            began = time.perf_counter_ns()
            log.append(body)
            spent.append((time.perf_counter_ns() - began) / 1e3)
    return spent


def open_log(path: Path, records: int) -> float:
    """Seconds to open a log and fold it; what it holds is looked at, so that nothing is put off."""
    began = time.perf_counter()
    with LogWriter.open(path) as log:
        items = len(log.view.items)
        seconds = time.perf_counter() - began
        if log.damage or log.fold.last_number < records or not items:
            raise AssertionError(f"{path} was not read whole")
    return seconds


def run(quick: bool) -> Measured:
    records, sessions, rounds = (400, 10, 1) if quick else (RECORDS, SESSIONS, ROUNDS)
    with temporary_place() as place:
        store = SessionStore(place.home / "sessions")
        appends = append_all(store.path_for(place.work, "appended"), min(records, 8_000))
        long = store.path_for(place.work, "long")
        write(long, session(records))
        opened = [open_log(long, records) for _ in range(rounds)]
        many = SessionStore(place.home / "many")
        for number in range(sessions):
            root = place.work / f"project-{number % 10}"
            write(many.path_for(root, f"s{number}"), opening(f"s{number}", str(root)))
        listed = [timed(many.list) for _ in range(rounds)]
        megabytes = long.stat().st_size / 1e6
    figures = (
        Figure("append a record", median(appends), "us"),
        figure(f"open and fold {records:,} records", opened, "s"),
        figure(f"list {sessions:,} sessions", listed, "s"),
    )
    budgets = (
        Budget(figures[1].name, figures[1].value, 1.5, "s"),
        Budget(figures[2].name, figures[2].value, 0.3, "s"),
    )
    return Measured(figures, budgets, (f"The long log has {megabytes:.1f} MB.",))
