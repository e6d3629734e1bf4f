"""Where a bracket that begins arithmetic ends, told by nothing but brackets and quotes."""

from __future__ import annotations

import re

from turnloop_shell.syntax.reading import Reading

_QUOTED_PIECE = re.compile(
    r"\$'(?:[^'\\]|\\.)*'|'[^']*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`\\]|\\.)*`|\\.", re.DOTALL
)


def arithmetic_end(reading: Reading, start: int) -> int:
    """The place of the `))` that ends what began with `((` before `start`, -1 if it is none.

    Told as the shell does: the inner bracket's partner must have another one beside it.
    """
    end = partner(reading.text, start)
    reading.spend(end - start)
    return end if reading.text.startswith("))", end) else -1


def partner(text: str, start: int) -> int:
    """The place of the bracket that closes the one before `start`, the end of the text for none."""
    depth, pos = 1, start
    while pos < len(text):
        char = text[pos]
        if char in "'\"\\`" or text.startswith("$'", pos):
            match = _QUOTED_PIECE.match(text, pos)
            if match is None:
                return len(text)
            pos = match.end()
            continue
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return pos
        pos += 1
    return len(text)
