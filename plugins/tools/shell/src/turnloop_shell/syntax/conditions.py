"""`[[ ... ]]`: its operands and operators as words."""

from __future__ import annotations

import re

from turnloop_shell.syntax import arithmetic, strings
from turnloop_shell.syntax.reading import Pieces, Reading
from turnloop_shell.syntax.words import Word, plain

_BLANKS = re.compile(r"(?:[ \t\n]+|(?<![^ \t\n])#[^\n]*)+")
_OPERATOR = re.compile(r"&&|\|\||[()<>]")
_END = re.compile(r"\]\](?=[ \t\n;&|<>()]|\Z)")
_CALCULATES = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_NAMES = frozenset({"-v", "-R"})
_PATTERN = frozenset({"==", "=", "!=", "=~"})
UNCLOSED = "a `[[` in it is not closed"


def read(reading: Reading, start: int) -> tuple[list[Word], int]:
    """Read from behind `[[` to behind `]]`; parentheses and `&&` are left out of the words."""
    text, pos = reading.text, start
    words: list[Word] = []
    first = 0  # of the test between `(`, `&&` and the like
    pattern = False
    while True:
        blanks = _BLANKS.match(text, pos)
        pos = blanks.end() if blanks is not None else pos
        ending = _END.match(text, pos)
        if ending is not None and not pattern:
            _test(reading, words[first:])
            return words, ending.end()
        operator = (
            None if pattern or text.startswith(("<(", ">("), pos) else _OPERATOR.match(text, pos)
        )
        if operator is not None:
            if operator[0] in "<>":
                words.append(plain(operator[0]))
            else:
                _test(reading, words[first:])
                first = len(words)
            pos = operator.end()
            continue
        found, end = _pattern(reading, pos) if pattern else strings.word(reading, pos)
        if end == pos:
            _test(reading, words[first:])
            reading.doubt(UNCLOSED)
            return words, pos
        words.append(found)
        pattern = found.source in _PATTERN
        pos = end


def _test(reading: Reading, words: list[Word]) -> None:
    """Note what one test makes of values."""
    while words and words[0].source == "!":
        words = words[1:]
    # Whether a word is an operator is told by how it is written: a quoted one is none.
    if words and words[0].source in _NAMES:
        for word in words[1:]:
            arithmetic.variable(reading, word)
    for at in range(1, len(words)):
        if words[at].source in _CALCULATES:
            for word in (*words[at - 1 : at], *words[at + 1 : at + 2]):
                arithmetic.operand(reading, word)


def _pattern(reading: Reading, start: int) -> tuple[Word, int]:
    """Read what stands right of `==` or `=~`, where brackets and bars belong to the word."""
    text, pos = reading.text, start
    pieces = Pieces()
    depth = 0
    while True:
        pos = strings.fill(reading, start, pos, pieces)
        char = text[pos : pos + 1]
        if not char or (depth == 0 and char not in "(|"):
            return pieces.word(text[start:pos]), pos
        if char == ")" or (char == "(" and not text.startswith("()", pos)):
            depth += 1 if char == "(" else -1
        elif char == "(":
            depth += 1
        pieces.text(char, quoted=False)
        pos += 1
