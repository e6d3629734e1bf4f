"""Names of files that one command prints and another one takes."""

from __future__ import annotations

from dataclasses import replace

from turnloop_shell.analysis.places import LISTED
from turnloop_shell.programs.knowledge import use_of
from turnloop_shell.programs.listing import passes_on, refined
from turnloop_shell.programs.use import Command, Touch
from turnloop_shell.syntax.nodes import Node, Simple
from turnloop_shell.syntax.words import Literal, Unknown, Word

# What stands for names that come from somewhere else: of `xargs`, and of `{}`.
_MARKS = frozenset({"…", "{}", "{.}", "{/}", "{//}", "{/.}"})


def handed_on(item: Node, listed: tuple[Touch, ...]) -> tuple[Touch, ...]:
    """The folders in which the files lie that a part of a pipeline names, as far as is known."""
    if not isinstance(item, Simple) or not item.words or not item.words[0].known:
        return ()
    command = Command(item.words, "pipe")
    if listed and passes_on(command):
        return listed
    use = refined(command, use_of(command))
    return () if use.runs else use.lists


def further(listed: tuple[Touch, ...]) -> Word:
    """A word for the names that follow. They begin with the folder that is searched."""
    prefixes = {touch.word.text for touch in listed}
    known = all(touch.word.known and not touch.word.tilde for touch in listed)
    if len(prefixes) == 1 and known:
        start = Literal(prefixes.pop().rstrip("/") + "/", quoted=True)
        return Word((start, LISTED), "…")
    return Word((LISTED,), "…")


def placed(touch: Touch, listed: tuple[Touch, ...]) -> tuple[Touch, ...]:
    """What a touch of such a name really is: anything of what was listed."""
    marks = [part for part in touch.word.parts if isinstance(part, Unknown)]
    if not listed or not marks or any(part.source not in _MARKS for part in marks):
        return (touch,)
    return tuple(
        replace(touch, word=each.word, deep=True, visible=each.visible, only=each.only)
        for each in listed
    )
