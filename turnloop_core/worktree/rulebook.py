"""Which folders a look goes into: collects the rules on the way down."""

from __future__ import annotations

from collections.abc import Container
from enum import Enum
from pathlib import Path
from stat import S_ISREG

from turnloop_core.worktree.ignore import Level
from turnloop_core.worktree.places import is_generated
from turnloop_core.worktree.rule_files import read_rules, user_file
from turnloop_core.worktree.snapshot import Entry, Rules, entry_of
from turnloop_core.worktree.tracked import NOTHING, find_repository

_NAME = ".gitignore"


class Enter(Enum):
    """Whether to go into a folder."""

    NO = "no"
    WHOLE = "whole"
    TRACKED = "tracked"  # it is ignored: only what git tracks in it counts


class Rulebook:
    """The rules of one look.

    Args:
        root: the project's root, a real absolute path.
        home: the user's home, None when the rules in it are not to count.
        old: the rules of an earlier look; of these, whatever still holds is used again.
    """

    def __init__(self, root: Path, home: Path | None, old: Rules) -> None:
        self._root = root
        self._old = old
        self._levels: dict[str, Level] = {}
        self._loaded: dict[str, tuple[Entry, Level]] = {}
        self._tracked = NOTHING
        self._index: Entry | None = None
        self._repository = find_repository(root)
        if self._repository is not None:
            self._read_index()
            self._read_outer(home)

    @property
    def rules(self) -> Rules:
        """What was collected."""
        return Rules(self._levels, self._tracked, self._index, self._loaded)

    @property
    def top(self) -> Level | None:
        """The rules that stand outside the root and hold in it."""
        return self._levels.get("")

    def level(self, folder: str, files: Container[str], above: Level | None) -> Level | None:
        """The rules that hold in a folder.

        Args:
            folder: its path, "" or with a slash at its end.
            files: paths of the regular files and links in it.
            above: the rules of the folder above, or `top`.
        """
        if folder + _NAME not in files:
            return above
        level = self._read(self._root / folder / _NAME, above, skip=len(folder))
        if level is not None and level is not above:
            self._levels[folder[:-1]] = level
        return level

    def enter(
        self, above: str, name: str, files: Container[str], level: Level | None, how: Enter
    ) -> Enter:
        """Whether to go into the folder `name`.

        Args:
            above: path of the folder that it lies in, "" or with a slash at its end.
            name: its name.
            files: paths of the files beside it.
            level: the rules that hold in `above`.
            how: how `above` was entered.
        """
        path = above + name
        if how is Enter.TRACKED:
            return Enter.TRACKED if self.holds_tracked(path) else Enter.NO
        if is_generated(above, name, files, repository=self._repository is not None):
            return Enter.WHOLE if self.holds_tracked(path) else Enter.NO
        if level is not None and level.ignores(path, folder=True):
            return Enter.TRACKED if self.holds_tracked(path) else Enter.NO
        return Enter.WHOLE

    def holds_tracked(self, folder: str) -> bool:
        """Whether git tracks something in a folder (no slash at its end)."""
        return folder in self._tracked.folders

    def is_tracked(self, path: str) -> bool:
        """Whether git tracks a file."""
        return path in self._tracked.files

    def _read_index(self) -> None:
        assert self._repository is not None
        self._index = entry_of(self._repository.folder / "index")
        if self._index is None:
            return
        same = self._index == self._old.index
        self._tracked = self._old.tracked if same else self._repository.read_index(self._root)

    def _read_outer(self, home: Path | None) -> None:
        """The user's rules, the repository's own, and those of folders between it and the root."""
        assert self._repository is not None
        top = self._repository.top
        names = self._root.relative_to(top).parts
        level = None
        if home is not None and (file := user_file(home)) is not None:
            level = self._read(Path(file), None, names, links=True)
        level = self._read(self._repository.common / "info" / "exclude", level, names, links=True)
        for depth in range(len(names)):
            level = self._read(top.joinpath(*names[:depth], _NAME), level, names[depth:])
        if level is not None:
            self._levels[""] = level

    def _read(
        self,
        file: Path,
        parent: Level | None,
        names: tuple[str, ...] = (),
        *,
        skip: int = 0,
        links: bool = False,
    ) -> Level | None:
        """The rules of a file on top of those of its parent; read again only if it has changed.

        In the project a link is no file of rules, as with git: it could lead anywhere.
        """
        entry = entry_of(file, links=links)
        if entry is None or not S_ISREG(entry[3]):
            return parent
        known = self._old.loaded.get(str(file))
        if known is not None and known[0] == entry and known[1].parent is parent:
            level = known[1]
        else:
            level = Level(read_rules(file, links=links), parent, skip, names)
        self._loaded[str(file)] = (entry, level)
        return level
