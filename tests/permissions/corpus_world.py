"""The folders of a case, and the case as a line of `tl permissions check --batch`.

Cases speak of `/proj`, `/home/dev` and a few places beside them; all are moved below one temporary
folder. What a case supposes of the machine is set up where it can be, and named where it cannot.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnloop_core.config.trust_store import TrustStore
from turnloop_core.permissions.case import folds_case

_PLACE = re.compile(r"(?<![\w.~}*])/(proj|home/dev|outside|data|other)(?!\w)")
_ENTRY = re.compile(r"(.*?)(?: (->|=>) (.*))?", re.DOTALL)
_LINKED_ROOT = "# /proj is a symlink to /data/proj"
# `# <file> <what it does>`: the file is there, and it is an ordinary one.
_FILE = re.compile(
    r"# (?P<file>[\w./-]+) "
    r"(?:\(file\)|(?:sets|contains|contains:|defines|runs|adds|commondir|changed|header|env) ?.*)"
)


class CannotBeSetUp(Exception):  # noqa: N818 - a reason, not a fault
    """This machine is not as the case supposes."""


@dataclass
class World:
    """The corpus' absolute paths, moved below a temporary folder that is real and empty."""

    top: Path

    def moved(self, value: Any) -> Any:
        """`/proj/x` and the like as they are here, in all texts of a value; system paths stay."""
        if isinstance(value, str):
            return _PLACE.sub(lambda found: f"{self.top}/{found[1]}", value)
        if isinstance(value, list):
            return [self.moved(item) for item in value]
        if isinstance(value, dict):
            return {name: self.moved(item) for name, item in value.items()}
        return value

    @property
    def home(self) -> Path:
        return self.top / "home/dev"

    @property
    def cwd(self) -> Path:
        return self.top / "proj"

    def line(self, case: dict[str, Any]) -> dict[str, Any]:
        """The case as a line of a batch."""
        return {
            "id": case["id"],
            "mode": case["mode"],
            "rules": self.moved(case["rules"]),
            "tool": case["tool"],
            "args": self.moved(case["args"]),
            "cwd": str(self.cwd),
            "home": str(self.home),
        }

    def build(self, layout: Sequence[str]) -> None:
        """Make the folders.

        Raises:
            CannotBeSetUp: a condition does not hold here; says which.
        """
        for place in (self.home, self.top / "outside/dir"):
            place.mkdir(parents=True)
        if _LINKED_ROOT in layout:
            (self.top / "data/proj").mkdir(parents=True)
            self.cwd.symlink_to(self.top / "data/proj")
        else:
            self.cwd.mkdir()
        for line in layout:
            if line.startswith("#"):
                self.suppose(line)
            else:
                self.make(line)

    def suppose(self, line: str) -> None:
        """Set up a condition."""
        if line.startswith("# file system: case-"):
            if folds_case(str(self.top)) != line.startswith("# file system: case-insensitive"):
                raise CannotBeSetUp(line.removeprefix("# "))
        elif line.startswith("# shell: "):
            if line != "# shell: bash":
                raise CannotBeSetUp(line.removeprefix("# "))
        elif line == "# folder: trusted by the user":
            TrustStore(self.home).trust(self.cwd)
        elif line.endswith(" (executable script)"):
            path = self.make(line.removeprefix("# ").removesuffix(" (executable script)"))
            path.chmod(0o755)
        elif line.endswith(" at execution time"):
            self.make(line.removeprefix("# ").removesuffix(" at execution time"))
        elif found := _FILE.fullmatch(line):
            self.make(found["file"])
        elif not line.startswith(_SAYS_NOTHING):
            raise CannotBeSetUp(line.removeprefix("# "))

    def at(self, entry: str) -> Path:
        return Path(self.moved(entry)) if entry.startswith("/") else self.cwd / entry

    def make(self, line: str) -> Path:
        """Make one entry of a layout; what is there already stays."""
        found = _ENTRY.fullmatch(line)
        assert found is not None
        name, arrow, target = found.groups()
        path = self.at(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if arrow == "->":
            path.symlink_to(self.moved(target))
        elif arrow == "=>":
            other = self.at(target)
            other.parent.mkdir(parents=True, exist_ok=True)
            other.write_text("x")
            path.hardlink_to(other)
        elif name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        elif not os.path.lexists(path):
            path.write_text("x")
        return path


# Conditions that change nothing on the disk, or hold as it is.
_SAYS_NOTHING = (
    _LINKED_ROOT,
    "# network:",
    "# folder: not trusted yet",
    "# the argument was:",
    "# the last tool result contains:",
    "# src/out/ at decision time",
)
