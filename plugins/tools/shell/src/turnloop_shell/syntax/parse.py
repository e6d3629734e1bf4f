"""From the text of a command line to values."""

from __future__ import annotations

import re

from turnloop_shell.syntax import arithmetic, continued
from turnloop_shell.syntax.lexer import Lexer
from turnloop_shell.syntax.nodes import Node, Script, Sequence, Simple
from turnloop_shell.syntax.reading import Reading, TooDeepError
from turnloop_shell.syntax.words import plain

MAX_SIZE = 64 * 1024
MAX_ROUGH = 1024 * 1024  # no system starts a shell with more in one argument
_SURROGATE = re.compile("[\ud800-\udfff]")
_BREAKS = re.compile(r"[;&|()`\n\0<>{}$]+")
_MARKS = re.compile(r"['\"\\]")


def parse(text: str) -> Script:
    """Parse a command line of bash. Never raises: what is not understood is a doubt."""
    if len(text) > MAX_SIZE:
        return Script(_rough(text), ("it is very long",))
    if "\0" in text:
        return Script(_rough(text), ("it holds a NUL character",))
    if _SURROGATE.search(text):
        text = _SURROGATE.sub("\ufffd", text)  # no file has such a name
        return Script(_rough(text), ("it holds characters that cannot be written as UTF-8",))
    try:
        return _parsed(text)
    except (TooDeepError, RecursionError):
        return Script(_rough(text), ("it is nested too deeply",))


def _parsed(text: str) -> Script:
    whole = Reading("", _commands)
    found = continued.read(whole, text, _all)
    body = found[0] if len(found) == 1 else Sequence(tuple(found)) if found else None
    notes = whole.notes
    if notes.evaluates and notes.stores:
        whole.doubt(arithmetic.AGAIN)
    return Script(body, tuple(notes.doubts), notes.negated, notes.evaluates)


def _all(reading: Reading) -> list[Node]:
    node, _ = _commands(reading, 0, "")
    return [] if node is None else [node]


def _commands(reading: Reading, pos: int, closer: str) -> tuple[Node | None, int]:
    return Lexer(reading, pos, closer).run()


def _rough(text: str) -> Node | None:
    """Commands by their looks only, so that a rule that forbids one of them still finds it."""
    pieces = dict.fromkeys(piece.strip() for piece in _BREAKS.split(text[:MAX_ROUGH]))
    found = [_looks(piece) for piece in pieces if piece]
    return Sequence(tuple(found)) if found else None


def _looks(piece: str) -> Simple:
    words = tuple(plain(word) for word in _MARKS.sub("", piece).split())
    return Simple(words, (), (), piece)
