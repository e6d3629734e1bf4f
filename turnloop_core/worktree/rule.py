"""One rule of an ignore file, as git reads it.

Why not a library: rules come from repositories that nobody vouches for. Translated to plain regular
expressions, one line of stars and a long file name occupy the interpreter for minutes, and no time
limit ends that. Here stars never backtrack into each other. A walk also needs less than a library
gives: whatever lies below an ignored folder is never asked about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from turnloop_core.values import dataclass

DEEP: Final = None  # `**` as a whole part: any number of folders
_POSIX: Final = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "blank": r" \t",
    "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9A-Fa-f",
    "cntrl": r"\x00-\x1f\x7f",
    "print": r"\x20-\x7e",
    "graph": r"\x21-\x7e",
}
_MOST_RULES = 20_000  # of one file; nobody writes more, and each costs time


class Wild:
    """A pattern for one name; compiled when it is first needed, which most never are.

    Attributes:
        glob: as it was written.
        expression: a regular expression for the whole name, in which a dot is any character.
    """

    __slots__ = ("_pattern", "expression", "glob")

    def __init__(self, glob: str) -> None:
        self.glob = glob
        self.expression = _expression(glob)
        self._pattern: re.Pattern[str] | None = None

    def fits(self, name: str) -> bool:
        if self._pattern is None:
            self._pattern = re.compile(self.expression, re.DOTALL)
        return self._pattern.fullmatch(name) is not None


# A name, a pattern for one, or any number of folders.
Part = str | Wild | None


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a file of rules.

    Attributes:
        parts: what the names of a path are matched with; a single one for a rule without a slash.
        anchored: it holds a slash, so it is matched against the path and not against the name.
        folders_only: it ends with a slash.
        negated: it takes back what rules before it ignore.
    """

    parts: tuple[Part, ...]
    anchored: bool
    folders_only: bool
    negated: bool

    def matches(self, names: Sequence[str], *, folder: bool) -> bool:
        if self.folders_only and not folder:
            return False
        if not self.anchored:
            return _fits(self.parts[0], names[-1])
        return _match(self.parts, names)


def parse_rules(text: str) -> tuple[Rule, ...]:
    """The rules of a file, the first 20,000; lines that can match nothing are left out."""
    lines = text.removeprefix("\ufeff").split("\n", _MOST_RULES)[:_MOST_RULES]
    return tuple(rule for line in lines if (rule := parse_rule(line)) is not None)


def parse_rule(line: str) -> Rule | None:
    """The rule of one line, None for a comment, a blank line or one that can match nothing."""
    line = _without_trailing_blanks(line.removesuffix("\r"))
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line[1:] if negated else line
    folders_only = line.endswith("/")
    line = line[:-1] if folders_only else line
    anchored = "/" in line
    names = line.removeprefix("/").split("/") if anchored else [line]
    try:
        parts = tuple(_part(name, deep=anchored) for name in names)
    except ValueError:
        return None
    if not line:
        return None
    if len(parts) == 2 and parts[0] is DEEP and parts[1] is not DEEP:
        parts, anchored = parts[1:], False  # `**/name` says no more than `name`
    return Rule(parts, anchored, folders_only, negated)


def _without_trailing_blanks(line: str) -> str:
    """Blanks at the end do not count, unless a backslash stands before them."""
    stripped = line.rstrip(" ")
    if stripped == line:
        return line
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + " " if backslashes % 2 else stripped


def _part(name: str, *, deep: bool) -> Part:
    if deep and len(name) > 1 and not name.strip("*"):
        return DEEP
    if not any(char in name for char in "*?[\\"):
        return name
    return Wild(name)


def _expression(pattern: str) -> str:
    """The regular expression for one name.

    What stands between two stars has a fixed length, so its first place is as good as any: it is
    taken for good (an atomic group), and the time stays proportional to the length of the name.

    Raises:
        ValueError: it can match nothing.
    """
    pieces: list[list[str]] = [[]]
    at = 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*":
            pieces.append([])
        elif char == "?":
            pieces[-1].append(".")
        elif char == "[":
            text, at = _class(pattern, at)
            pieces[-1].append(text)
        elif char == "\\":
            if at == len(pattern):
                raise ValueError("a backslash at the end")
            pieces[-1].append(re.escape(pattern[at]))
            at += 1
        else:
            pieces[-1].append(re.escape(char))
    first, *rest = ["".join(piece) for piece in pieces]
    if not rest:
        return first
    *middle, last = rest
    between = "".join(f"(?>.*?{piece})" for piece in middle if piece)
    return f"{first}{between}.*{last}"


def _class(pattern: str, at: int) -> tuple[str, int]:
    """The expression for a bracket whose content begins at `at`, and where it ends.

    Raises:
        ValueError: it is not closed, or is none.
    """
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    body: list[str] = []
    start = at
    while True:
        if at >= len(pattern):
            raise ValueError("a bracket that is not closed")
        if pattern[at] == "]" and at > start:
            break
        if pattern.startswith("[:", at) and (end := pattern.find(":]", at)) > 0:
            name = pattern[at + 2 : end]
            if name not in _POSIX:
                raise ValueError(f"no class of characters {name}")
            body.append(_POSIX[name])
            at = end + 2
            continue
        low, at = _char(pattern, at)
        if pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("", "]"):
            high, at = _char(pattern, at + 1)
            if low <= high:
                body.append(f"{re.escape(low)}-{re.escape(high)}")
            continue
        body.append(re.escape(low))
    if not body:  # a range that runs backwards, and nothing else
        return ("." if negated else "(?!)"), at + 1
    return f"[{'^' if negated else ''}{''.join(body)}]", at + 1


def _char(pattern: str, at: int) -> tuple[str, int]:
    if pattern[at] == "\\":
        at += 1
    if at >= len(pattern):
        raise ValueError("a bracket that is not closed")
    return pattern[at], at + 1


def _fits(part: Part, name: str) -> bool:
    if isinstance(part, str):
        return part == name
    return part is not None and part.fits(name)


def _match(parts: tuple[Part, ...], names: Sequence[str]) -> bool:
    """Match all names; on a misfit the last `**` takes one name more."""
    at = place = resume = 0
    deep = -1
    while place < len(names):
        if at < len(parts) and parts[at] is DEEP:
            deep, resume = at, place
            at += 1
            if at == len(parts):
                return True  # at its end it stands for at least one name
        elif at < len(parts) and _fits(parts[at], names[place]):
            at += 1
            place += 1
        elif deep >= 0:
            resume += 1
            at, place = deep + 1, resume
        else:
            return False
    return at == len(parts)
