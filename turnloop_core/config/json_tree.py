"""A JSON text as a tree in which every value and key knows where it stands.

The offsets let a message name a line, and an edit leave all other bytes alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from turnloop_core.config.paths import KeyPath
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class Member:
    """A key and its value; `start` is the offset of the key's opening quote."""

    key: str
    start: int
    node: Node


@dataclass(frozen=True, slots=True)
class Node:
    """A value in the text, from offset `start` to `end`.

    Attributes:
        value: the Python value; for objects and lists use `plain`.
        members: of an object, None for anything else.
        items: of a list, None for anything else.
    """

    start: int
    end: int
    value: Any = None
    members: tuple[Member, ...] | None = None
    items: tuple[Node, ...] | None = None

    @property
    def plain(self) -> Any:
        """The value as dicts, lists, strings and numbers."""
        if self.members is not None:
            return {member.key: member.node.plain for member in self.members}
        if self.items is not None:
            return [item.plain for item in self.items]
        return self.value

    def member(self, key: str) -> Member | None:
        return next((m for m in self.members or () if m.key == key), None)

    def walk(self, path: KeyPath = ()) -> Iterator[tuple[KeyPath, int]]:
        """Pairs of path and offset, for everything below this node."""
        for member in self.members or ():
            yield (*path, member.key), member.start
            yield from member.node.walk((*path, member.key))
        for index, item in enumerate(self.items or ()):
            yield (*path, index), item.start
            yield from item.walk((*path, index))


@dataclass(frozen=True, slots=True)
class Document:
    """A text and the object that it holds; `root` is None for a text without content."""

    text: str
    root: Node | None
    _starts: Sequence[int] = field(repr=False)

    def line(self, offset: int) -> int:
        """The line of an offset, from 1."""
        return bisect_right(self._starts, offset)
