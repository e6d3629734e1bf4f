"""The rules of ignore files for a walk from the root down: which rule decides about a path."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from turnloop_core.worktree.rule import Part, Rule, Wild

_KEPT_DECISIONS = 100_000
_TOGETHER = 200  # patterns in one regular expression

Numbered = tuple[int, Rule]


class Level:
    """The rules that hold in a folder: its own, then those of the folders above. Rules never
    change, so neither does what they decide.

    Args:
        rules: its own.
        parent: those above, None where there are none.
        skip: how many characters of a path (relative to the root) lie above the folder.
        above: what stands before the path, for a folder above the root.
    """

    def __init__(
        self,
        rules: tuple[Rule, ...],
        parent: Level | None = None,
        skip: int = 0,
        above: tuple[str, ...] = (),
    ) -> None:
        self.rules = rules
        self.parent = parent
        self._skip = skip
        self._above = above
        self._decisions: dict[tuple[str, bool], bool] = {}

    def ignores(self, path: str, *, folder: bool = False) -> bool:
        """Whether a path is ignored that lies in this folder or below. It is remembered."""
        known = self._decisions.get((path, folder))
        if known is None:
            if len(self._decisions) >= _KEPT_DECISIONS:
                self._decisions.clear()
            known = self._decisions[path, folder] = bool(self.says(path, folder=folder))
        return known

    def says(self, path: str, *, folder: bool = False) -> bool | None:
        """Whether a path is ignored, None when no rule is about it. The last rule that matches
        decides, the rules of deeper folders before those above.
        """
        name = path[path.rfind("/") + 1 :]
        level: Level | None = self
        while level is not None:
            last = level._last(path, name, folder=folder)
            if last >= 0:
                return not level.rules[last].negated
            level = level.parent
        return None

    def _last(self, path: str, name: str, *, folder: bool) -> int:
        """The number of the last rule that matches, -1 for none."""
        last = (self._of_folders if folder else self._of_files).last(name)
        if not self._anchored or self._elsewhere(path):
            return last
        names = (*self._above, *path[self._skip :].split("/"))
        for number, rule in self._anchored:
            if number <= last:
                break
            if rule.matches(names, folder=folder):
                return number
        return last

    def _elsewhere(self, path: str) -> bool:
        """Whether all rules for paths begin with names, and none with the first of this path."""
        if self._firsts is None:
            return False
        end = path.find("/", self._skip)
        first = self._above[0] if self._above else path[self._skip : end if end >= 0 else None]
        return first not in self._firsts

    @cached_property
    def _anchored(self) -> list[Numbered]:
        """Rules for paths, the last one first."""
        return [(n, rule) for n, rule in reversed(self._numbered) if rule.anchored]

    @cached_property
    def _firsts(self) -> set[str] | None:
        """What rules for paths begin with, None when one begins with a pattern."""
        firsts = [rule.parts[0] for _, rule in self._anchored]
        names = {first for first in firsts if isinstance(first, str)}
        return names if all(isinstance(first, str) for first in firsts) else None

    @cached_property
    def _of_folders(self) -> _Names:
        return _Names((n, rule.parts[0]) for n, rule in self._numbered if not rule.anchored)

    @cached_property
    def _of_files(self) -> _Names:
        return _Names(
            (n, rule.parts[0])
            for n, rule in self._numbered
            if not (rule.anchored or rule.folders_only)
        )

    @property
    def _numbered(self) -> list[Numbered]:
        return list(enumerate(self.rules))


class _Names:
    """The rules of one file that look at a name alone, laid out so that few have to be tried.

    Args:
        rules: number and pattern of each, in order.
    """

    def __init__(self, rules: Iterable[tuple[int, Part]]) -> None:
        self._whole: dict[str, int] = {}  # `name`
        self._endings: dict[str, int] = {}  # `*.ending`
        wild: list[tuple[int, Wild]] = []
        for number, part in rules:
            if isinstance(part, str):
                self._whole[part] = number
            elif part is not None and (ending := _ending(part.glob)):
                self._endings[ending] = number
            elif part is not None:
                wild.append((number, part))
        wild.reverse()
        self._wild = [wild[at : at + _TOGETHER] for at in range(0, len(wild), _TOGETHER)]
        # The first alternative that fits wins, which is the last rule.
        self._patterns = [
            re.compile("|".join(f"({part.expression})" for _, part in some), re.DOTALL)
            for some in self._wild
        ]

    def last(self, name: str) -> int:
        """The number of the last one that fits, -1 for none."""
        last = self._whole.get(name, -1)
        if self._endings and (dot := name.rfind(".")) >= 0:
            last = max(last, self._endings.get(name[dot + 1 :], -1))
        for some, pattern in zip(self._wild, self._patterns, strict=True):
            found = pattern.fullmatch(name)
            if found is not None and found.lastindex is not None:
                return max(last, some[found.lastindex - 1][0])
        return last


def _ending(glob: str) -> str:
    """What a name has behind its last dot if `glob` says nothing else, "" if it says more."""
    if not glob.startswith("*."):
        return ""
    ending = glob[2:]
    return "" if any(sign in ending for sign in "*?[\\.") else ending
