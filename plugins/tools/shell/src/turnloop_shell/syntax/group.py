"""A simple command while it is read."""

from __future__ import annotations

import re

from turnloop_shell.syntax import arithmetic, braces, expansions, strings
from turnloop_shell.syntax.nodes import Assignment, Redirect, Simple
from turnloop_shell.syntax.reading import Pieces, Reading
from turnloop_shell.syntax.words import Literal, Word

# Words without anything that the shell would look at; by far the most.
_FAST = re.compile(r"[A-Za-z0-9_./:@%+,=^~-]+(?=[ \t\n;&|)]|\Z)")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\+?=|(\[))")
_EQUALS = re.compile(r"\+?=")
_ELEMENT = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\[.*\]\}", re.DOTALL)
DESCRIPTOR = "an element of an array takes the descriptor of a redirection in it"
QUICK = "it may use quick substitution (`^old^new`)"


class Group:
    """Words, assignments and redirections up to the next operator."""

    __slots__ = ("assignments", "end", "redirects", "start", "words")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.words: list[Word] = []
        self.assignments: list[Assignment] = []
        self.redirects: list[Redirect] = []

    def simple(self, text: str) -> Simple:
        """What was read."""
        return Simple(
            tuple(self.words),
            tuple(self.assignments),
            tuple(self.redirects),
            text[self.start : self.end],
        )

    def read(self, reading: Reading, pos: int) -> int:
        """Read a word or an assignment at `pos`; the place after it, `pos` where there is none."""
        text = reading.text
        match = _FAST.match(text, pos)
        if match is not None and ("=" not in match[0] or self.words):
            if not self.words and match[0][0] == "^":
                reading.doubt(QUICK)
            self.words.append(Word((Literal(match[0]),), match[0]))
            self.end = match.end()
            return self.end
        start, pieces = pos, Pieces()
        if not self.words:
            name = _ASSIGNMENT.match(text, pos)
            if name is not None:
                pos = name.end()
                if name[2]:
                    pos = expansions.gather(reading, pos, "]", pieces.nested, opener="[")
                equals = _EQUALS.match(text, pos) if name[2] else name
                if equals is not None:
                    if name[2]:
                        arithmetic.expression(reading, text[name.end() : pos - 1])
                    self.end = self._assign(reading, name[1], start, equals.end(), pieces)
                    return self.end
                strings.plain(reading, start, pos, pieces)
            elif text[pos] == "^":
                reading.doubt(QUICK)
        self.word(reading, start, pos, pieces)
        return self.end

    def word(self, reading: Reading, start: int, pos: int, pieces: Pieces) -> None:
        """Read the word that began at `start` and is read up to `pos`, braces expanded."""
        text = reading.text
        end = strings.fill(reading, start, pos, pieces)
        if text[start:end] == "[":  # the program: no pattern, as nothing closes it
            pieces.parts = [Literal("[", quoted=True)]
        if text[end : end + 1] in {"<", ">"} and _ELEMENT.fullmatch(text, start, end):
            reading.doubt(DESCRIPTOR)
        self._add(reading, pieces, start, end)
        self.end = max(self.end, end)

    def _add(self, reading: Reading, pieces: Pieces, start: int, end: int) -> None:
        if end == start:
            return
        source = reading.text[start:end]
        nested = tuple(pieces.nested)
        found = braces.expand(reading, tuple(pieces.parts)) if "{" in source else [pieces.done()]
        if not found and nested:
            found = [()]
        for parts in found:
            self.words.append(Word(parts, source, nested))
            nested = ()  # what runs while it is expanded is told once

    def _assign(self, reading: Reading, name: str, start: int, pos: int, pieces: Pieces) -> int:
        text = reading.text
        if text[pos : pos + 1] == "(":
            pos = strings.array(reading, pos, pieces)
            end = strings.fill(reading, pos, pos, pieces)
            value = None
        else:
            value, end = strings.word(reading, pos)
        arithmetic.assigned(reading, name, value)
        self.assignments.append(Assignment(name, value, text[start:end], tuple(pieces.nested)))
        return end
