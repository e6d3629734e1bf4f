"""Lists the files of a folder: by git where it is a repository, else by walking.

An ignored folder that is named outright is searched whole, so no search is blind in one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from turnloop_core.api import Scope
from turnloop_search.found import MOST_FILES, Found
from turnloop_search.ignoring import rules_of
from turnloop_search.programs import find, surroundings
from turnloop_search.repository import Known, ask_git, top_of
from turnloop_search.stop import Stop, StoppedError
from turnloop_search.walk import Walk

_DEEPEST = 8  # repositories within repositories
_WHOLE = "the folder is ignored itself, so everything in it was searched"


class _Folders:
    """Remembers which folders are no links: what is tracked may lie behind one by now."""

    def __init__(self, lead: str) -> None:
        self._lead = lead
        self._plain = {"": True}

    def lead_to(self, name: str) -> bool:
        """Whether no folder on the way to a file is a link."""
        folder = name.rstrip("/").rpartition("/")[0]
        known = self._plain.get(folder)
        if known is None:
            path = self._lead + folder
            known = self.lead_to(folder) and not os.path.islink(path)  # noqa: PTH114 - often
            self._plain[folder] = known
        return known


@dataclass(frozen=True, slots=True)
class Lister:
    """Lists files.

    Attributes:
        scope: where the call acts.
        environment: for git.
        stop: the brake.
        ignored_too: ignore rules do not count.
    """

    scope: Scope
    environment: Mapping[str, str]
    stop: Stop
    ignored_too: bool = False

    def files(self, base: str) -> Found:
        """Everything below `base`, a real path; what is missing is said in the answer."""
        try:
            found = self._files(base, _DEEPEST)
        except StoppedError:
            found = Found()
        if self.stop and not found.cut:
            found.cut = f"the search was stopped after {self.stop.seconds:g} seconds"
        return found.in_order()

    def _files(self, base: str, depth: int) -> Found:
        if self.ignored_too:
            return Walk(base, self.stop).go(None)
        if ".git" in Path(base).parts:  # named outright, like an ignored folder
            return self._whole(base)
        top = top_of(base)
        git = find("git", self.environment, self.scope) if top else None
        if top and git:
            known = ask_git(git, base, top, surroundings(self.environment), self.stop)
            if known is not None:
                return self._from(known, base, depth)
        return self._walked(base, top)

    def _walked(self, base: str, top: str | None) -> Found:
        root = str(self.scope.root)
        inside = base == root or base.startswith(root.rstrip(os.sep) + os.sep)
        rules = rules_of(top or (root if inside else base), base)
        found = Walk(base, self.stop).go(rules)
        if rules is None:
            found.all_of = _WHOLE
        elif self._blind(found):
            found = self._whole(base)
        return found

    def _from(self, known: Known, base: str, depth: int) -> Found:
        if known.base_ignored:
            return self._whole(base)
        found = Found(unread=[f"{name}/" for name in known.unread])
        for name in known.ignored:
            (found.ignored_folders if name.endswith("/") else found.ignored_files).append(name)
        self._look(known.names, base, found, depth)
        return self._whole(base) if self._blind(found) else found

    def _blind(self, found: Found) -> bool:
        """Nothing to be seen, but ignored things are there: no answer to give."""
        hidden = found.ignored_files or found.ignored_folders
        return bool(hidden and not found.files and not found.links and not found.cut)

    def _whole(self, base: str) -> Found:
        found = Walk(base, self.stop).go(None)
        found.all_of = _WHOLE
        return found

    def _look(self, names: list[str], base: str, found: Found, depth: int) -> None:
        """What the names stand for: files, links, repositories of their own, nothing any more."""
        lead = base.rstrip(os.sep) + os.sep
        plain = _Folders(lead)
        for number, name in enumerate(dict.fromkeys(names)):
            if number % 1_000 == 0 and self.stop:
                return
            if number >= MOST_FILES:
                found.cut = f"only the first {MOST_FILES:,} files were looked at"
                return
            path = lead + name
            if not plain.lead_to(name):
                continue
            try:
                status = os.lstat(path)
            except OSError:  # tracked, and removed
                continue
            if stat.S_ISREG(status.st_mode):
                found.files.append(name)
                found.sizes.append(status.st_size)
            elif stat.S_ISLNK(status.st_mode):
                found.links.append(name)
            elif stat.S_ISDIR(status.st_mode) and depth:
                inner = name.rstrip("/")
                found.take_in(self._files(lead + inner, depth - 1), inner)
