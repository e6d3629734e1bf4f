"""Brace expansion: `{a,b}` and `{1..3}`, on the parts of a word."""

from __future__ import annotations

import re
from collections.abc import Sequence

from turnloop_shell.syntax.reading import Pieces, Reading
from turnloop_shell.syntax.words import Literal, Part

MAX_WORDS = 500
MAX_BRACES = 50  # each is looked at from its own place to the end
TOO_MANY = "its braces expand to very many words"
DOLLAR = "a `$` stands beside braces in it"
ODD_LETTERS = "a range of letters in its braces holds other characters"
_NUMBER = re.compile(r"[-+]?[0-9]{1,15}", re.ASCII)

# A character that stood unquoted, or a part that no brace looks into.
Atom = str | Part
Atoms = tuple[Atom, ...]


class _TooManyError(Exception):
    """More words than anybody writes by hand."""


def expand(reading: Reading, parts: tuple[Part, ...]) -> list[tuple[Part, ...]]:
    """The words that the shell makes of one word, in its order; empty ones have gone."""
    count = sum(p.text.count("{") for p in parts if isinstance(p, Literal) and not p.quoted)
    if count == 0 or count > MAX_BRACES:
        if count:
            reading.doubt(TOO_MANY)
        return [joined(parts)]
    # The shell expands braces before it looks at variables: `{$,}x` makes a variable.
    if any(isinstance(p, Literal) and not p.quoted and "$" in p.text for p in parts):
        reading.doubt(DOLLAR)
    atoms: list[Atom] = []
    for part in parts:
        if isinstance(part, Literal) and not part.quoted:
            atoms.extend(part.text)
        else:
            atoms.append(part)
    try:
        found = _expand(reading, tuple(atoms), 0)
    except _TooManyError:
        reading.doubt(TOO_MANY)
        return [joined(parts)]
    return [word for word in map(joined, found) if word]


def joined(atoms: Atoms) -> tuple[Part, ...]:
    """The parts of a word that consists of these."""
    pieces = Pieces()
    for atom in atoms:
        if isinstance(atom, str):
            pieces.text(atom, quoted=False)
        elif isinstance(atom, Literal):
            pieces.text(atom.text, atom.quoted)
        else:
            pieces.add(atom)
    return pieces.done()


def _expand(reading: Reading, atoms: Atoms, depth: int) -> list[Atoms]:
    if depth > 30:
        raise _TooManyError
    found: list[Atoms] = [()]
    while True:
        opening = _opening(atoms)
        if opening < 0:
            return _crossed(found, [atoms])
        closing = _gobble(atoms, opening + 1, "}")
        amble = atoms[opening + 1 : closing]
        inner = _inner(reading, amble, depth)
        if inner is None:
            inner = [atoms[opening : closing + 1]]
        found = _crossed(found, [(*atoms[:opening], *choice) for choice in inner])
        atoms = atoms[closing + 1 :]


def _crossed(left: list[Atoms], right: list[Atoms]) -> list[Atoms]:
    if len(left) * len(right) > MAX_WORDS:
        raise _TooManyError
    return [(*one, *other) for one in left for other in right]


def _inner(reading: Reading, amble: Atoms, depth: int) -> list[Atoms] | None:
    if "," not in amble:
        return _sequence(reading, amble)
    found: list[Atoms] = []
    start = 0
    while start <= len(amble):
        comma = _gobble(amble, start, ",")
        end = comma if comma >= 0 else len(amble)
        found.extend(_expand(reading, amble[start:end], depth + 1))
        start = end + 1
    return found


def _opening(atoms: Atoms) -> int:
    """The first brace that begins an expansion, -1 for none."""
    at = _gobble(atoms, 0, "{")
    while at >= 0 and _gobble(atoms, at + 1, "}") < 0:
        at = _gobble(atoms, at + 1, "{")
    return at


def _gobble(atoms: Atoms, start: int, sought: str) -> int:
    """The next `sought` outside inner braces; a closing brace only where it ends an expansion."""
    level, commas = 0, sought != "}"
    for at in range(start, len(atoms)):
        atom = atoms[at]
        if atom == sought and level == 0 and commas:
            alone = at == 0 and atoms[at + 1 : at + 2] in {(), ("}",)}
            if not (sought == "{" and alone):
                return at
        if atom == "{":
            level += 1 if sought != "{" else 0
        elif atom == "}" and level:
            level -= 1
        elif sought == "}" and level == 0:
            commas = commas or atom == "," or _dots(atoms, at)
    return -1


def _dots(atoms: Atoms, at: int) -> bool:
    return atoms[at : at + 2] == (".", ".") and atoms[at + 2 : at + 3] != ("}",)


def _sequence(reading: Reading, amble: Atoms) -> list[Atoms] | None:
    text = "".join(atom if isinstance(atom, str) else "\0" for atom in amble)
    ends = text.split("..")
    if len(ends) not in {2, 3} or (len(ends) == 3 and not _NUMBER.fullmatch(ends[2])):
        return None
    first, last = ends[0], ends[1]
    step = abs(int(ends[2])) if len(ends) == 3 else 1
    if _NUMBER.fullmatch(first) and _NUMBER.fullmatch(last):
        return _numbers(first, last, step or 1)
    if all(len(end) == 1 and end.isascii() and end.isalpha() for end in (first, last)):
        codes = _range(ord(first), ord(last), step or 1)
        letters = [chr(code) for code in codes]
        if not all(letter.isalpha() for letter in letters):
            reading.doubt(ODD_LETTERS)
        return [(letter,) for letter in letters]
    return None


def _numbers(first: str, last: str, step: int) -> list[Atoms]:
    padded = any(re.match(r"[-+]?0[0-9]", end) for end in (first, last))
    width = max(len(first), len(last)) if padded else 0
    return [tuple(f"{n:0{width}d}") for n in _range(int(first), int(last), step)]


def _range(first: int, last: int, step: int) -> Sequence[int]:
    found = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    if len(found) > MAX_WORDS:
        raise _TooManyError
    return found
