"""One layer of settings, and how layers are laid over each other."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Literal

from turnloop_core.config.paths import KeyPath
from turnloop_core.values import dataclass

# From the weakest to the strongest.
LayerName = Literal["core", "plugin", "user", "project", "local", "environment", "flag"]

PROJECT_LAYERS: tuple[LayerName, ...] = ("project", "local")

_IN_WORDS: Mapping[LayerName, str] = {
    "core": "default",
    "plugin": "default of plugin",
    "user": "user settings",
    "project": "project settings",
    "local": "local project settings",
    "environment": "environment",
    "flag": "flag",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from.

    Attributes:
        layer: the layer.
        file: the file; the variable of the environment, the flag or the plugin where there is none.
        line: in the file, from 1; 0 when there is no file.
    """

    layer: LayerName
    file: str = ""
    line: int = 0

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file

    def __str__(self) -> str:
        words = _IN_WORDS[self.layer]
        return f"{words} {self.where}" if self.where else words


@dataclass(frozen=True, slots=True)
class Ignored:
    """Something that stands in a layer and does not count.

    Attributes:
        key: the setting, dotted; the variable where it is one.
        file: where it stands.
        line: in the file, 0 when there is none.
        why: the reason, in words for the user.
    """

    key: str
    file: str
    line: int
    why: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.key} is ignored: {self.why}"


@dataclass(frozen=True, slots=True)
class Layer:
    """Settings of one source.

    Attributes:
        name: which layer.
        source: the file, or the plugin.
        data: the settings, as JSON values.
        origins: path -> where it stands, for every key and every item of a list.
        adds: paths of lists that are added to those of weaker layers instead of replacing them.
    """

    name: LayerName
    source: str
    data: Mapping[str, Any]
    origins: Mapping[KeyPath, Origin]
    adds: frozenset[KeyPath] = frozenset()

    def origin(self, path: KeyPath) -> Origin:
        """Where `path` stands, or the nearest key around it."""
        return nearest_origin(self.origins, path) or Origin(self.name, self.source)


@dataclasses.dataclass(slots=True)
class Folded:
    """Layers laid over each other: the values, and the origin of each path."""

    data: dict[str, Any] = field(default_factory=dict)
    origins: dict[KeyPath, Origin] = field(default_factory=dict)


def nearest_origin(origins: Mapping[KeyPath, Origin], path: KeyPath) -> Origin | None:
    for length in range(len(path), 0, -1):
        if path[:length] in origins:
            return origins[path[:length]]
    return None


def walk(data: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    """The paths of everything inside `data`."""
    pairs: Iterable[tuple[str | int, Any]] = ()
    if isinstance(data, Mapping):
        pairs = data.items()
    elif isinstance(data, list):
        pairs = enumerate(data)
    for key, value in pairs:
        yield (*path, key)
        yield from walk(value, (*path, key))


def fold(layers: Iterable[Layer]) -> Folded:
    """Lay each layer over those before it: maps merge, everything else replaces."""
    folded = Folded()
    for layer in layers:
        _lay_map(folded, folded.data, layer, layer.data, ())
    return folded


def _lay_map(
    folded: Folded, base: dict[str, Any], layer: Layer, over: Mapping[str, Any], at: KeyPath
) -> None:
    for key, value in over.items():
        path: KeyPath = (*at, key)
        if isinstance(value, Mapping):
            below = base.get(key)
            if not isinstance(below, dict):
                _forget(folded, path)
                below = base[key] = {}
            folded.origins[path] = layer.origin(path)
            _lay_map(folded, below, layer, value, path)
        elif path in layer.adds and isinstance(value, list) and isinstance(base.get(key), list):
            base[key] = _added(folded, layer, base[key], value, path)
        else:
            _forget(folded, path)
            base[key] = list(value) if isinstance(value, list) else value
            for inner in (path, *walk(value, path)):
                folded.origins[inner] = layer.origin(inner)


def _added(
    folded: Folded, layer: Layer, below: list[Any], items: list[Any], path: KeyPath
) -> list[Any]:
    merged = list(below)
    for index, item in enumerate(items):
        if item not in merged:
            folded.origins[(*path, len(merged))] = layer.origin((*path, index))
            merged.append(item)
    return merged


def _forget(folded: Folded, path: KeyPath) -> None:
    for known in [p for p in folded.origins if p[: len(path)] == path]:
        del folded.origins[known]
