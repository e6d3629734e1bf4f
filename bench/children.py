"""Running a program to its end: how long, how much CPU, how much memory at most."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.places import Place

LIMIT_S = 600.0
SAMPLE_S = 0.2  # memory is looked at this often; looking costs the program a little


class BenchError(Exception):
    """A program that is measured did not do what it should."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A program that ended well.

    Attributes:
        started_ns: monotonic clock, just before it was started.
        wall_s: until it had ended.
        cpu_s: user and system, of it and of all children that it waited for.
        peak_mb: largest proportional set size of the whole tree, None where the system has none.
    """

    started_ns: int
    wall_s: float
    cpu_s: float
    peak_mb: float | None = None


def run(command: Sequence[str], place: Place, *, memory: bool = False) -> Ran:
    """Run a program to its end.

    Raises:
        BenchError: it failed, or did not end.
    """
    with (place.work.parent / "output").open("w+b") as output:
        started = time.monotonic_ns()
        process = subprocess.Popen(
            command,
            cwd=place.work,
            env=place.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        guard = threading.Timer(LIMIT_S, process.kill)
        guard.start()
        peak = _watch(process.pid) if memory else None
        _, status, usage = os.wait4(process.pid, 0)
        wall = (time.monotonic_ns() - started) / 1e9
        guard.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)  # it was waited for here
        if process.returncode:
            output.seek(0)
            said = output.read()[-2000:].decode("utf-8", "replace")
            raise BenchError(f"{' '.join(command)} ended with {process.returncode}:\n{said}")
    return Ran(started, wall, usage.ru_utime + usage.ru_stime, peak)


def _watch(pid: int) -> float | None:
    """Look at the memory of a tree until its first process has ended."""
    peak: float | None = None
    own = _command_line(pid)
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        # A child that has not yet become a program of its own has the memory of its parent.
        others = (each for each in _tree(pid) if each == pid or _command_line(each) != own)
        sizes = [size for each in others if (size := _pss(each)) is not None]
        if sizes:
            peak = max(peak or 0.0, sum(sizes))
        time.sleep(SAMPLE_S)
    return peak


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found = children.read_text().split()
        except OSError:
            continue
        for child in found:
            yield from _tree(int(child))


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _pss(pid: int) -> float | None:
    """Proportional set size in MB: pages that several processes share count once in all."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return None
    _, found, rest = text.partition("\nPss:")
    return int(rest.split(None, 1)[0]) / 1024 if found else None
