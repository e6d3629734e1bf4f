"""What the grammar gets to see: the bones of a text, every command in it a single letter.

The lexer reads words, quotes, expansions, heredocs and redirections as the shell does and keeps
their values; the grammar then says how commands hang together. What the grammar is known to read
in another way than the shell does never reaches it.
"""

from __future__ import annotations

from dataclasses import dataclass

from turnloop_shell.syntax.nodes import Compound, Function, Node, Redirect, Simple
from turnloop_shell.syntax.words import Word

WORD = "w"


@dataclass(frozen=True, slots=True)
class Head:
    """What a `for`, `select` or `case` begins with, or the patterns of one branch."""

    words: tuple[Word, ...]
    variable: str = ""
    nested: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a function."""

    name: str


Item = Simple | Compound | Head | Name | Redirect


class Skeleton:
    """The text for the grammar while it grows, and what its letters stand for, by their place."""

    __slots__ = ("items", "last", "out", "size")

    def __init__(self) -> None:
        self.out: list[str] = []
        self.size = 0
        self.last = ""  # what stands at the end; "" at the start
        self.items: dict[int, Item] = {}

    def put(self, token: str) -> None:
        """Add an operator or a reserved word."""
        self.out.append(token)
        self.out.append(" ")
        self.size += len(token) + 1
        self.last = token

    def item(self, item: Item, before: str = "", letter: str = WORD, after: str = "") -> None:
        """Add something with a value; it is known by the place of its letter."""
        if before:
            self.put(before)
        self.items[self.size] = item
        self.put(letter)
        if after:
            self.put(after)

    def text(self) -> str:
        """The whole of it."""
        return "".join(self.out)

    def loose(self) -> list[Node]:
        """All that may run, in order, without any structure: for texts that hang together badly."""
        return [loose(item) for item in self.items.values()]


def loose(item: Item) -> Node:
    """An item as a node of its own."""
    if isinstance(item, Head):
        return Compound("{", item.nested, item.words, item.variable)
    if isinstance(item, Name):
        return Function(item.name, Simple((), (), (), ""))
    if isinstance(item, Redirect):
        return Simple((), (), (item,), item.source)
    return item
