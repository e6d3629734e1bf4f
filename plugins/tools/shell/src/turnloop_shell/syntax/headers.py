"""What `for`, `select`, `case` and `function` begin with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from turnloop_shell.syntax import brackets, expansions, strings
from turnloop_shell.syntax.group import Group
from turnloop_shell.syntax.nodes import Node
from turnloop_shell.syntax.reading import Pieces
from turnloop_shell.syntax.skeleton import Head
from turnloop_shell.syntax.words import Unknown, Variable, Word

if TYPE_CHECKING:
    from turnloop_shell.syntax.lexer import Lexer

_BLANKS = re.compile(r"[ \t]*")
_IN = re.compile(r"in(?=[ \t\n;&|<>()]|\Z)")
_ESAC = re.compile(r"esac(?=[ \t\n;&|<>()]|\Z)")
_DO = re.compile(r"do(?=[ \t\n;&|<>()]|\Z)")
_EMPTY_PARENTHESES = re.compile(r"[ \t]*\([ \t]*\)")
_SEPARATOR = re.compile(r"[ \t]*;")


def read(lexer: Lexer, keyword: str) -> None:
    """Read from behind the reserved word to where commands begin."""
    _blanks(lexer)
    if keyword == "for" and lexer.text.startswith("((", lexer.pos):
        _counting(lexer)
    elif keyword == "case":
        _case(lexer)
    elif keyword == "function":
        name, lexer.pos = strings.word(lexer.reading, lexer.pos)
        empty = _EMPTY_PARENTHESES.match(lexer.text, lexer.pos)
        if empty is not None:
            lexer.pos = empty.end()
        lexer.define(name, [])
    else:
        _walk(lexer, keyword)


def _blanks(lexer: Lexer) -> None:
    match = _BLANKS.match(lexer.text, lexer.pos)
    if match is not None:
        lexer.pos = match.end()


def _counting(lexer: Lexer) -> None:
    start = lexer.pos
    close = brackets.arithmetic_end(lexer.reading, start + 2)
    if close < 0:
        lexer.wrong("((")
        return
    nested: list[Node] = []
    lexer.pos = expansions.arithmetic(lexer.reading, start + 2, close, nested)
    source = lexer.text[start : lexer.pos]
    words = (Word((Unknown(source),), source, tuple(nested)),)
    lexer.bones.item(Head(words), letter="for ((;;))", after=";")
    lexer.skip_lines()
    separator = _SEPARATOR.match(lexer.text, lexer.pos)
    if separator is not None:
        lexer.pos = separator.end()


def _walk(lexer: Lexer, keyword: str) -> None:
    name, lexer.pos = strings.word(lexer.reading, lexer.pos)
    if not name.text.isidentifier():
        lexer.wrong(name.source or keyword)
    lexer.skip_lines()
    given = _IN.match(lexer.text, lexer.pos)
    if given is not None:
        lexer.pos = given.end()
        words = _words(lexer)
    else:
        words = [Word((Variable("@", '"$@"', quoted=True),), '"$@"')]
    lexer.bones.item(Head(tuple(words), name.text), letter=f"{keyword} w in w")
    if given is None and _DO.match(lexer.text, lexer.pos):
        lexer.bones.put(";")


def _words(lexer: Lexer) -> list[Word]:
    found: list[Word] = []
    while True:
        _blanks(lexer)
        if lexer.text[lexer.pos : lexer.pos + 1] == "#":
            return found
        group = Group(lexer.pos)
        group.word(lexer.reading, lexer.pos, lexer.pos, Pieces())
        if group.end == lexer.pos:
            return found
        lexer.pos = group.end
        found += group.words


def _case(lexer: Lexer) -> None:
    subject, end = strings.word(lexer.reading, lexer.pos)
    if end == lexer.pos:
        lexer.wrong("case")
        return
    lexer.pos = end
    lexer.skip_lines()
    given = _IN.match(lexer.text, lexer.pos)
    if given is None:
        lexer.wrong("case")
        return
    lexer.pos = given.end()
    lexer.cases += 1
    lexer.bones.item(Head((subject,)), letter="case w in")
    patterns(lexer)


def patterns(lexer: Lexer) -> None:
    """Read the patterns of the next branch, where there is one."""
    lexer.skip_lines()
    text = lexer.text
    if _ESAC.match(text, lexer.pos) or lexer.pos >= len(text):
        return
    if text[lexer.pos] == "(":
        lexer.pos += 1
    words: list[Word] = []
    while True:
        _blanks(lexer)
        word, end = strings.word(lexer.reading, lexer.pos)
        if end == lexer.pos:
            lexer.wrong("case")
            break
        words.append(word)
        lexer.pos = end
        _blanks(lexer)
        if text[lexer.pos : lexer.pos + 1] != "|":
            break
        lexer.pos += 1
    if text[lexer.pos : lexer.pos + 1] == ")":
        lexer.pos += 1
    else:
        lexer.wrong("case")
    lexer.bones.item(Head(tuple(words)), letter="w)")
    lexer.bones.last = "in"  # a newline may follow
