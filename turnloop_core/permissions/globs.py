"""Path patterns, matched part by part against real absolute paths: never a prefix of a string."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import PurePath

from turnloop_core.permissions.wildcards import expand_braces, name_regex, pieces_match
from turnloop_core.ports.tool import Scope
from turnloop_core.values import dataclass


class _Deep(Enum):
    """`**`: any number of folders, none included."""

    DEEP = "**"


DEEP = _Deep.DEEP

# One part of a pattern: a literal name, the pieces between its stars, or a regular expression.
Part = str | tuple[str, ...] | re.Pattern[str] | _Deep
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PathPattern:
    """One pattern, anchored at the root of the file system.

    Attributes:
        parts: what the parts of a path are matched with.
        needle: the last fixed text in it: a cheap first look, since most patterns fail there.
    """

    parts: tuple[Part, ...]
    needle: str

    @property
    def texts(self) -> tuple[str, ...]:
        """All fixed texts in it, `needle` first: each stands in every path that it matches."""
        return tuple(_texts(self.parts))

    def matches(self, path: Path) -> bool:
        return self.needle in path.text and _match(self.parts, path.names)


@dataclass(frozen=True, slots=True)
class Path:
    """A path, whole and as its names."""

    text: str
    names: Names

    @classmethod
    def of(cls, text: str, *, fold: bool = False) -> Path:
        text = folded(text) if fold else text
        return cls(text, split(text))


def split(path: str) -> Names:
    """The names of a path."""
    if os.sep != "/":
        path = path.replace(os.sep, "/")
    return tuple(part for part in path.split("/") if part and part != ".")


def folded(text: str) -> str:
    """The text as file systems compare it that take both cases for the same."""
    from unicodedata import normalize

    return normalize("NFC", text).casefold()


def compile_glob(text: str, scope: Scope, *, wide: bool) -> tuple[PathPattern, ...]:
    """The patterns that one glob of a rule stands for.

    Args:
        text: as written in the rule.
        scope: where patterns are anchored.
        wide: for deny and ask rules: `**/` reaches outside the project, `[abc]` and `{a,b}` are
            understood, a folder means what is below it too, and links in the fixed part of the
            pattern are followed. Allow rules follow links only outside the project: a link that a
            repository brings must not widen a rule.
    """
    found: list[tuple[Part, ...]] = []
    for choice in (text, *expand_braces(text)) if wide else (text,):
        anchored = _anchored(choice, scope, wide=wide)
        for names in (anchored, _resolved(anchored, scope, follow_inside=wide)):
            for classes in (False, True) if wide and "[" in choice else (False,):
                parts = tuple(_part(name, classes=classes) for name in names)
                found.append((*parts, DEEP) if wide and parts[-1:] != (DEEP,) else parts)
    return tuple(_pattern(parts) for parts in dict.fromkeys(found))


def fold_pattern(pattern: PathPattern) -> PathPattern:
    """The same pattern for paths that were folded."""
    return _pattern(tuple(_fold_part(part) for part in pattern.parts))


def literal_path(text: str, scope: Scope) -> Names:
    """The names of the one path that a glob is when nothing in it is a wildcard."""
    return _anchored(text, scope, wide=False)


def _anchored(text: str, scope: Scope, *, wide: bool) -> Names:
    """The names of a pattern from the root of the file system; `..` taken away."""
    if wide and text in ("*", "**"):
        return ("**",)
    if os.sep != "/":
        text = text.replace(os.sep, "/")
    if text == "~" or text.startswith("~/"):
        base, text = str(scope.home), text[1:]
    elif PurePath(text).is_absolute() or (wide and text.startswith("**/")):
        base = ""
    else:
        base = str(scope.root)
    names = list(split(base))
    for name in split(text):
        if name != "..":
            names.append("**" if len(name) > 1 and not name.strip("*") else name)
        elif names:
            names.pop()
    if text.endswith("/"):
        names.append("**")
    return tuple(names)


def _resolved(names: Names, scope: Scope, *, follow_inside: bool) -> Names:
    """The names with links followed in the part before the first wildcard."""
    root = split(str(scope.root))
    start = len(root) if names[: len(root)] == root else 0  # the root is real already
    real = str(scope.root) if start else ""
    for place, name in enumerate(names[start:], start):
        inside = split(real)[: len(root)] == root
        if _is_wild(name) or (inside and not follow_inside):
            return (*split(real), *names[place:])
        real = os.path.realpath(f"{real}/{name}") if os.sep == "/" or real else name
    return split(real)


def _is_wild(name: str) -> bool:
    return "*" in name or "?" in name or "[" in name


def _part(name: str, *, classes: bool) -> Part:
    if name == "**":
        return DEEP
    if "?" in name or (classes and "[" in name):
        return name_regex(name, classes=classes)
    return tuple(name.split("*")) if "*" in name else name


def _fold_part(part: Part) -> Part:
    if isinstance(part, str):
        return folded(part)
    if isinstance(part, tuple):
        return tuple(folded(piece) for piece in part)
    if isinstance(part, re.Pattern):
        return re.compile(part.pattern, re.DOTALL | re.IGNORECASE)
    return part


def _pattern(parts: tuple[Part, ...]) -> PathPattern:
    return PathPattern(parts, next(_texts(parts), ""))


def _texts(parts: tuple[Part, ...]) -> Iterator[str]:
    """The fixed texts of a pattern, last first."""
    for part in reversed(parts):
        pieces = part if isinstance(part, tuple) else (part,) if isinstance(part, str) else ()
        yield from (piece for piece in reversed(pieces) if piece)


def _fits(part: Part, name: str) -> bool:
    if isinstance(part, str):
        return part == name
    if isinstance(part, tuple):
        return pieces_match(part, name)
    return isinstance(part, re.Pattern) and part.fullmatch(name) is not None


def _match(parts: tuple[Part, ...], names: Names) -> bool:
    """Match all names; on a misfit the last `**` takes one name more."""
    at = place = resume = 0
    deep = -1
    while place < len(names):
        if at < len(parts) and parts[at] is DEEP:
            deep, resume = at, place
            at += 1
        elif at < len(parts) and _fits(parts[at], names[place]):
            at += 1
            place += 1
        elif deep >= 0:
            resume += 1
            at, place = deep + 1, resume
        else:
            return False
    return all(part is DEEP for part in parts[at:])
