"""Ignore rules read by ourselves, for folders of which git cannot be asked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

_LONGEST = 1_000_000  # bytes; no file of rules is longer


class _Spec(Protocol):
    def check_file(self, file: str) -> _Check: ...


class _Check(Protocol):
    @property
    def include(self) -> bool | None: ...


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that hold in one folder: its own, and those of the folders above it.

    Attributes:
        folder: real absolute path, with a separator at its end.
        spec: its own rules, None when it has none.
        above: the rules of the folder above, None at the top.
    """

    folder: str
    spec: _Spec | None
    above: Rules | None

    def ignores(self, path: str, *, folder: bool) -> bool:
        """Whether something directly in this folder is ignored: the nearest rules decide first."""
        rules: Rules | None = self
        while rules is not None:
            if rules.spec is not None:
                name = path[len(rules.folder) :].replace(os.sep, "/")
                said = rules.spec.check_file(f"{name}/" if folder else name).include
                if said is not None:
                    return said
            rules = rules.above
        return False

    def below(self, folder: str) -> Rules:
        """The rules of a folder in this one."""
        spec = _read(Path(folder, ".gitignore"))
        # A folder without rules of its own is not asked: most have none.
        return self if spec is None else Rules(folder + os.sep, spec, self)


def rules_of(top: str, base: str) -> Rules | None:
    """The rules that hold in `base`, given the folder where rules begin.

    Returns:
        None when `base` is ignored itself.
    """
    at = "" if top == os.sep else top
    exclude = _read(Path(top, ".git", "info", "exclude"))
    rules = Rules(at + os.sep, _read(Path(top, ".gitignore")), Rules(at + os.sep, exclude, None))
    for name in Path(base).relative_to(top).parts:
        at = f"{at}{os.sep}{name}"
        if rules.ignores(at, folder=True):
            return None
        rules = rules.below(at)
    return rules


def _read(path: Path) -> _Spec | None:
    try:
        # A pipe or a link with that name is no file of rules.
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | _NO_WAIT)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        try:
            text = (file.read(_LONGEST) or b"").decode("utf-8", "replace")
        except OSError:  # a folder
            return None
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(text.removeprefix("\ufeff").splitlines())
    except ValueError:  # a line that is no pattern; git leaves it out as well
        return GitIgnoreSpec.from_lines(_valid(text))


def _valid(text: str) -> list[str]:
    from pathspec import GitIgnoreSpec

    lines = []
    for line in text.splitlines():
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        lines.append(line)
    return lines


_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
