"""What is known of the shell at one place of a command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from turnloop_core.api import Scope
from turnloop_shell.programs.use import Touch
from turnloop_shell.syntax.nodes import Node
from turnloop_shell.syntax.words import Variable, Word

MOST_FOLDERS = 4  # beyond these nobody could follow a question either
MOST_VALUES = 32


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a command line would run, and what its shell starts with.

    Attributes:
        root: project root.
        home: the user's home.
        names: variables that its programs inherit.
        whole: the command line as it was written.
        scope: of paths that are absolute already.
    """

    root: str
    home: str
    names: frozenset[str]
    whole: str
    scope: Scope


@dataclass(slots=True)
class State:
    """The shell's own state, as far as it can be known before it runs.

    Attributes:
        folders: the folders that it may be in; empty when that is not known.
        values: variable -> the values that it may have; None when they are not known.
        exported: variables beside the inherited ones that programs get: name -> value.
        functions: name -> body, and whether the name certainly means the function.
        stdin: what commands read that say nothing else about it. See `programs.use.Command`.
        listed: what standard input names, where it is a list of files: the folders in which they
            lie.
        certain: what is walked now will run, if anything does.
        outer: narrow forms of the commands that run this one.
    """

    folders: tuple[str, ...]
    values: dict[str, tuple[Word, ...] | None] = field(default_factory=dict)
    exported: dict[str, Word | None] = field(default_factory=dict)
    functions: dict[str, tuple[Node, bool]] = field(default_factory=dict)
    stdin: Word | str | None = None
    listed: tuple[Touch, ...] = ()
    certain: bool = True
    outer: tuple[str, ...] = ()

    def copy(self) -> State:
        """The state of a shell of its own: what it changes does not come back."""
        return State(
            self.folders,
            dict(self.values),
            dict(self.exported),
            dict(self.functions),
            self.stdin,
            self.listed,
            self.certain,
            self.outer,
        )

    def assign(self, name: str, value: Word | None) -> None:
        """A variable may have this value from now on; None for one that is not known.

        A value that hangs on further variables counts as unknown: resolve it first.
        """
        before = self.values.get(name, ())
        hangs = value is not None and any(isinstance(p, Variable) for p in value.parts)
        if before is None or value is None or hangs or len(before) > MOST_VALUES:
            self.values[name] = None
        elif value not in before:
            self.values[name] = (*before, value)

    def assign_all(self, values: Mapping[str, tuple[Word | None, ...]]) -> None:
        """What is assigned somewhere in a loop or function may be there at its start."""
        for name, row in values.items():
            for value in row:
                self.assign(name, value)


def united(*rows: tuple[str, ...]) -> tuple[str, ...]:
    """All folders of several rows; none, for unknown, where one of them is not known."""
    if not all(rows):
        return ()
    unique = tuple(dict.fromkeys(folder for row in rows for folder in row))
    return unique if len(unique) <= MOST_FOLDERS else ()
