"""Words of a command after expansion of braces and removal of quotes.

A word is a row of parts. What the shell would only know while it runs (the value of a variable,
the output of a command) stays a part of its own, so that nobody takes it for text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turnloop_shell.syntax.nodes import Node

WILDCARDS = frozenset("*?[")
_WILD = re.compile(r"[*?\[]")
# Of extended patterns (`shopt -s extglob`): `@(a|b)` is a syntax error unless switched on.


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that is known.

    Attributes:
        text: the value, quotes and escapes taken away.
        quoted: it stood in quotes or behind a backslash: no wildcard, no tilde, no brace.
    """

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """A plain `$NAME` or `${NAME}`, without any operator.

    Attributes:
        name: the variable; also `@`, `*`, `#`, `?`, `1`, ...
        source: as it was written.
        quoted: it stood in double quotes: one word whatever the value.
    """

    name: str
    source: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything else that is known only while it runs: a substitution, an expansion with operators.

    Attributes:
        source: as it was written.
        quoted: it stood in double quotes: one word whatever comes.
    """

    source: str
    quoted: bool = False


Part = Literal | Variable | Unknown


@dataclass(frozen=True, slots=True)
class Word:
    """One word.

    Attributes:
        parts: its parts, in order; none for an empty word (`''` is one empty quoted Literal).
        source: as it was written; words that came out of one brace expansion share it.
        nested: commands that run while the word is expanded: `$(...)`, backticks, `<(...)`.
    """

    parts: tuple[Part, ...]
    source: str
    nested: tuple[Node, ...] = ()

    @property
    def text(self) -> str:
        """What rules see: the value; parts that are not known as they were written."""
        parts = self.parts
        if len(parts) == 1:  # by far the most
            part = parts[0]
            return part.text if isinstance(part, Literal) else part.source
        return "".join(p.text if isinstance(p, Literal) else p.source for p in parts)

    @property
    def known(self) -> bool:
        """The program gets exactly `text`: nothing to expand but a tilde."""
        for part in self.parts:
            if not isinstance(part, Literal):
                return False
            if not part.quoted and _WILD.search(part.text):
                return False
        return True

    @property
    def wild(self) -> bool:
        """It holds an unquoted wildcard: the shell may put names of files in its place."""
        for part in self.parts:
            if isinstance(part, Literal) and not part.quoted and _WILD.search(part.text):
                return True
        return False

    @property
    def tilde(self) -> bool:
        """It begins with an unquoted `~`, which the shell replaces by a home folder."""
        first = self.parts[0] if self.parts else None
        return isinstance(first, Literal) and not first.quoted and first.text.startswith("~")

    @property
    def prefix(self) -> str:
        """The known text in front of the first part, or wildcard, that is not known."""
        found = []
        for part in self.parts:
            if not isinstance(part, Literal):
                break
            if not part.quoted and not WILDCARDS.isdisjoint(part.text):
                places = [part.text.find(mark) for mark in WILDCARDS if mark in part.text]
                found.append(part.text[: min(places)])
                break
            found.append(part.text)
        return "".join(found)

    def without(self, count: int) -> Word:
        """The word less the first `count` characters of `text`, which must be known ones.

        For values glued to an option: `--output=x`, `-ox`.
        """
        left, parts = count, list(self.parts)
        while left > 0 and parts:
            part = parts[0]
            if not isinstance(part, Literal):
                break
            if len(part.text) <= left:
                left -= len(part.text)
                parts.pop(0)
            else:
                parts[0] = Literal(part.text[left:], part.quoted)
                left = 0
        return Word(tuple(parts), self.source, self.nested)


def plain(text: str) -> Word:
    """A word that is exactly this text."""
    return Word((Literal(text, quoted=True),), text)
