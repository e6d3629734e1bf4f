"""Walks a folder: every file in it, but for what ignore rules leave out."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from turnloop_core.api import IgnoreRules
from turnloop_search.found import MOST_FILES, Found
from turnloop_search.stop import Stop

_LOOK_UP = 100  # entries between two looks at the brake


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

    def go(self, rules: IgnoreRules | None) -> Found:
        """Walk all of it.

        Args:
            rules: those that hold in the base; without any nothing is ignored.
        """
        todo: list[tuple[str, IgnoreRules | None]] = [("", None)]
        while todo and not self._over():
            name, above = todo.pop()
            try:
                entries = self._entries(name)
            except OSError:
                self.found.unread.append(f"{name}/")
                continue
            if above is not None:
                held: IgnoreRules | None = above.below(
                    name.rpartition("/")[2], {entry.name for entry in entries}
                )
            else:
                held = rules if not name else None
            folders = self._look(entries, f"{name}/" if name else "", held)
            todo.extend((folder, held) for folder in sorted(folders, reverse=True))
        return self.found

    def _over(self) -> bool:
        if len(self.found.files) >= MOST_FILES:
            self.found.cut = f"only the first {MOST_FILES:,} files were looked at"
        return bool(self.stop or self.found.cut)

    def _entries(self, name: str) -> list[os.DirEntry[str]]:
        """What lies in a folder; not all of it once the brake is set, or over the limit."""
        entries: list[os.DirEntry[str]] = []
        with os.scandir(os.path.join(self.base, name)) as listing:  # noqa: PTH118 - often
            for entry in listing:
                if len(entries) % _LOOK_UP == 0 and (self.stop or len(entries) > MOST_FILES):
                    break
                entries.append(entry)
        return entries

    def _look(
        self, entries: list[os.DirEntry[str]], lead: str, rules: IgnoreRules | None
    ) -> list[str]:
        """Take in what one folder holds; the folders in it that are to be walked."""
        folders: list[str] = []
        for number, entry in enumerate(entries):
            if number % _LOOK_UP == 0 and self._over():
                break
            if entry.name != ".git":
                name = lead + entry.name
                try:
                    self._take(entry, name, rules, folders)
                except OSError:  # a file system that tells what things are only one by one
                    self.found.unread.append(name)
        return folders

    def _take(
        self, entry: os.DirEntry[str], name: str, rules: IgnoreRules | None, folders: list[str]
    ) -> None:
        if entry.is_dir(follow_symlinks=False):
            if rules is not None and rules.ignores(entry.name, folder=True):
                self.found.ignored_folders.append(f"{name}/")
            else:
                folders.append(name)
            return
        is_link = entry.is_symlink()
        if not (is_link or entry.is_file(follow_symlinks=False)):
            return  # a pipe, a socket, a device; or gone meanwhile
        if rules is not None and rules.ignores(entry.name, folder=False):
            self.found.ignored_files.append(name)
        else:
            (self.found.links if is_link else self.found.files).append(name)
