"""The last resort when a request does not fit: cut the largest results, whatever the strategy.

It works without any plugin, asks no model, and spares nothing for being recent: when the recent
items alone overflow, it is they that must shrink.
"""

from __future__ import annotations

from collections.abc import Callable

from turnloop_core.loop.bounds import head_and_tail
from turnloop_core.types.content import Image, Text
from turnloop_core.types.edits import Edit, ShrinkAttachment, ShrinkResult
from turnloop_core.types.items import Item, Prompt, Turn
from turnloop_core.types.results import Result
from turnloop_core.types.view import View

KEPT_CHARS = 1_200  # of a result that is cut: enough to know what it was
WORTH_CHARS = 2 * KEPT_CHARS  # below this, cutting gains too little


def emergency_edits(
    view: View, to_free: int, tokens_of: Callable[[str], int]
) -> tuple[tuple[Edit, ...], int]:
    """Edits that free about `to_free` tokens, largest first, and what they free by estimate."""
    candidates = sorted(
        ((size, place, edit) for place, (size, edit) in enumerate(_candidates(view.items))),
        key=lambda c: (-c[0], c[1]),
    )
    edits: list[Edit] = []
    freed = 0
    for size, _, edit in candidates:
        if freed >= to_free:
            break
        edits.append(edit)
        freed += tokens_of("x" * size) - tokens_of(edit.text)
    return tuple(edits), max(freed, 0)


def _candidates(items: tuple[Item, ...]) -> list[tuple[int, ShrinkResult | ShrinkAttachment]]:
    found: list[tuple[int, ShrinkResult | ShrinkAttachment]] = []
    for item in items:
        if isinstance(item, Turn):
            for place, result in enumerate(item.results):
                size = _size(result)
                if size > WORTH_CHARS:
                    found.append((size, ShrinkResult(item.id, place, _short(result))))
        elif isinstance(item, Prompt):
            for place, block in enumerate(item.attachments):
                if isinstance(block, Text) and len(block.text) > WORTH_CHARS:
                    short = head_and_tail(block.text, KEPT_CHARS)
                    found.append((len(block.text), ShrinkAttachment(item.id, place, short)))
    return found


def _size(result: Result) -> int:
    pictures = sum(isinstance(block, Image) for block in result.content)
    return len(result.text) + 5_000 * pictures  # about what a picture costs, in characters


def _short(result: Result) -> str:
    pictures = sum(isinstance(block, Image) for block in result.content)
    note = f"\n[{pictures} picture(s) left out]" if pictures else ""
    return (
        head_and_tail(result.text, KEPT_CHARS)
        + note
        + "\n[cut to make room: run the call again, for a smaller part, if you need the rest]"
    )
