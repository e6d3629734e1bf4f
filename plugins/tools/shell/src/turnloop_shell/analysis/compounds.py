"""Loops, branches and groups."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from turnloop_shell.analysis.ahead import assigned_in, changes_folder
from turnloop_shell.analysis.commands import inert
from turnloop_shell.analysis.lists import further
from turnloop_shell.analysis.state import State, united
from turnloop_shell.syntax.nodes import Compound

if TYPE_CHECKING:
    from turnloop_shell.analysis.walk import Walker

_LOOPS = frozenset({"for", "while", "until", "select"})
_ENDS = MappingProxyType({"[[": ("]]",)})
_SURE = frozenset({"{"})


def compound(walker: Walker, node: Compound, state: State) -> tuple[str, ...]:
    """Walk all that may run in it. Returns the folders after its success."""
    for word in node.words:
        walker.nested(word, state)
    if node.variable:
        _loop_variable(walker, node, state)
    if node.kind in _LOOPS:  # what is set at its end is there at its start
        listed = further(state.listed) if state.listed else None
        state.assign_all(assigned_in(node.bodies, listed))
        if changes_folder(node.bodies):
            state.folders = ()
    certain = state.certain
    state.certain = certain and node.kind in _SURE
    ended = state.folders
    for body in node.bodies:
        before = state.folders
        ended = walker.walk(body, state)
        state.folders = united(before, state.folders)
    state.certain = certain
    if not node.bodies:
        end = _ENDS.get(node.kind, ())
        text = " ".join((node.kind, *(word.text for word in node.words), *end))
        walker.add(inert(text, walker.around))
    return ended if node.kind in _SURE else state.folders


def _loop_variable(walker: Walker, node: Compound, state: State) -> None:
    state.values.pop(node.variable, None)
    for word in node.words or (None,):
        state.assign(node.variable, word if word is None or not word.nested else None)
    walker.reaches_programs(node.variable, None, state)
