"""Prices and windows of models that no adapter knows, from the library `genai-prices`.

The library holds price lists of many vendors. It matches ids by prefix and by regular expression,
and without a vendor it takes the list of whoever has something similar. So it is asked with the
vendor named, and an answer counts only where the id stands there literally.

Loading it takes half a second, so answers are kept in `~/.turnloop/cache/prices.json`, for a week.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from turnloop_core.disk import read_cache, write_cache
from turnloop_core.types.capabilities import Capabilities

KEPT_S = 7 * 86_400.0  # prices change with a date; a week is late enough
FIELDS = {
    "price_in_per_mtok": "input_mtok",
    "price_out_per_mtok": "output_mtok",
    "price_cached_per_mtok": "cache_read_mtok",
    "price_cache_write_per_mtok": "cache_write_mtok",
}


class PriceLibrary:
    """Looks models of one vendor up.

    Args:
        vendor: id of the vendor in the library; "" looks nothing up.
        home: the user's folder, for the cache.
    """

    def __init__(self, vendor: str, home: Path) -> None:
        self._vendor = vendor
        self._file = home / ".turnloop" / "cache" / "prices.json"

    def look_up(self, model: str) -> Capabilities | None:
        """What the library says of this exact id; None when it says nothing."""
        if not self._vendor:
            return None
        stamp = _stamp()
        if stamp is None:
            return None
        key = f"{self._vendor}/{model}"
        kept = read_cache(self._file)
        if _is_fresh(kept.get(key), stamp):
            says = kept[key]["says"]
        else:
            says = _ask(self._vendor, model)
            entry = {"library": stamp, "at": time.time(), "says": says}
            write_cache(self._file, {**kept, key: entry})
        return Capabilities(known=True, **says) if says else None


def _stamp() -> float | None:
    """Tells one version of the library from another, without loading it; None without it."""
    spec = find_spec("genai_prices")
    try:
        return Path(spec.origin).stat().st_mtime if spec is not None and spec.origin else None
    except OSError:
        return None


def _is_fresh(entry: Any, stamp: float) -> bool:
    return (
        isinstance(entry, dict)
        and entry.get("library") == stamp
        and _is_number(entry.get("at"))
        and 0 <= time.time() - entry["at"] < KEPT_S
        and _is_sound(entry.get("says"))
    )


def _is_sound(says: Any) -> bool:
    names = {*FIELDS, "max_context"}
    return says is None or (
        isinstance(says, dict)
        and says.keys() <= names
        and all(_is_number(value) and value >= 0 for value in says.values())
        and isinstance(says.get("max_context", 1), int)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _ask(vendor: str, model: str) -> dict[str, float] | None:
    from datetime import UTC, datetime

    from genai_prices.data import providers

    listed = next((p for p in providers if p.id == vendor), None)
    found = next((m for m in listed.models if _is_named(m, model)), None) if listed else None
    if found is None:
        return None
    prices = found.get_prices(datetime.now(UTC))
    says = {ours: _number(getattr(prices, theirs, None)) for ours, theirs in FIELDS.items()}
    known: dict[str, float] = {name: value for name, value in says.items() if value is not None}
    if found.context_window:
        known["max_context"] = found.context_window
    return known or None


def _is_named(listed: Any, model: str) -> bool:
    return listed.id == model or model in _literals(listed.match)


def _literals(clause: Any) -> Iterator[str]:
    """The ids that a clause names literally; prefixes and patterns name none."""
    if isinstance(equal := getattr(clause, "equals", None), str):
        yield equal
    for part in getattr(clause, "or_", ()):
        yield from _literals(part)


def _number(price: Any) -> float | None:
    """US dollars per million tokens; of tiers the base."""
    if price is None:
        return None
    return float(getattr(price, "base", price))
