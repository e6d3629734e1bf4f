"""What a command line consists of. Every node is a value; nothing of the parser is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

from turnloop_shell.syntax.words import Word


@dataclass(frozen=True, slots=True)
class Assignment:
    """`NAME=value` in front of a command, or alone, or as a word of `export` and its kind.

    Attributes:
        name: of the variable; with a subscript its name alone.
        value: None for an array or where only the name is known.
        source: as it was written.
        nested: commands in a subscript or in the elements of an array.
    """

    name: str
    value: Word | None
    source: str
    nested: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirection.

    Attributes:
        kind: `read` (`<`), `write` (`>`, `>>`, `>|`, `&>`, `&>>`, and `<>`, which does both),
            `copy` (`2>&1`, `<&-`, `>&2`: a descriptor, no file), `text` (a heredoc or `<<<`).
        target: the file, the descriptor, or the text of a heredoc or here-string as one word.
        source: as it was written (of a heredoc its operator and delimiter only).
        descriptor: which descriptor, None for the usual one (0 for input, 1 for output).
        both: the file is read as well (`<>`).
    """

    kind: Choice["read", "write", "copy", "text"]
    target: Word
    source: str
    descriptor: int | None = None
    both: bool = False


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command; without words it only assigns or redirects.

    Attributes:
        words: the program and its arguments.
        assignments: in front of it.
        redirects: in the order in which they were written.
        source: as it was written, redirections and assignments included, no heredoc bodies.
    """

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...]
    redirects: tuple[Redirect, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """Commands one after the other: `a; b`, lines, `a & b` (where `a` runs in a subshell)."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class AndOr:
    """`left && right` or `left || right`."""

    left: Node
    operator: Choice["&&", "||"]
    right: Node


@dataclass(frozen=True, slots=True)
class Pipeline:
    """`a | b`: each in a shell of its own."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Subshell:
    """`( ... )`, also the job of `&`, and what a substitution runs."""

    body: Node


@dataclass(frozen=True, slots=True)
class Function:
    """`name() { ... }`: its body runs where the name is called."""

    name: str
    body: Node


@dataclass(frozen=True, slots=True)
class Compound:
    """`if`, `while`, `until`, `for`, `case`, `select`, `[[ ]]`, `(( ))`, `{ }` ...

    Attributes:
        kind: the keyword.
        bodies: everything that may run, conditions included, in order.
        words: words that are expanded on the way: what a `for` walks over, the subject and patterns
            of a `case`, the operands of `[[`.
        variable: what a `for` or `select` assigns, "" for none.
    """

    kind: str
    bodies: tuple[Node, ...]
    words: tuple[Word, ...] = ()
    variable: str = ""


@dataclass(frozen=True, slots=True)
class Redirected:
    """Redirections of something that is no simple command: `{ ...; } > file`."""

    body: Node
    redirects: tuple[Redirect, ...]


Node = Simple | Sequence | AndOr | Pipeline | Subshell | Function | Compound | Redirected


@dataclass(frozen=True, slots=True)
class Script:
    """A command line, parsed.

    Attributes:
        body: all of it that was understood; None where nothing was.
        doubts: why it cannot be known what runs, one clause each ("it has a syntax error near
            `;;`", "it uses history expansion"); empty where all was understood. With doubts `body`
            still holds what was found: deny rules bind it.
        negated: somewhere `!` turns a status round: what follows `&&` may run after a failure.
        evaluates: somewhere a name or an expansion stands where the shell calculates (`((n))`,
            `${a[n]}`, `${a:n}`, `[[ $n -eq 1 ]]`): its value is read again, and commands in it run.
    """

    body: Node | None
    doubts: tuple[str, ...] = ()
    negated: bool = False
    evaluates: bool = False
