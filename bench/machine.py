"""Where the numbers come from: machine, versions, and what else ran meanwhile."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("turnloop-core", "anyio", "click", "httpcore", "pluggy", "pydantic", "pydantic-core")


def describe() -> dict[str, Any]:
    """The machine, for the report."""
    return {
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "release": platform.release(),
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "load_average": _load(),
    }


def versions() -> dict[str, str]:
    """What is installed of what matters for speed."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = ""
    return found


@dataclass(slots=True)
class Watch:
    """How long something took, and what share of the machine others used meanwhile."""

    seconds: float = 0.0
    others: float | None = None


@contextmanager
def watch() -> Iterator[Watch]:
    """Measures its block. Children count as ours once they were waited for."""
    watched = Watch()
    began, busy, own = time.monotonic(), _busy(), _own()
    yield watched
    watched.seconds = round(time.monotonic() - began, 3)
    if busy is not None and (now := _busy()) is not None and watched.seconds:
        whole = watched.seconds * (os.cpu_count() or 1)
        watched.others = round(max(0.0, (now - busy) - (_own() - own)) / whole, 3)


def _own() -> float:
    return sum(os.times()[:4])


def _busy() -> float | None:
    """CPU seconds that the whole machine has worked, where the system says."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    user, nice, system, _, _, _, soft = (int(field) for field in fields[:7])
    return (user + nice + system + soft) / os.sysconf("SC_CLK_TCK")


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def _load() -> list[float]:
    return [round(value, 2) for value in os.getloadavg()] if hasattr(os, "getloadavg") else []
