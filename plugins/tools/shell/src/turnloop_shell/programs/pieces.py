"""Parts of words that mean something to a program."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from glob import escape

from turnloop_shell.syntax.words import Literal, Word, plain

_SHELL = frozenset("|&;<>()$`\\*?[]{}~!#\n")
_FILE = re.compile(r"(?:[^@=<]*=)?[@<]|[^@=]*@")


def base_name(word: Word) -> Word | None:
    """The last name of a path, None where it has none or it is not known."""
    literals = [part for part in word.parts if isinstance(part, Literal)]
    if len(literals) != len(word.parts) or not literals:
        last = word.parts[-1] if word.parts else None
        if not isinstance(last, Literal) or "/" not in last.text.rstrip("/"):
            return None
        literals = [last]
    quoted = [(letter, part.quoted) for part in literals for letter in part.text]
    while quoted and quoted[-1][0] == "/":
        quoted.pop()
    text = "".join(letter for letter, _ in quoted)
    name = text.rpartition("/")[2]
    if name in ("", ".", ".."):
        return None
    parts = tuple(Literal(letter, flag) for letter, flag in quoted[len(text) - len(name) :])
    return Word(parts, word.source)


def folder_of(word: Word) -> Word:
    """The folder in which a path stands; the path itself where that is not known."""
    if not word.known:
        return word
    above = word.text.rpartition("/")[0]
    return plain(above or ("/" if word.text.startswith("/") else "."))


def attached(value: Word) -> Word | None:
    """The path in `@path`, `name=@path;type=...` and their kind, None where there is none."""
    found = _FILE.match(value.prefix)
    if found is None:
        return None
    path = value.without(found.end())
    end = path.text.find(";")
    return plain(path.text[:end]) if path.known and end >= 0 else path


def split_program(value: Word) -> tuple[Word, ...] | None:
    """The words of a program that stands in one value; None where they are not plain."""
    if not value.known or not _SHELL.isdisjoint(value.text):
        return None
    try:
        return tuple(plain(text) for text in shlex.split(value.text))
    except ValueError:
        return None


def pattern_of(word: Word) -> str | None:
    """A word as a pattern for names in small letters; None where a part of it is not known."""
    if not all(isinstance(part, Literal) for part in word.parts):
        return None
    parts = (part for part in word.parts if isinstance(part, Literal))
    return "".join(escape(p.text) if p.quoted else p.text for p in parts).lower()


def globs(words: Iterable[Word]) -> tuple[str, ...]:
    """Globs for names; none where one of them is no plain glob, since then more may be meant.

    Those that leave names out (`!*.py`) are passed over.
    """
    found = []
    for word in words:
        text = word.text
        if text.startswith("!"):
            continue
        plain_text = all(isinstance(part, Literal) for part in word.parts)
        if not text or not plain_text or "/" in text or "{" in text:
            return ()
        found.append(text)
    return tuple(found)


def shown_option(name: str) -> str:
    """An option as the user knows it."""
    return f"`{'-' if len(name) == 1 else '--'}{name}`"
