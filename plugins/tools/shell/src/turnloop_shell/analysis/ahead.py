"""What comes later in a loop, and counts from its second round on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from turnloop_shell.syntax.nodes import (
    AndOr,
    Assignment,
    Compound,
    Function,
    Node,
    Pipeline,
    Redirected,
    Sequence,
    Simple,
    Subshell,
)
from turnloop_shell.syntax.words import Word

_MOVING = frozenset({"cd", "pushd", "popd", "eval", "source", ".", "builtin", "command"})
_PLACING = frozenset({"shift", "set", "eval", "source", "."})
_NAME = re.compile(r"[A-Za-z_]\w*")


def assigned_in(
    nodes: Iterable[Node], listed: Word | None = None
) -> dict[str, tuple[Word | None, ...]]:
    """The variables that may be assigned somewhere in these nodes, and their values.

    Every word of a command that begins like a name is taken for one: `read`, `export`, `printf -v`
    and others assign in many ways. `listed`: what `read` reads there, None for anything.
    """
    found: dict[str, tuple[Word | None, ...]] = {}
    for node in _all(nodes):
        if isinstance(node, Simple):
            for name, value in _of_simple(node, listed):
                found[name] = (*found.get(name, ()), value)
        elif isinstance(node, Compound) and node.variable:
            found[node.variable] = (None,)
    return found


def _of_simple(node: Simple, listed: Word | None) -> Iterator[tuple[str, Word | None]]:
    if not node.words:
        for each in node.assignments:
            yield each.name, value_of(each)
    for word in node.words[1:]:
        name = _NAME.match(word.text)
        if name:
            yield name[0], listed if node.words[0].text == "read" else None


def value_of(assignment: Assignment) -> Word | None:
    """The value, where it is all that the variable holds afterwards."""
    plainly = assignment.source.startswith(f"{assignment.name}=")
    return assignment.value if plainly else None


def changes_folder(nodes: Iterable[Node]) -> bool:
    """Whether these nodes may change the folder of the shell that runs them."""
    return any(
        isinstance(node, Simple) and node.words and node.words[0].text in _MOVING
        for node in _all(nodes, own=True)
    )


def moves_places(nodes: Iterable[Node]) -> bool:
    """Whether `$1` and its kind may mean something else in the course of these nodes."""
    return any(
        isinstance(node, Simple) and any(word.text in _PLACING for word in node.words)
        for node in all_nodes(nodes)
    )


def all_nodes(nodes: Iterable[Node]) -> Iterator[Node]:
    """All nodes below these, in words too."""
    waiting = list(nodes)
    while waiting:
        for node in _all([waiting.pop()]):
            yield node
            waiting += _nested(node)


def _nested(node: Node) -> Iterator[Node]:
    """What runs while the words of a node are expanded."""
    words: list[Word] = []
    match node:
        case Simple():
            words += node.words
            words += (a.value for a in node.assignments if a.value is not None)
            words += (r.target for r in node.redirects)
            yield from (each for a in node.assignments for each in a.nested)
        case Compound():
            words += node.words
        case Redirected(_, redirects):
            words += (r.target for r in redirects)
        case _:
            pass
    yield from (each for word in words for each in word.nested)


def _all(nodes: Iterable[Node], *, own: bool = False) -> Iterator[Node]:
    """All nodes below these; with `own` those that a shell runs itself, not in a further one."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        match node:
            case Subshell() | Pipeline() if own:
                pass
            case Sequence(items) | Pipeline(items):
                waiting += items
            case AndOr(left, _, right):
                waiting += (left, right)
            case Subshell(body) | Function(_, body) | Redirected(body, _):
                waiting.append(body)
            case Compound(_, bodies):
                waiting += bodies
            case _:
                pass
