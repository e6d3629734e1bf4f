"""Texts in the small pieces in which a model would send them."""

from __future__ import annotations

from collections.abc import Iterator

PIECE = 12  # characters


def in_pieces(text: str, size: int = PIECE) -> Iterator[str]:
    """`text` in pieces of at most `size` characters."""
    for start in range(0, len(text), size):
        yield text[start : start + size]
