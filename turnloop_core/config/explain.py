"""Where every value came from: the rows of `tl config`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from turnloop_core.config.layer import Origin
from turnloop_core.config.loaded import Loaded
from turnloop_core.config.paths import KeyPath, dotted
from turnloop_core.config.secrets import Secrets
from turnloop_core.values import dataclass

HIDDEN = "(hidden)"

# People put keys where names of variables belong; what looks like one is not shown.
_SENSITIVE = re.compile(r"key$|token|secret|passw|credential|authorization|cookie", re.IGNORECASE)
_SENSITIVE_MAPS = ("headers", "env")
_USER_IN_URL = re.compile(r"(?<=://)[^/@\s]+(?=@)")


@dataclass(frozen=True, slots=True)
class Row:
    """A value of a layer.

    Attributes:
        key: the setting, dotted.
        value: as JSON in one line; what looks like a secret is hidden.
        layer: the layer in which it stands.
        where: file and line, variable, flag or plugin; "" for the defaults of core.
        shadowed: a stronger layer has another value for this key.
    """

    key: str
    value: str
    layer: str
    where: str
    shadowed: bool


def explain(loaded: Loaded) -> tuple[Row, ...]:
    """Every value of every layer, by key; the one that holds first, then those it shadows."""
    rows: list[tuple[str, int, Row]] = []
    holding: set[KeyPath] = set()
    seen: set[KeyPath] = set()
    for strength, layer in enumerate(reversed(loaded.layers)):
        for path, value in _leaves(layer.data, ()):
            origin = layer.origin(path)
            held = path in holding or not _holds(loaded, path, origin)
            if path in layer.adds:
                held = False
            elif value == [] and path in seen:
                held = True  # an empty list adds nothing to those above
            else:
                holding.add(path)
            seen.add(path)
            row = Row(dotted(path), shown(path, value), origin.layer, origin.where, held)
            rows.append((row.key, strength, row))
    return tuple(row for _, _, row in sorted(rows, key=lambda item: item[:2]))


def explain_secrets(secrets: Secrets) -> tuple[Row, ...]:
    """One row for each name of a key: whether it is set and by what, never the value."""
    return tuple(
        Row(
            name,
            "set" if secrets.get(name) else secrets.describe(name).removeprefix(f"{name} is "),
            "secret",
            secrets.origin(name),
            shadowed=False,
        )
        for name in secrets.names
    )


def _holds(loaded: Loaded, path: KeyPath, origin: Origin) -> bool:
    """Whether the value of this layer is still there once all layers are laid over each other."""
    here: Any = loaded.raw
    for part in path:
        if not isinstance(here, Mapping) or part not in here:
            return False
        here = here[str(part)]
    return loaded.places.get(path) == origin


def _leaves(data: Mapping[str, Any], at: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    for key, value in data.items():
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, (*at, key))
        elif not isinstance(value, Mapping):
            yield (*at, key), value


def shown(path: KeyPath, value: Any) -> str:
    """A value as JSON in one line; what looks like a secret is hidden."""
    return json.dumps(_safe(path, value), ensure_ascii=False)


def _safe(path: KeyPath, value: Any) -> Any:
    if isinstance(value, list):
        return [_safe((*path, index), item) for index, item in enumerate(value)]
    if isinstance(value, Mapping):
        return {key: _safe((*path, key), item) for key, item in value.items()}
    if not isinstance(value, str):
        return value
    name = next(str(part) for part in reversed(path) if isinstance(part, str))
    if name.endswith("_env"):
        return value  # the name of a variable
    if any(part in _SENSITIVE_MAPS for part in path[:-1]) or _SENSITIVE.search(name):
        return HIDDEN
    return without_user(value)


def without_user(address: str) -> str:
    """An address without the user and the password that may stand in it."""
    return _USER_IN_URL.sub(HIDDEN, address)
