"""Encoding an item for the wire once, however often it is sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, TypeVar

from turnloop_core.types.items import Item

T = TypeVar("T")

ROOM = 4  # times the items of a view, so that a few conversations can take turns


def dumps(value: Any) -> bytes:
    """Compact JSON. What is no text (half a surrogate pair) becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


class ItemCache(Generic[T]):
    """What items were encoded to, by their identity.

    Items that did not change keep their identity from view to view, so a turn costs the encoding
    of what is new. An item is held as long as its encoding is, so no other can take its identity.
    """

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Item, T]] = {}
        self._variant: Hashable = None

    def encoded(
        self, items: Sequence[Item], encode: Callable[[Item], T], variant: Hashable = None
    ) -> list[T]:
        """The encodings of `items`, in their order.

        Args:
            items: the items of the current view.
            encode: called for those that were not seen before.
            variant: what else the encoding depends on (the model, say); all is encoded afresh when
                it changes.
        """
        if variant != self._variant:
            self._kept.clear()
            self._variant = variant
        kept = self._kept
        result: list[T] = []
        for item in items:
            pair = kept.get(id(item))
            if pair is None:
                pair = kept[id(item)] = (item, encode(item))
            result.append(pair[1])
        if len(kept) > ROOM * max(len(items), 64):
            alive = {id(item) for item in items}
            self._kept = {key: pair for key, pair in kept.items() if key in alive}
        return result

    def __len__(self) -> int:
        return len(self._kept)
