"""Finds the processes of a command, and ends them: politely, then by force, within a bound.

A process belongs to a command when it descends from its shell, is in its session, or carries its
mark in the environment. Only the last finds what has left its parents and its group.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from turnloop_shell.surroundings import MARK

if TYPE_CHECKING:
    import psutil

POLITE = 1.0
FORCED = 2.0
_PAUSE = 0.02
_STARTING, _MOMENT_S = 20, 0.0005  # looks at a process that starts a program, and between them
_TITLE = 80
_FEW = 200


@dataclass(frozen=True, slots=True)
class Left:
    """A process that still runs: its id and its command line."""

    pid: int
    title: str


def left_over(shell: int, mark: str, *, held: bool) -> list[Left]:
    """What a command left running after its shell ended.

    Args:
        shell: id of the shell, which has ended.
        mark: the command's mark.
        held: somebody still holds its output.
    """
    if sys.platform == "linux":
        everybody = held or _group_lives(shell)
        return _marked_in_proc(mark, _pids() if everybody else _pids_since(shell))
    if held or _group_lives(shell):
        return [Left(p.pid, _title(p)) for p in _alive(_marked(frozenset((mark,)), frozenset()))]
    return []


def _group_lives(shell: int) -> bool:
    if os.name == "nt":
        return True
    try:
        os.killpg(shell, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _pids() -> list[int]:
    return sorted(int(name) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208


def _pids_since(shell: int) -> Iterable[int]:
    """Ids given out since the shell got its own, without a look at all processes of the machine.

    Most commands start few: the ids in between are tried one by one, which is cheaper than a list.
    """
    try:
        with open("/proc/loadavg", "rb") as file:  # noqa: PTH123 - after every command
            last = int(file.read().split()[-1])
    except (OSError, ValueError, IndexError):
        return _pids()
    if shell <= last <= shell + _FEW:
        return range(shell + 1, last + 1)
    # Ids begin anew from the bottom when they are used up.
    return [pid for pid in _pids() if pid > shell] if last > shell else _pids()


def _environment_of(pid: int) -> bytes:
    """The environment of a process. One that is just starting a program has none for a moment."""
    for _ in range(_STARTING):
        with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123 - after every command
            variables = file.read()
        if variables or not _is_starting(pid):
            return variables
        time.sleep(_MOMENT_S)
    return b""


def _is_starting(pid: int) -> bool:
    """Neither ended nor a thread of the kernel, which have no environment for good."""
    after_name = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    state, parent = after_name[0], after_name[1]
    return state not in (b"Z", b"X") and parent not in (b"0", b"2")


def _marked_in_proc(mark: str, pids: Iterable[int]) -> list[Left]:
    wanted, name = mark.encode(), f"{MARK}=".encode()
    found = []
    for pid in pids:
        try:
            variables = _environment_of(pid)
            if wanted not in variables:
                continue
            title = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:  # it ended, or it is somebody else's
            continue
        marks = next((v for v in variables.split(b"\0") if v.startswith(name)), b"")
        if wanted in marks.removeprefix(name).split():
            words = title.replace(b"\0", b" ").decode("utf-8", "replace").strip()
            found.append(Left(pid, words[:_TITLE]))
    return found


async def end_tree(shell: int, mark: str) -> list[int]:
    """End the shell and everything that belongs to it; ids of what could not be ended."""
    return await end_all((mark,), (shell,))


async def end_all(marks: Iterable[str], shells: Iterable[int]) -> list[int]:
    """End what carries one of these marks, and these shells with all that belongs to them.

    Args:
        marks: of the commands.
        shells: ids of those shells that run, or have not been reaped: later an id is anybody's.

    Returns:
        Ids of what could not be ended.
    """
    return await _end(_Tree(frozenset(marks), frozenset(shells)))


class _Tree:
    """The processes of one command or more, as far as they were ever seen."""

    def __init__(self, marks: frozenset[str], shells: frozenset[int]) -> None:
        self._marks = marks
        self._shells = shells
        self._known: dict[int, psutil.Process] = {}

    def alive(self) -> list[psutil.Process]:
        """Look again, and give all that run."""
        for process in (*self._descendants(), *_marked(self._marks, self._shells)):
            self._known.setdefault(process.pid, process)
        return _alive(self._known.values())

    def still(self) -> list[psutil.Process]:
        """Those known that run; a cheap look."""
        return _alive(self._known.values())

    def _descendants(self) -> list[psutil.Process]:
        import psutil

        found = []
        for pid in self._shells:
            with suppress(psutil.Error):
                shell = psutil.Process(pid)
                found += [shell, *shell.children(recursive=True)]
        return found


async def _end(tree: _Tree) -> list[int]:
    try:
        _send(tree.alive(), polite=True)
        await _gone(tree, POLITE)
        deadline = time.monotonic() + FORCED
        while (alive := tree.alive()) and time.monotonic() < deadline:
            _send(alive, polite=False)
            await _gone(tree, 5 * _PAUSE)
        return [process.pid for process in alive]
    except BaseException:  # stopped once more while ending: no more politeness
        _send(tree.alive(), polite=False)
        raise


async def _gone(tree: _Tree, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    # Not all are children of ours: nobody tells us of their end, so it is looked for.
    while tree.still() and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(_PAUSE)


def _send(processes: Iterable[psutil.Process], *, polite: bool) -> None:
    import psutil

    for process in processes:
        with suppress(psutil.Error, OSError):
            if not polite:
                process.kill()
                continue
            process.terminate()
            if os.name != "nt":
                process.send_signal(signal.SIGCONT)  # a stopped process hears nothing else


def _alive(processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    import psutil

    alive = []
    for process in processes:
        with suppress(psutil.Error):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                alive.append(process)
    return alive


def _marked(marks: frozenset[str], sessions: frozenset[int]) -> list[psutil.Process]:
    import psutil

    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if _in_session(process.pid, sessions) or not marks.isdisjoint(
                process.environ().get(MARK, "").split()
            ):
                found.append(process)
    return found


def _in_session(pid: int, sessions: frozenset[int]) -> bool:
    return bool(sessions) and os.name != "nt" and os.getsid(pid) in sessions


def _title(process: psutil.Process) -> str:
    import psutil

    with suppress(psutil.Error):
        return " ".join(process.cmdline())[:_TITLE]
    return ""
