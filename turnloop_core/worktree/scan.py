"""One look at the project's files, bounded by their number and by time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from stat import S_IFLNK, S_IFMT, S_IFREG

from turnloop_core.worktree.places import INTERNAL, MARKS
from turnloop_core.worktree.rulebook import Enter, Rulebook
from turnloop_core.worktree.snapshot import Entry, Limits, Snapshot

_DEFAULT = Limits()
_CLOCK_EVERY = 256  # entries of one folder between two looks at the clock


class _GaveUpError(Exception):
    """A limit was reached, or the root cannot be read; says which."""


def scan(
    root: Path,
    limits: Limits = _DEFAULT,
    previous: Snapshot | None = None,
    *,
    home: Path | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Snapshot:
    """Look at all files below `root` that may be source.

    Links are seen and never followed. What vanishes meanwhile, or cannot be read, is no error.

    Args:
        root: a real absolute path.
        limits: beyond them the snapshot is empty and not complete.
        previous: an earlier one of the same root: what it knows of rules is used again, and what
            has not changed takes no memory of its own.
        home: the user's home, for the ignore rules in it.
        clock: monotonic seconds.
    """
    began = clock()
    old = previous or Snapshot({})
    book = Rulebook(root, home, old.rules)
    walk = _Walk(root, book, old, limits=limits, clock=clock, deadline=began + limits.seconds)
    why = ""
    try:
        walk.go()
    except _GaveUpError as error:
        why = str(error)
    return Snapshot(
        walk.files if not why else {},
        frozenset(walk.skipped),
        frozenset(walk.unreadable),
        book.rules,
        not why,
        why,
        began,
        clock() - began,
    )


class _Walk:
    """A look that goes on."""

    def __init__(
        self,
        root: Path,
        book: Rulebook,
        old: Snapshot,
        *,
        limits: Limits,
        clock: Callable[[], float],
        deadline: float,
    ) -> None:
        self.files: dict[str, Entry] = {}
        self.skipped: set[str] = set()
        self.unreadable: set[str] = set()
        self._base = str(root).rstrip(os.sep) + os.sep
        self._book = book
        self._old = old.files
        self._limits = limits
        self._clock = clock
        self._deadline = deadline

    def go(self) -> None:
        """Look into one folder after another.

        Raises:
            _GaveUpError: as it says.
        """
        book = self._book
        waiting = [("", book.top, Enter.WHOLE)]
        while waiting:
            folder, level, how = waiting.pop()
            found, names = self._look_into(folder)
            if found is None:
                self.skipped.add(folder[:-1])
                continue
            if how is Enter.TRACKED:
                found = {path: entry for path, entry in found.items() if book.is_tracked(path)}
            level = book.level(folder, found, level)
            self.files.update(found)
            self._check(0)
            for name in names:
                enter = book.enter(folder, name, found, level, how)
                if enter is Enter.NO:
                    self.skipped.add(folder + name)
                else:
                    waiting.append((f"{folder}{name}/", level, enter))

    def _look_into(self, folder: str) -> tuple[dict[str, Entry] | None, list[str]]:
        """Files of a folder, and names of the folders in it; None when it says that a program has
        made it.
        """
        found: dict[str, Entry] = {}
        names: list[str] = []
        try:
            marked = self._list(folder, found, names)
        except (FileNotFoundError, NotADirectoryError):
            if not folder:
                raise _GaveUpError("the project folder is gone") from None
        except OSError as error:
            if not folder:
                words = error.strerror or str(error)
                raise _GaveUpError(f"the project folder cannot be read ({words})") from None
            self.unreadable.add(folder[:-1])
            return {}, []
        else:
            if marked and folder and not self._book.holds_tracked(folder[:-1]):
                return None, []
        return found, names

    def _list(self, folder: str, found: dict[str, Entry], names: list[str]) -> bool:
        """Fill in files and folders; whether one of the files is a program's mark."""
        old, marked, seen = self._old, False, 0
        with os.scandir(self._base + folder) as entries:
            for item in entries:
                name = item.name
                seen += 1
                if not seen % _CLOCK_EVERY:
                    self._check(len(found))
                if name in INTERNAL:
                    continue
                if item.is_dir(follow_symlinks=False):
                    names.append(name)
                    continue
                try:
                    info = item.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue  # it has vanished
                mode = info.st_mode
                if S_IFMT(mode) not in (S_IFREG, S_IFLNK):
                    continue  # a socket, a pipe, a device: nothing that could be source
                path = folder + name
                entry = (info.st_size, info.st_mtime_ns, info.st_ino, mode)
                known = old.get(path)
                found[path] = known if known == entry else entry
                marked = marked or name in MARKS
        return marked

    def _check(self, more: int) -> None:
        """Give up at a limit.

        Args:
            more: files that were found and are not among `files` yet.
        """
        count = len(self.files) + more
        if count > self._limits.files:
            raise _GaveUpError(f"there are more than {self._limits.files:,} files")
        if self._clock() > self._deadline:
            seconds = f"{self._limits.seconds:g} s"
            raise _GaveUpError(f"looking at the files takes more than {seconds}")
