"""Options in front of what a wrapper runs, read as getopt reads them.

A wrapper's options end where its operands begin, so one option that is not understood hides where
the program stands. Then there is a problem, and nobody guesses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from turnloop_shell.syntax.words import Literal, Unknown, Variable, Word

_NONE, _MUST, _MAY, _DIGITS = "", ":", "?", "#"
_NUMBER = re.compile(r"[0-9]+|x[0-9A-Fa-f]+")


_KINDS = (_MUST, _MAY, _DIGITS)


@dataclass(frozen=True, slots=True)
class Found:
    """An option: its name in full, without dashes, and its value."""

    name: str
    value: Word | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """What stood in front, and what is left.

    Attributes:
        options: in order.
        rest: the words from the first operand on, or all operands where they may be mixed.
        problem: why options and operands cannot be told apart, "" when they can.
    """

    options: tuple[Found, ...]
    rest: tuple[Word, ...]
    problem: str = ""

    def has(self, *names: str) -> bool:
        return any(option.name in names for option in self.options)

    def values(self, *names: str) -> tuple[Word, ...]:
        """Values given to these options, in order."""
        return tuple(o.value for o in self.options if o.name in names and o.value is not None)


def single(word: Word) -> bool:
    """It is one word whatever its unknown parts turn out to be."""
    return not word.wild and all(_stays_one(part) for part in word.parts)


def _stays_one(part: Literal | Variable | Unknown) -> bool:
    match part:
        case Literal():
            return True
        case Variable(name=name):
            return part.quoted and name != "@"
        case Unknown(source=source):
            return part.quoted and ("@" not in source or source.startswith(("$(", "`")))


@lru_cache(maxsize=256)
def _tables(short: str, long: str) -> tuple[dict[str, str], dict[str, str]]:
    letters: dict[str, str] = {}
    place = 0
    while place < len(short):
        letter, place = short[place], place + 1
        letters[letter] = _NONE
        if short[place : place + 1] in _KINDS and letter not in _KINDS:
            letters[letter] = short[place]
            place += 1
    names: dict[str, str] = {}
    for name in long.split():
        kind = name[-1] if name[-1] in (_MUST, _MAY) else _NONE
        names[name.rstrip(_MUST + _MAY)] = kind
    return letters, names


def scan(
    words: tuple[Word, ...],
    short: str,
    long: str = "",
    *,
    mixed: bool = False,
    number: bool = False,
) -> Scan:
    """Read options.

    Args:
        words: without the program.
        short: letters; with `:` behind one that takes a value, `?` behind one whose value can only
            be glued to it, `#` behind one to which only digits can be glued.
        long: names, divided by blanks, with the same marks.
        mixed: options may stand between and behind operands.
        number: `-10` is an option too, named "number".
    """
    letters, names = _tables(short, long)
    options: list[Found] = []
    operands: list[Word] = []
    place = 0
    while place < len(words):
        word = words[place]
        if word.known and word.text == "--":
            return Scan(tuple(options), (*operands, *words[place + 1 :]))
        if not word.prefix.startswith("-") or word.text == "-":
            if not word.prefix and not word.known:
                return Scan(tuple(options), words[place:], _unknown(word))
            if not mixed:
                return Scan(tuple(options), words[place:])
            operands.append(word)
            place += 1
            continue
        found = (
            _long(word, names) if word.prefix.startswith("--") else _short(word, letters, number)
        )
        if isinstance(found, str):
            return Scan(tuple(options), words[place:], found)
        options.extend(found[:-1])
        last, place = found[-1], place + 1
        if last.value is _WANTED:
            if place >= len(words):
                return Scan(tuple(options), (), f"`{word.text}` lacks its value")
            if not single(words[place]):
                return Scan(tuple(options), words[place:], _unknown(words[place]))
            last, place = Found(last.name, words[place]), place + 1
        elif last.value is not None and not single(last.value):
            return Scan(tuple(options), words[place:], _unknown(word))
        options.append(last)
    return Scan(tuple(options), tuple(operands))


def upto(
    words: tuple[Word, ...], short: str, long: str, names: tuple[str, ...]
) -> tuple[Scan, tuple[Word, ...]] | None:
    """Read options up to the first of `names` with its value: all after it belongs to that.

    Returns:
        What was read, and the words behind it; None where the option does not come.
    """
    for count in range(1, min(len(words), _MANY) + 1):
        found = scan(words[:count], short, long)
        if found.values(*names):
            return found, words[count:]
    return None


_MANY = 60
_WANTED = Word((), "")  # by identity: the value is the next word


def _unknown(word: Word) -> str:
    return f"nobody knows what `{word.source}` stands for"


def _long(word: Word, names: dict[str, str]) -> list[Found] | str:
    name, equals, _ = word.prefix[2:].partition("=")
    if not equals and not word.known:
        return _unknown(word)
    matches = [name] if name in names else [known for known in names if known.startswith(name)]
    if len(matches) != 1:
        return f"it is not known what its option `--{name}` means"
    kind = names[matches[0]]
    if equals:
        if kind == _NONE:
            return f"its option `--{name}` takes no value"
        return [Found(matches[0], word.without(len(name) + 3))]
    return [Found(matches[0], _WANTED if kind == _MUST else None)]


def _short(word: Word, letters: dict[str, str], number: bool) -> list[Found] | str:
    text = word.prefix
    if number and word.known and text[1:].lstrip("+-").isdigit():
        return [Found("number", word.without(1))]
    found: list[Found] = []
    place = 0
    while place + 1 < len(text):
        place += 1
        letter = text[place]
        kind = letters.get(letter)
        if kind is None:
            return f"it is not known what its option `-{letter}` means"
        if kind == _NONE:
            found.append(Found(letter))
            continue
        if kind == _DIGITS:
            digits = _NUMBER.match(text, place + 1)
            place = digits.end() - 1 if digits else place
            found.append(Found(letter))
            continue
        rest = word.without(place + 1)
        if rest.parts and rest.text:
            return [*found, Found(letter, rest)]
        return [*found, Found(letter, _WANTED if kind == _MUST else None)]
    return found if word.known else _unknown(word)
