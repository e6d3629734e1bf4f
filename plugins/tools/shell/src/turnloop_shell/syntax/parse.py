"""From the text of a command line to values."""

from __future__ import annotations

import re

from turnloop_shell.syntax.lexer import Lexer
from turnloop_shell.syntax.nodes import Node, Script, Sequence, Simple
from turnloop_shell.syntax.reading import Reading, TooDeepError
from turnloop_shell.syntax.words import plain

MAX_SIZE = 64 * 1024
MAX_ROUGH = 1024 * 1024  # no system starts a shell with more in one argument
_CONTINUATION = re.compile(r"\\+\n")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BREAKS = re.compile(r"[;&|()`\n\0<>{}$]+")
_MARKS = re.compile(r"['\"\\]")
CONTINUED = "its continued lines may be read in different ways"


def parse(text: str) -> Script:
    """Parse a command line of bash. Never raises: what is not understood is a doubt."""
    if len(text) > MAX_SIZE:
        return Script(_rough(text), ("it is very long",))
    if "\0" in text:
        return Script(_rough(text), ("it holds a NUL character",))
    if _SURROGATE.search(text):
        return Script(_rough(text), ("it holds characters that cannot be written as UTF-8",))
    try:
        return _parsed(text)
    except (TooDeepError, RecursionError):
        return Script(_rough(text), ("it is nested too deeply",))


def _parsed(text: str) -> Script:
    reading = Reading(text, _commands)
    body, _ = _commands(reading, 0, "")
    if "\\\n" not in text:
        return Script(body, tuple(reading.doubts), bool(reading.negations))
    raw = [text[start:end] for start, end in reading.raw]
    once = _continued(reading)
    if once == text:
        return Script(body, tuple(reading.doubts), bool(reading.negations))
    reading = Reading(once, _commands)
    joined, _ = _commands(reading, 0, "")
    if raw != [once[start:end] for start, end in reading.raw] or _continued(reading) != once:
        reading.doubt(CONTINUED)
        both = tuple(node for node in (joined, body) if node is not None)
        body = Sequence(both) if both else None
        return Script(body, tuple(reading.doubts), bool(reading.negations))
    return Script(joined, tuple(reading.doubts), bool(reading.negations))


def _commands(reading: Reading, pos: int, closer: str) -> tuple[Node | None, int]:
    return Lexer(reading, pos, closer).run()


def _continued(reading: Reading) -> str:
    """The text without continuations; the shell takes them away before it looks at words."""
    raw = iter(sorted(reading.raw))
    span = next(raw, None)
    found: list[str] = []
    at = 0
    for match in _CONTINUATION.finditer(reading.text):
        while span is not None and span[1] < match.end() - 1:
            span = next(raw, None)
        inside = span is not None and span[0] < match.end()
        if inside or (match.end() - match.start()) % 2:
            continue
        found.append(reading.text[at : match.end() - 2])
        at = match.end()
    found.append(reading.text[at:])
    return "".join(found)


def _rough(text: str) -> Node | None:
    """Commands by their looks only, so that a rule that forbids one of them still finds it."""
    pieces = dict.fromkeys(piece.strip() for piece in _BREAKS.split(text[:MAX_ROUGH]))
    found = [_looks(piece) for piece in pieces if piece]
    return Sequence(tuple(found)) if found else None


def _looks(piece: str) -> Simple:
    words = tuple(plain(word) for word in _MARKS.sub("", piece).split())
    return Simple(words, (), (), piece)
