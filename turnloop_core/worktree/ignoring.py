"""What is ignored, for whoever walks a folder on their own."""

from __future__ import annotations

import os
from collections.abc import Container
from functools import cached_property
from pathlib import Path
from typing import Final

from turnloop_core.values import dataclass
from turnloop_core.worktree.ignore import Level
from turnloop_core.worktree.rule import Rule
from turnloop_core.worktree.rule_files import read_rules, user_file
from turnloop_core.worktree.tracked import Repository, Tracked, find_repository, repository_at

# Read by search programs alone: what they say comes before git's rules, even about tracked files.
_OF_SEARCHES: Final = (".rgignore", ".ignore")
_OF_GIT: Final = ".gitignore"


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The ignore rules that hold in one folder, for a walk from there down.

    They are those of `.gitignore`, `.git/info/exclude` and the user's own file for git; before them
    come those of `.rgignore` and `.ignore`. What git tracks is not ignored by rules of git. A
    repository within another has its own rules and is not under those of the outer one. Without a
    repository `.gitignore` and the user's file count as well. What lies below an ignored folder is
    ignored, whatever rules say about it; a walk does not go there.
    """

    _walk: _Walk
    _lead: str  # path of the folder from where the rules begin, "" or with a slash at its end
    _git: Level | None
    _searches: tuple[Level | None, ...]
    _repository: _Tracking | None
    _only_tracked: bool = False

    @classmethod
    def of(
        cls, folder: Path, root: Path, home: Path | None = None, config_home: Path | None = None
    ) -> IgnoreRules | None:
        """The rules that hold in a folder, None when the folder itself is ignored, or one that it
        lies in. What git tracks in it makes no difference, a repository of its own does.

        Args:
            folder: a real absolute path.
            root: of the project; where rules begin, unless the folder's repository begins above.
            home: the user's home, None when rules of the user are not to count.
            config_home: what `XDG_CONFIG_HOME` says, None for the usual place.
        """
        repository = find_repository(folder)
        tops = [top for top in (root, repository and repository.top) if top]
        top = min(
            (top for top in tops if folder.is_relative_to(top)),
            key=lambda path: len(path.parts),
            default=folder,
        )
        file = None if home is None else user_file(home, config_home)
        walk = _Walk(str(top), () if file is None else read_rules(file, links=True))
        rules = cls(walk, "", walk.of_user(""), (None, None), None)._in("", _Beside(top))
        for name in folder.relative_to(top).parts:
            if rules._searches_say(rules._lead + name, folder=True):
                return None
            rules = rules.below(name, _Beside(walk.path(rules._lead + name)))
        return None if rules._only_tracked else rules

    def below(self, name: str, names: Container[str]) -> IgnoreRules:
        """The rules of a folder in this one that is not ignored.

        Args:
            name: of that folder.
            names: of what lies in it.
        """
        path = self._lead + name
        hidden = self._searches_say(path, folder=True) is None and self._ignores(path, folder=True)
        return self._in(f"{path}/", names, only_tracked=hidden)

    def ignores(self, name: str, *, folder: bool) -> bool:
        """Whether something that lies in this folder is ignored. A folder in which git tracks
        something is not: most of what is in it may be.

        Args:
            name: of the file or folder.
            folder: it is a folder.
        """
        path = self._lead + name
        said = self._searches_say(path, folder=folder)
        if said is not None:
            return said
        if not self._ignores(path, folder=folder):
            return False
        return self._repository is None or not self._repository.tracks(path, folder=folder)

    def _searches_say(self, path: str, *, folder: bool) -> bool | None:
        for level in self._searches:
            said = None if level is None else level.says(path, folder=folder)
            if said is not None:
                return said
        return None

    def _ignores(self, path: str, *, folder: bool) -> bool:
        """What git's rules say of a path, whether tracked or not."""
        if self._only_tracked:
            return True
        return self._git is not None and bool(self._git.says(path, folder=folder))

    def _in(self, lead: str, names: Container[str], *, only_tracked: bool = False) -> IgnoreRules:
        """The rules of the folder at `lead`, given what holds in the one above."""
        git, repository = self._git, self._repository
        if ".git" in names and (found := repository_at(Path(self._walk.path(lead)))):
            repository, only_tracked = _Tracking(found, len(lead)), False
            exclude = read_rules(found.common / "info" / "exclude", links=True)
            git = self._more(exclude, self._walk.of_user(lead), lead)
        if _OF_GIT in names:
            git = self._more(read_rules(self._walk.path(lead + _OF_GIT)), git, lead)
        searches = self._searches
        if any(name in names for name in _OF_SEARCHES):
            searches = tuple(
                self._more(read_rules(self._walk.path(lead + name)), level, lead)
                if name in names
                else level
                for name, level in zip(_OF_SEARCHES, searches, strict=True)
            )
        return IgnoreRules(self._walk, lead, git, searches, repository, only_tracked)

    def _more(self, rules: tuple[Rule, ...], above: Level | None, lead: str) -> Level | None:
        return Level(rules, above, len(lead)) if rules else above


@dataclass(frozen=True, slots=True)
class _Walk:
    """What stays the same: where rules begin, and those that the user has for all projects."""

    top: str
    user: tuple[Rule, ...]

    def of_user(self, lead: str) -> Level | None:
        """The user's rules for the folder at `lead`."""
        return Level(self.user, None, len(lead)) if self.user else None

    def path(self, relative: str) -> str:
        return os.path.join(self.top, relative)  # noqa: PTH118 - often


class _Tracking:
    """What git tracks in one repository; its index is read when it is first asked about.

    Args:
        repository: the repository.
        skip: how many characters of a path lie above its top.
    """

    def __init__(self, repository: Repository, skip: int) -> None:
        self._repository = repository
        self._skip = skip

    def tracks(self, path: str, *, folder: bool) -> bool:
        name, tracked = path[self._skip :], self._tracked
        # A folder among the files is a repository of its own that this one points to.
        return name in tracked.files or (folder and name in tracked.folders)

    @cached_property
    def _tracked(self) -> Tracked:
        return self._repository.read_index(self._repository.top)


class _Beside:
    """Names in a folder that was not listed."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = folder

    def __contains__(self, name: object) -> bool:
        return os.path.lexists(os.path.join(self._folder, str(name)))  # noqa: PTH118
