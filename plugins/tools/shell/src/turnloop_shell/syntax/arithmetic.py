"""Places where the shell calculates: what stands there is read again, and commands in it run.

`n='x[$(rm y)]'; ((n))` runs `rm`: the value of a name is an expression, and so are the subscripts
in it. What a value is nobody here knows; that one is used is noted for those who do.
"""

from __future__ import annotations

import re

from turnloop_shell.syntax import quotes
from turnloop_shell.syntax.reading import Reading
from turnloop_shell.syntax.words import Literal, Word

_NAME = re.compile(r"(?<![0-9A-Za-z_#])[A-Za-z_]|[$`]")
_PLAIN = re.compile(r"[-+]?[0-9]+|[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_CALCULATION = re.compile(r"[\w \t+\-*/%<>=!&|^~?:,#()]*", re.ASCII)
_QUOTED = re.compile(r"\\.|\$'(?:[^'\\]|\\.)*'?|'[^']*'?|\"(?:[^\"\\]|\\.)*\"?", re.DOTALL)
_COMMANDS = re.compile(r"\$[({]|`")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[(?:[A-Za-z0-9_]+|[@*])\])?|[0-9]+", re.ASCII)
_PLACE = re.compile(
    r"\$\{(?:[#!]?(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*])(?:\[(?:[0-9]+|[@*])\])?|[?$!#-])"
    r"(?=\[|:[^-=+?])",
    re.ASCII,
)
_STORING = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?:?=", re.ASCII)
# Those that calculate with what is assigned to them, in one release of the shell or another.
_NUMBERS = frozenset(
    ("RANDOM", "SRANDOM", "OPTIND", "HISTCMD", "SECONDS", "LINENO", "EPOCHSECONDS", "BASHPID")
)
AGAIN = "arithmetic in it may run code that stands in a value"


def expression(reading: Reading, source: str) -> None:
    """Note what an expression, or a subscript without its brackets, makes of the values in it.

    A command runs only where it stands in a subscript of the expression: `x[$(rm y)]`.
    """
    if _NAME.search(source):
        reading.notes.evaluates = True
    if "[" in source and _hides(source):
        reading.doubt(AGAIN)


def _hides(source: str) -> bool:
    """Whether quotes keep a substitution from the first reading, but not from the second."""
    return any(_live(match[0]) for match in _QUOTED.finditer(source))


def _live(piece: str) -> bool:
    if piece[0] == "\\":
        return piece[1:] in {"$", "`"}
    if piece[0] == '"':
        return _hides(piece[1:-1])
    value = quotes.ansi(piece[2:].removesuffix("'")) if piece[0] == "$" else piece
    return value is None or _COMMANDS.search(value) is not None


def braced(reading: Reading, source: str) -> None:
    """Note what the subscript or the slice in a `${...}` evaluates, and code that it stores."""
    match = _PLACE.match(source)
    if match is not None:
        expression(reading, source[match.end() + 1 : -1])
    if "[" in source and _STORING.match(source) and _hides(source):
        reading.notes.stores = True


def assigned(reading: Reading, name: str, value: Word | None) -> None:
    """Note that a variable of the shell's own calculates."""
    if name in _NUMBERS and (value is None or not (value.known and value.text.isdecimal())):
        reading.notes.evaluates = True


def operand(reading: Reading, word: Word) -> None:
    """Note what an operand of `-eq` and its kind in `[[` evaluates."""
    expression(reading, word.source)
    literals = (part.text for part in word.parts if isinstance(part, Literal))
    if not all(_CALCULATION.fullmatch(text) for text in literals):
        reading.doubt(AGAIN)


def variable(reading: Reading, word: Word) -> None:
    """Note what the name behind `-v` or `-R` in `[[` evaluates."""
    if not _VARIABLE.fullmatch(word.source):
        reading.doubt(AGAIN)
    if not _PLAIN.fullmatch(word.text):
        reading.notes.evaluates = True
