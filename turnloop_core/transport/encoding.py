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


class History(Generic[T]):
    """The items of one conversation as they go to the wire: it grows, and is seldom made anew.

        kept, new = history.grow(view.items, encode, variant)

    An adapter keeps what it joined before when `kept` is true, and appends `new` to it; so a
    request costs what is new in it, not what the conversation holds.
    """

    def __init__(self) -> None:
        self._cache: ItemCache[Sequence[T]] = ItemCache()
        self._sent: tuple[Hashable, tuple[Item, ...]] = (None, ())

    def grow(
        self, items: tuple[Item, ...], encode: Callable[[Item], Sequence[T]], variant: Hashable
    ) -> tuple[bool, list[T]]:
        """What is new since the call before.

        Args:
            items: the items of the current view.
            encode: an item -> its pieces, none for an item that has nothing to say.
            variant: what else the encoding depends on.

        Returns:
            Whether everything that was given before still stands, and the pieces that follow it;
            when it does not stand, the pieces of all items.
        """
        known_variant, known = self._sent
        # Items keep their identity, so that comparing them is quick.
        kept = known_variant == variant and items[: len(known)] == known
        self._sent = (variant, items)
        if kept:
            return True, [piece for item in items[len(known) :] for piece in encode(item)]
        encoded = self._cache.encoded(items, encode, variant)
        return False, [piece for pieces in encoded for piece in pieces]
