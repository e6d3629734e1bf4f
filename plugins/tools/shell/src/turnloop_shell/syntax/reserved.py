"""Reserved words, where the shell looks for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from turnloop_shell.syntax import conditions, headers
from turnloop_shell.syntax.nodes import Compound

if TYPE_CHECKING:
    from turnloop_shell.syntax.lexer import Lexer

_NOTHING = re.compile(r"[ \t]*(?:[\n;|)]|&(?!>)|\Z)")
_TIME = re.compile(r"(?:[ \t]+(?:-p|--)(?=[ \t\n;&|<>()]|\Z))*")
_JOB = re.compile(r"[ \t]+[A-Za-z_][A-Za-z0-9_]*(?=[ \t\n]*(?:[{(]|(?:if|while|until|for|case)\b))")

COMPOUND_ENDS = frozenset({")", "}", "fi", "done", "esac"})
_ENDERS = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})
COPROC = "it starts a coprocess"


def read(lexer: Lexer, keyword: str) -> bool:
    """Read the reserved word at the lexer's place; False where it is an ordinary word after all."""
    if keyword in {"time", "!"}:
        return _prefix(lexer, keyword)
    if lexer.waiting:
        lexer.moved(keyword)
    lexer.pos += len(keyword)
    lexer.begin()
    if keyword == "[[":
        words, lexer.pos = conditions.read(lexer.reading, lexer.pos)
        lexer.whole(Compound("[[", (), tuple(words)))
    elif keyword == "coproc":
        lexer.doubt(COPROC)
        job = _JOB.match(lexer.text, lexer.pos)
        lexer.pos = job.end() if job is not None else lexer.pos
    elif keyword in {"for", "select", "case", "function"}:
        headers.read(lexer, keyword)
    else:
        _bracket(lexer, keyword)
    return True


def _bracket(lexer: Lexer, keyword: str) -> None:
    if keyword == "}" and not lexer.braces and lexer.closer == "}":
        lexer.ended = True
        return
    if keyword in _ENDERS and lexer.bones.last in COMPOUND_ENDS:
        lexer.bones.put(";")
    lexer.braces += (keyword == "{") - (keyword == "}")
    lexer.cases -= keyword == "esac"
    lexer.bones.put(keyword)
    lexer.after = keyword in COMPOUND_ENDS


def _prefix(lexer: Lexer, keyword: str) -> bool:
    """`time` and `!` change nothing about what runs; alone they are left as words."""
    end = lexer.pos + len(keyword)
    if keyword == "time":
        if lexer.bones.last == "|":  # here the shell looks for a program of this name
            return False
        options = _TIME.match(lexer.text, end)
        end = options.end() if options is not None else end
    if _NOTHING.match(lexer.text, end):
        return False
    if keyword == "!":
        lexer.reading.notes.negated = True
    lexer.pos = end
    return True
