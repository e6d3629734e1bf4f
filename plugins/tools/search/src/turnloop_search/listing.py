"""Lists the files of a folder, without those that ignore rules leave out.

An ignored folder that is named outright is listed whole, so no search is blind in one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from turnloop_core.api import IgnoreRules, Scope
from turnloop_search.found import Found
from turnloop_search.stop import Stop
from turnloop_search.walk import Walk

_WHOLE = "the folder is ignored itself, so everything in it was searched"


@dataclass(frozen=True, slots=True)
class Lister:
    """Lists files.

    Attributes:
        scope: where the call acts.
        environment: tells where the user's settings lie.
        stop: the brake.
        ignored_too: ignore rules do not count.
    """

    scope: Scope
    environment: Mapping[str, str]
    stop: Stop
    ignored_too: bool = False

    def files(self, base: str) -> Found:
        """Everything below `base`, a real path; what is missing is said in the answer."""
        found = self._files(base)
        if self.stop and not found.cut:
            found.cut = f"the search was stopped after {self.stop.seconds:g} seconds"
        return found.in_order()

    def _files(self, base: str) -> Found:
        if self.ignored_too:
            return Walk(base, self.stop).go(None)
        if ".git" in Path(base).parts:  # named outright, like an ignored folder
            return self._whole(base)
        config_home = Path(self.environment.get("XDG_CONFIG_HOME", ""))
        rules = IgnoreRules.of(
            Path(base),
            self.scope.root,
            self.scope.home,
            config_home if config_home.is_absolute() else None,
        )
        if rules is None:
            return self._whole(base)
        found = Walk(base, self.stop).go(rules)
        return self._whole(base) if self._blind(found) else found

    def _blind(self, found: Found) -> bool:
        """Nothing to be seen, but ignored things are there: no answer to give."""
        hidden = found.ignored_files or found.ignored_folders
        return bool(hidden and not found.files and not found.links and not found.cut)

    def _whole(self, base: str) -> Found:
        found = Walk(base, self.stop).go(None)
        found.all_of = _WHOLE
        return found
