"""Names of variables as builtins take them. A subscript in one is evaluated: it may hold code."""

from __future__ import annotations

import re

from turnloop_shell.programs.making import dynamic
from turnloop_shell.programs.use import Effect, Use
from turnloop_shell.syntax.words import Literal, Word

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[0-9]+\])?(\+?=)?")


def is_name(word: Word) -> bool:
    """A plain name: nothing in it is evaluated."""
    return word.known and _NAME.fullmatch(word.text) is not None


def assigned(words: tuple[Word, ...], builtin: str) -> Use:
    """A builtin that gives these variables values that nobody knows."""
    for word in words:
        if not is_name(word):
            return dynamic(f"`{builtin}` may evaluate the variable name `{word.source}`")
    return Use(Effect.READS, assigns=tuple((word.text, None) for word in words))


def declared(word: Word) -> tuple[str, Word | None] | None:
    """`NAME`, `NAME=value`: name and value, where a value is given and known to be just that.

    None where the word may be evaluated: a subscript, a list of elements in quotes.
    """
    found = _ASSIGNED.match(word.prefix)
    if found is None:
        return None
    if not found[3]:
        return (word.text, None) if is_name(word) else None
    value = word.without(found.end())
    quoted = any(isinstance(p, Literal) and p.quoted and "(" in p.text for p in word.parts)
    if value.prefix.startswith("(") and quoted:
        return None
    plain = found[3] == "=" and not found[2] and not value.prefix.startswith("(")
    return found[1], value if plain else None
