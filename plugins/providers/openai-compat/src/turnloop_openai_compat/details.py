"""`reasoning_details`: thoughts in pieces, some signed or encrypted, that go back as they came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

JOINED = ("text", "summary", "signature")
FIELD = "reasoning_details"


class Details:
    """Collects the items of a stream; pieces of one item are joined again."""

    def __init__(self) -> None:
        self._items: list[dict[str, Any]] = []
        self._open: dict[tuple[str, ...], dict[str, Any]] = {}  # what may still grow

    def add(self, items: Sequence[Any]) -> None:
        for item in items:
            if isinstance(item, Mapping):
                self._add(item)

    def _add(self, item: Mapping[str, Any]) -> None:
        key = tuple(str(item.get(name)) for name in ("type", "index", "id"))
        whole = self._open.get(key)
        if whole is None or _is_sealed(whole):  # nothing comes after a seal
            whole = self._open[key] = {}
            self._items.append(whole)
        for name, value in item.items():
            before = whole.get(name)
            if name in JOINED and isinstance(before, str) and isinstance(value, str):
                whole[name] = before + value
            elif value is not None or name not in whole:
                whole[name] = value

    def opaque(self, blocks: Mapping[str, str]) -> Mapping[str, Any]:
        """Block -> the data to keep with it, when an item cannot be made from the readable text.

        Items that name a call belong to its block; the others to the reasoning. Where the items
        are spread so, their places among all are kept too: they go back in one list.

        Args:
            blocks: id of a call -> key of its block.
        """
        if not any(_is_sealed(item) for item in self._items):
            return {}
        of_block: dict[str, dict[str, Any]] = {}
        for place, item in enumerate(self._items):
            block = blocks.get(str(item.get("id") or ""), "reasoning")
            data = of_block.setdefault(block, {FIELD: [], "places": []})
            data[FIELD].append(item)
            data["places"].append(place)
        if len(of_block) == 1:
            return {block: {FIELD: data[FIELD]} for block, data in of_block.items()}
        return of_block


def in_order(data: Iterable[Any]) -> list[Any]:
    """The items that the opaque data of one reply's blocks hold, as they stood in its list."""
    found: list[tuple[int, Any]] = []
    for opaque in data:
        if isinstance(opaque, Mapping) and isinstance(items := opaque.get(FIELD), list):
            places = opaque.get("places") or range(len(found), len(found) + len(items))
            found += zip(places, items, strict=False)
    return [item for _, item in sorted(found, key=lambda pair: pair[0])]


def readable(items: Any) -> str:
    """The readable text of a list of items; "" of anything else."""
    if not isinstance(items, (list, tuple)):
        return ""
    words = [item.get("text") or item.get("summary") for item in items if isinstance(item, Mapping)]
    return "".join(word for word in words if isinstance(word, str))


def seals(data: Any) -> tuple[int, int]:
    """How many signatures opaque data holds, and how many blocks without readable text."""
    items = in_order((data,))
    encrypted = sum(item.get("type") == "reasoning.encrypted" for item in items)
    return sum(bool(item.get("signature")) for item in items), encrypted


def _is_sealed(item: Mapping[str, Any]) -> bool:
    return bool(item.get("signature") or item.get("data"))
