"""Text for people: one line, nothing that a terminal would obey."""

from __future__ import annotations

MAX_SHOWN = 200


def printable(text: str) -> str:
    """`text` with control and other unprintable characters escaped."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
        for char in text
    )


def shortened(text: str, limit: int = MAX_SHOWN) -> str:
    """`text` in one line of at most `limit` characters."""
    line = printable(text)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
