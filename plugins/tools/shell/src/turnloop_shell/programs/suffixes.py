"""The words in which an unknown program may have another one: for rules that forbid that one.

Nobody knows whether `foo -x rm -rf build` starts `rm`. Forms are for deny and ask rules only, so
that a guess that is wrong forbids too much, and never allows anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from turnloop_shell.syntax.words import Word, plain

MOST = 12  # suffixes that are given as a whole
_WINDOW = 8  # words of those behind them
_FURTHEST = 200
_LONGEST = 4_096
_BREAKS = re.compile(r"[;&|!()`\n\"'${}=]+")


def suffixes(words: Sequence[Word]) -> tuple[tuple[Word, ...], ...]:
    """One form for each later word with which a program may begin, and for code in a word."""
    found = list(_suffixes(words))
    for word in words[1:_FURTHEST]:
        found += _code_in(word)
    return tuple(found)


def _suffixes(words: Sequence[Word]) -> Iterator[tuple[Word, ...]]:
    starts = [n for n, word in enumerate(words) if n and _begins(word)]
    for place in starts[:MOST]:
        yield tuple(words[place:])
    for place in starts[MOST:_FURTHEST]:
        yield tuple(words[place : place + _WINDOW])
    if starts[_FURTHEST:]:
        yield tuple(words[starts[_FURTHEST] :])


def _begins(word: Word) -> bool:
    text = word.text
    return bool(text) and text[0] not in "-+" and not any(letter.isspace() for letter in text)


def _code_in(word: Word) -> Iterator[tuple[Word, ...]]:
    """The words of what looks like commands in one word: `'rm x'`, `--run='|rm x'`."""
    text = word.text[:_LONGEST]
    if not any(letter.isspace() for letter in text) and not _BREAKS.search(text):
        return
    for piece in _BREAKS.split(text)[:_WINDOW]:
        split = piece.split()
        if split and split[0][0] not in "-+" and piece != text.strip("-"):
            yield tuple(plain(part) for part in split)
    whole = text.split()
    if len(whole) > 1 and whole[0][0] not in "-+":
        yield tuple(plain(part) for part in whole)
