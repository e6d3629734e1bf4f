"""Text that is consented to: nothing in it steers the terminal, and nothing in it is unseen."""

from __future__ import annotations

from turnloop_core.permissions.text import printable

# Printable by their class, but with nothing to be seen. The selectors that pictures need stay.
_BLANK = (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0)
_SELECTORS = (*range(0x180B, 0x1810), *range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0))
_ESCAPES = {code: chr(code).encode("unicode_escape").decode() for code in (*_BLANK, *_SELECTORS)}


def visible(text: str) -> list[str]:
    """The lines of `text` with all else that cannot be seen, or moves what is seen, written out."""
    return [_line(line) for line in text.split("\n")]


def visible_line(text: str) -> str:
    """`text` on one line."""
    return "\\n".join(visible(text)).replace("\t", " ")


def _line(line: str) -> str:
    if line.isascii() and line.isprintable():
        return line
    return "\t".join(printable(part).translate(_ESCAPES) for part in line.split("\t"))
