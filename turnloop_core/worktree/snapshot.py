"""What a look at the project's files found."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from turnloop_core.values import dataclass
from turnloop_core.worktree.ignore import Level
from turnloop_core.worktree.tracked import NOTHING, Tracked

# Size, modification time in ns, inode, mode (kind and permissions). A plain tuple: there may be
# tens of thousands of them, and every look makes and compares them all.
Entry = tuple[int, int, int, int]


def entry_of(path: Path, *, links: bool = False) -> Entry | None:
    """What a file is, or with `links` what it leads to; None when it is not there or cannot be
    seen.
    """
    try:
        info = os.stat(path) if links else os.lstat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return (info.st_size, info.st_mtime_ns, info.st_ino, info.st_mode)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a look may find before it gives up, and how many seconds it may take."""

    files: int = 50_000
    seconds: float = 0.5


@dataclass(frozen=True, slots=True)
class Rules:
    """What does not count, as it was at a look.

    Attributes:
        levels: folder ("" is the root) -> the rules that hold in it, where they differ from those
            of the folder above.
        tracked: what git tracks; that counts whatever the rules say.
        index: what git's index was when `tracked` was read.
        loaded: file of rules -> what it was when it was read, and the rules that came of it.
    """

    levels: Mapping[str, Level] = field(default_factory=dict)
    tracked: Tracked = NOTHING
    index: Entry | None = None
    loaded: Mapping[str, tuple[Entry, Level]] = field(default_factory=dict)

    def ignore(self, path: str) -> bool:
        """Whether a file does not count, although the folder that it lies in does."""
        if path in self.tracked.files:
            return False
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            level = self.levels.get(folder)
            if level is not None:
                return level.ignores(path)
        return False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files below a root. Paths are relative to it, with `/`; bytes of a name that are no
    UTF-8 stand as lone surrogates.

    Attributes:
        files: path of each regular file and each link -> what it is. Ignored files are among them:
            whether one is, is only asked when it has changed.
        skipped: folders that were not looked into because they do not count.
        unreadable: folders that could not be looked into.
        rules: what does not count.
        complete: False when a limit was reached; `files` is empty then.
        why: the reason in words when it is not complete.
        began: monotonic seconds.
        seconds: how long it took.
    """

    files: Mapping[str, Entry]
    skipped: frozenset[str] = frozenset()
    unreadable: frozenset[str] = frozenset()
    rules: Rules = Rules()
    complete: bool = True
    why: str = ""
    began: float = 0.0
    seconds: float = 0.0

    @property
    def ended(self) -> float:
        """Monotonic seconds."""
        return self.began + self.seconds
