"""Bounds on text: the last line of defence of the window."""

from __future__ import annotations

# Tools bound themselves; a result beyond this comes from one that does not.
MAX_RESULT_CHARS = 200_000


def head_and_tail(text: str, limit: int) -> str:
    """`text`, or its two ends with the number of characters left out between them.

    The end gets a third: errors stand there, but what a thing is stands at the start.
    """
    if len(text) <= limit:
        return text
    tail = limit // 3
    head = limit - tail
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[... {left_out:,} characters left out ...]\n{text[len(text) - tail :]}"
