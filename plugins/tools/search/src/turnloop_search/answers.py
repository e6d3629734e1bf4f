"""What both tools say: refusals, notes, names that can be printed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from turnloop_core.api import ErrorKind, Result, Scope

MOST_CHARACTERS = 30_000


class RefusedError(Exception):
    """The search cannot be made; the text tells the model why, and what to do instead."""

    @property
    def result(self) -> Result:
        return Result.say(str(self), error=ErrorKind.TOOL_ERROR)


def plural(count: int, noun: str) -> str:
    """`1 match`, `2,341 matches`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun}{'es' if noun.endswith('ch') else 's'}"


def with_notes(text: str, notes: Iterable[str]) -> str:
    """The text, and each note in brackets on a line of its own."""
    return "\n".join([text, *(f"[{note}]" for note in notes if note)])


def some(names: Sequence[str], most: int = 5) -> str:
    """`a, b, c and 4 more`."""
    shown = ", ".join(_short(printable(name)) for name in names[:most])
    more = len(names) - most
    return f"{shown} and {more:,} more" if more > 0 else shown


def _short(name: str, most: int = 200) -> str:
    """A name for a note: the middle of a very long path is left out."""
    return name if len(name) <= most else f"{name[: most // 2]}...{name[-most // 2 :]}"


def printable(text: str) -> str:
    """The text with control characters and stray bytes written as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" else _escape(c) for c in text)


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is no UTF-8, as the system hands it over
        return f"\\x{code - 0xDC00:02x}"
    return repr(character)[1:-1]


class Names:
    """Paths as they are shown: relative to the working folder where they lie inside."""

    def __init__(self, base: str, scope: Scope) -> None:
        cwd = str(scope.cwd)
        self._top = self.folder = base
        if base == cwd:
            self._top, self.folder = "", "the working folder"
        elif base.startswith(cwd if cwd.endswith(os.sep) else cwd + os.sep):
            self._top = self.folder = base[len(cwd) :].lstrip(os.sep)

    def of(self, name: str) -> str:
        """A file below the base, given with `/`."""
        name = name if os.sep == "/" else name.replace("/", os.sep)
        shown = printable(os.path.join(self._top, name) if name else self.folder)  # noqa: PTH118
        return f"./{shown}" if shown.startswith("[") else shown  # notes stand in brackets
