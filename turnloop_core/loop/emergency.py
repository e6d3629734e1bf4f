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

# Characters kept of what is cut, tried in this order until enough is freed: enough to know what it
# was, then enough to know that it was.
KEPT_CHARS = (1_200, 300, 80)


def emergency_edits(
    view: View, to_free: int, tokens_of: Callable[[str], int]
) -> tuple[tuple[Edit, ...], int]:
    """Edits that free about `to_free` tokens, largest first, and what they free by estimate.

    When nothing frees that much, the edits that free the most.
    """
    best: tuple[tuple[Edit, ...], int] = ((), 0)
    for kept in KEPT_CHARS:
        edits, freed = _cut(view, to_free, tokens_of, kept)
        if freed > best[1]:
            best = edits, freed
        if freed >= to_free:
            break
    return best


def _cut(
    view: View, to_free: int, tokens_of: Callable[[str], int], kept: int
) -> tuple[tuple[Edit, ...], int]:
    candidates = sorted(_candidates(view.items, kept), key=lambda c: c[0], reverse=True)
    edits: list[Edit] = []
    freed = 0
    for size, edit in candidates:
        if freed >= to_free:
            break
        gain = tokens_of("x" * size) - tokens_of(edit.text)
        if gain > 0:
            edits.append(edit)
            freed += gain
    return tuple(edits), freed


def _candidates(
    items: tuple[Item, ...], kept: int
) -> list[tuple[int, ShrinkResult | ShrinkAttachment]]:
    worth = 2 * kept  # below this, cutting gains too little
    found: list[tuple[int, ShrinkResult | ShrinkAttachment]] = []
    for item in items:
        if isinstance(item, Turn):
            for place, result in enumerate(item.results):
                size = _size(result)
                if size > worth:
                    found.append((size, ShrinkResult(item.id, place, _short(result, kept))))
        elif isinstance(item, Prompt):
            for place, block in enumerate(item.attachments):
                if isinstance(block, Text) and len(block.text) > worth:
                    short = head_and_tail(block.text, kept)
                    found.append((len(block.text), ShrinkAttachment(item.id, place, short)))
    return found


def _size(result: Result) -> int:
    pictures = sum(isinstance(block, Image) for block in result.content)
    return len(result.text) + 5_000 * pictures  # about what a picture costs, in characters


def _short(result: Result, kept: int) -> str:
    pictures = sum(isinstance(block, Image) for block in result.content)
    note = f"\n[{pictures} picture(s) left out]" if pictures else ""
    return (
        head_and_tail(result.text, kept)
        + note
        + "\n[cut to make room: run the call again, for a smaller part, if you need the rest]"
    )
