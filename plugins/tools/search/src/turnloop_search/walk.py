"""Walks a folder by itself: where there is no repository, no git, or ignored files are wanted."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field

from turnloop_search.found import MOST_FILES, Found
from turnloop_search.ignoring import Rules
from turnloop_search.stop import Stop

_LOOK_UP = 1_000  # entries between two looks at the brake


@dataclass(slots=True)
class Walk:
    """One walk. Links are named and not followed, pipes and sockets passed by.

    Attributes:
        base: real absolute path.
        stop: the brake.
        found: what was found so far.
    """

    base: str
    stop: Stop
    found: Found = field(default_factory=Found)

    def go(self, rules: Rules | None) -> Found:
        """Walk all of it; without rules nothing is ignored."""
        todo: list[tuple[str, Rules | None]] = [("", rules)]
        lead = self.base.rstrip(os.sep) + os.sep
        while todo and not self._over():
            name, held = todo.pop()
            path = lead + name if name else self.base
            if held is not None and name:
                held = held.below(path)
            try:
                with os.scandir(path) as entries:
                    folders = self._look(entries, name, held)
            except OSError:
                self.found.unread.append(f"{name}/")
                continue
            todo.extend((folder, held) for folder in sorted(folders, reverse=True))
        return self.found

    def _over(self) -> bool:
        if len(self.found.files) >= MOST_FILES:
            self.found.cut = f"only the first {MOST_FILES:,} files were looked at"
        return bool(self.stop or self.found.cut)

    def _look(
        self, entries: Iterable[os.DirEntry[str]], name: str, rules: Rules | None
    ) -> list[str]:
        """Take in what one folder holds; the folders in it that are to be walked."""
        folders = []
        for number, entry in enumerate(entries):
            if number % _LOOK_UP == 0 and self._over():
                break
            if entry.name == ".git":
                continue
            relative = f"{name}/{entry.name}" if name else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if rules is not None and rules.ignores(entry.path, folder=is_folder):
                self._ignored(relative, is_folder=is_folder)
            elif is_folder:
                folders.append(relative)
            else:
                self._file(relative, entry)
        return folders

    def _ignored(self, name: str, *, is_folder: bool) -> None:
        if is_folder:
            self.found.ignored_folders.append(f"{name}/")
        else:
            self.found.ignored_files.append(name)

    def _file(self, name: str, entry: os.DirEntry[str]) -> None:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:  # gone meanwhile
            return
        if stat.S_ISREG(status.st_mode):
            self.found.files.append(name)
            self.found.sizes.append(status.st_size)
        elif stat.S_ISLNK(status.st_mode):
            self.found.links.append(name)
