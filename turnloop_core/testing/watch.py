"""Sees what code opens and starts, through the interpreter's own audit events."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

_STARTS = frozenset({"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn"})
_REACHES = frozenset({"socket.connect", "socket.getaddrinfo", "urllib.Request"})
_CHANGES = frozenset(
    {"os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.chmod"}
    | {"os.truncate", "os.utime", "os.chown", "shutil.rmtree"}
)


@dataclass(slots=True)
class Watched:
    """What happened while it was watched.

    Attributes:
        opened: files that were opened by an absolute path, with whether for writing.
        other: programs started, addresses reached and folders changed, one line each.
    """

    opened: list[tuple[str, bool]] = field(default_factory=list)
    other: list[str] = field(default_factory=list)

    def opened_below(self, folder: Path) -> list[tuple[str, bool]]:
        """Files below `folder` that were opened."""
        return [(p, writing) for p, writing in self.opened if Path(p).is_relative_to(folder)]


_watching: ContextVar[Watched | None] = ContextVar("watching", default=None)


@contextmanager
def watched() -> Iterator[Watched]:
    """Watch this thread, and the threads and tasks that are started from it with its context."""
    _install()
    seen = Watched()
    token = _watching.set(seen)
    try:
        yield seen
    finally:
        _watching.reset(token)


@cache
def _install() -> None:
    """Audit hooks cannot be removed: one is enough, and it does nothing unless we watch."""
    sys.addaudithook(_hear)


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    seen = _watching.get()
    if seen is None:
        return
    if event == "open":
        path, mode, flags = arguments
        if isinstance(path, (str, bytes, os.PathLike)):
            _note_open(seen, os.fsdecode(path), mode, flags or 0)
    elif event in _STARTS or event in _REACHES or event in _CHANGES:
        seen.other.append(f"{event} {arguments[0]!r}")


def _note_open(seen: Watched, path: str, mode: str | None, flags: int) -> None:
    if flags & getattr(os, "O_DIRECTORY", 0):
        return
    writing = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)) or (
        mode is not None and any(letter in mode for letter in "wax+")
    )
    if Path(path).is_absolute():  # a name beside an open folder was judged with that folder
        seen.opened.append((path, writing))
