"""The text that is being read, and what everybody who reads it shares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from turnloop_shell.syntax.nodes import Node
from turnloop_shell.syntax.words import Literal, Part, Word

MAX_DEPTH = 41  # of substitutions in each other; each takes some frames of Python
MAX_EFFORT = 500_000
UNCLOSED_QUOTE = "a quote in it is not closed"
UNCLOSED_EXPANSION = "an expansion in it is not closed"
CARRIAGE_RETURN = "it holds a carriage return, which hides text and is no blank for the shell"


class TooDeepError(Exception):
    """Raised where constructs are nested deeper than any real line has them."""


@dataclass(slots=True)
class Notes:
    """What comes to light about a whole script, whichever of its texts tells it.

    Attributes:
        doubts: why it cannot be known what runs; the order is that of finding.
        negated: `!` stands in front of a pipeline.
        evaluates: a name or an expansion stands where the shell calculates.
        stores: a `${name:=...}` assigns a text that would run a command if it were calculated.
    """

    doubts: dict[str, None] = field(default_factory=dict)
    negated: bool = False
    evaluates: bool = False
    stores: bool = False

    def add(self, others: Notes) -> None:
        """Take over what was noted elsewhere."""
        self.doubts |= others.doubts
        self.negated |= others.negated
        self.evaluates |= others.evaluates
        self.stores |= others.stores


@dataclass(slots=True)
class Effort:
    """How many characters of a script were looked at more often than once."""

    characters: int = 0


@dataclass(slots=True)
class Reading:
    """One text on its way to values.

    Attributes:
        text: all of it.
        commands: reads commands from a place up to the bracket that ends them (`""` for the end of
            the text); gives what they are and the place after the bracket.
        notes: shared by all that is read for one script.
        depth: how many texts and substitutions this one lies in.
        raw: spans in which a backslash before a newline stays (single quotes, comments, quoted
            heredocs), in the order of reading.
        waiting: heredocs whose bodies are still to come.
        inside: how many expansions with operators and arithmetic expressions this lies in.
        effort: shared like `notes`.
    """

    text: str
    commands: Callable[[Reading, int, str], tuple[Node | None, int]]
    notes: Notes = field(default_factory=Notes)
    depth: int = 0
    raw: list[tuple[int, int]] = field(default_factory=list)
    waiting: int = 0
    inside: int = 0
    effort: Effort = field(default_factory=Effort)

    def doubt(self, clause: str) -> None:
        """Note why it cannot be known what runs."""
        self.notes.doubts[clause] = None

    def spend(self, characters: int) -> None:
        """Look ahead or read again, but not from everywhere to the end."""
        self.effort.characters += characters
        if self.effort.characters > MAX_EFFORT:
            raise TooDeepError

    def inner(self, text: str, notes: Notes | None = None) -> Reading:
        """Another text that lies in this one: the code of backticks, the body of a heredoc.

        Args:
            text: all of it.
            notes: takes what comes to light while it is not known whether it counts.
        """
        if self.depth >= MAX_DEPTH:
            raise TooDeepError
        return Reading(
            text,
            self.commands,
            self.notes if notes is None else notes,
            self.depth + 1,
            inside=self.inside,
            effort=self.effort,
        )

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """One level down in the same text."""
        if self.depth >= MAX_DEPTH:
            raise TooDeepError
        self.depth += 1
        yield
        self.depth -= 1


def _is_empty(part: Part) -> bool:
    return isinstance(part, Literal) and not part.text


class Pieces:
    """The parts of one word while it is read."""

    __slots__ = ("nested", "parts")

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.nested: list[Node] = []

    def text(self, text: str, quoted: bool) -> None:
        """Add known text; neighbours of one kind become one part."""
        if not text and not quoted:
            return
        last = self.parts[-1] if self.parts else None
        if isinstance(last, Literal) and last.quoted == quoted:
            self.parts[-1] = Literal(last.text + text, quoted)
        else:
            self.parts.append(Literal(text, quoted))

    def add(self, part: Part) -> None:
        """Add a part that is no text."""
        self.parts.append(part)

    def done(self) -> tuple[Part, ...]:
        """The parts; empty quotes count where nothing else keeps the word alive."""
        if not any(_is_empty(part) for part in self.parts):
            return tuple(self.parts)
        rest = Pieces()
        for part in self.parts:
            if isinstance(part, Literal):
                rest.text(part.text, part.quoted and part.text != "")
            else:
                rest.add(part)
        if any(isinstance(part, Literal) or part.quoted for part in rest.parts):
            return tuple(rest.parts)
        return (*rest.parts, Literal("", quoted=True))

    def word(self, source: str) -> Word:
        """What was read, as a word."""
        return Word(self.done(), source, tuple(self.nested))
