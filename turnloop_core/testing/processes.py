"""Finds the processes that a test has left behind, by a mark in their environment."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

MARK = "TEST_KIT_MARK"


def new_mark() -> dict[str, str]:
    """A variable for a child's environment: its children inherit it, nobody else has it."""
    return {MARK: secrets.token_hex(8)}


def marked_processes(mark: dict[str, str]) -> list[int]:
    """Ids of the processes that run with this mark. Those that ended and were not reaped do not."""
    wanted = f"{MARK}={mark[MARK]}".encode()
    if Path("/proc/self/environ").exists():
        return [
            int(folder.name)
            for folder in Path("/proc").iterdir()
            if folder.name.isdigit() and wanted in _environment(folder).split(b"\0")
        ]
    return _by_psutil(mark)


def kill(processes: Sequence[int]) -> None:
    """Kill what was found: a failed check must not leave anything either."""
    for process in processes:
        with suppress(OSError):
            os.kill(process, getattr(signal, "SIGKILL", signal.SIGTERM))


def _environment(folder: Path) -> bytes:
    try:
        return (folder / "environ").read_bytes()
    except OSError:  # it ended, or it belongs to somebody else
        return b""


def _by_psutil(mark: dict[str, str]) -> list[int]:
    import psutil

    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark[MARK]:
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return found
