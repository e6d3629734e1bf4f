"""Lines that go on: a backslash before a newline, which the shell takes away while it reads."""

from __future__ import annotations

import re
from collections.abc import Callable

from turnloop_shell.syntax.nodes import Node
from turnloop_shell.syntax.reading import Notes, Reading

_CONTINUATION = re.compile(r"\\+\n")
CONTINUED = "its continued lines may be read in different ways"


def read(outer: Reading, text: str, commands: Callable[[Reading], list[Node]]) -> list[Node]:
    """Read a text that the shell reads for itself: a whole line, or the code of backticks.

    What a continuation stands in decides whether it is one, so that the text is read twice: as it
    is, and once more without its continuations.

    Args:
        outer: what the text lies in.
        text: all of it.
        commands: gives what runs in a reading.

    Returns:
        What runs; both readings of it where they differ in what is quoted, which is a doubt.
    """
    if "\\\n" not in text:
        return commands(outer.inner(text))
    notes = Notes()
    first = outer.inner(text, notes)
    found = commands(first)
    once = _joined(first)
    if once == text:
        outer.notes.add(notes)
        return found
    outer.spend(len(text))
    raw = [text[start:end] for start, end in first.raw]
    second = outer.inner(once)
    joined = commands(second)
    if raw == [once[start:end] for start, end in second.raw] and _joined(second) == once:
        return joined
    outer.doubt(CONTINUED)
    return joined + found


def _joined(reading: Reading) -> str:
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
