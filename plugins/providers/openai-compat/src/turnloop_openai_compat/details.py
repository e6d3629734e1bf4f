"""`reasoning_details`: thoughts in pieces, some signed or encrypted, that go back as they came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

JOINED = ("text", "summary", "data", "signature")


class Details:
    """Collects the items of a stream; pieces of one item are joined again."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, ...], dict[str, Any]] = {}

    def add(self, items: Sequence[Any]) -> None:
        for item in items:
            if not isinstance(item, Mapping):
                continue
            key = tuple(str(item.get(name)) for name in ("type", "index", "id"))
            whole = self._items.setdefault(key, {})
            for name, value in item.items():
                before = whole.get(name)
                if name in JOINED and isinstance(before, str) and isinstance(value, str):
                    whole[name] = before + value
                elif value is not None or name not in whole:
                    whole[name] = value

    def opaque(self) -> Sequence[dict[str, Any]]:
        """The items, when one of them cannot be made again from the readable text; else none."""
        items = list(self._items.values())
        sealed = any(item.get("signature") or item.get("data") for item in items)
        return items if sealed else ()


def readable(items: Any) -> str:
    """The readable text of a list of items; "" of anything else."""
    if not isinstance(items, (list, tuple)):
        return ""
    words = [item.get("text") or item.get("summary") for item in items if isinstance(item, Mapping)]
    return "".join(word for word in words if isinstance(word, str))
