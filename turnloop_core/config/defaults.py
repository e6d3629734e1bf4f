"""What plugins bring to the settings: the lowest layer above core's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from turnloop_core.config.check import core_issues
from turnloop_core.config.layer import Ignored, Layer, walk
from turnloop_core.config.paths import KeyPath, dotted
from turnloop_core.config.sources import plugin_layer
from turnloop_core.plugins import Registries


def plugin_defaults(registries: Registries) -> list[tuple[str, Mapping[str, Any]]]:
    """Pairs of plugin and settings: the defaults of its sections, and the presets of its providers.

    In order of the plugins' names, so that the order of loading does not matter.
    """
    sections, kinds = registries.settings, registries.providers
    found = [(sections.owner(entry.name), entry.defaults) for entry in sections if entry.defaults]
    for kind in kinds:
        presets = {name: {"kind": kind.name, **preset} for name, preset in kind.presets.items()}
        if presets:
            found.append((kinds.owner(kind.name), {"providers": presets}))
    return sorted(found, key=lambda pair: pair[0])


def default_layers(
    defaults: Sequence[tuple[str, Mapping[str, Any]]],
) -> tuple[list[Layer], tuple[Ignored, ...]]:
    """The layers of the plugins' defaults, and those that do not count.

    Defaults that are wrong are the plugin's mistake, not the user's, and do not stop the program.
    What two plugins set to different values, neither sets.
    """
    layers: list[Layer] = []
    notes: list[Ignored] = []
    for owner, values in defaults:
        try:
            layer = plugin_layer(owner, values)
        except (TypeError, ValueError) as error:
            notes.append(Ignored("defaults", f"plugin {owner}", 0, f"no JSON: {error}"))
            continue
        if issues := core_issues(layer.data):
            key, why = dotted(issues[0].path), issues[0].message
            notes.append(Ignored(key, f"plugin {owner}", 0, why))
        else:
            layers.append(layer)
    contested = _contested(layers)
    for path, owners in contested.items():
        why = f"{' and '.join(owners)} set it differently"
        notes.append(Ignored(dotted(path), "plugins", 0, why))
    return [_without(layer, contested) for layer in layers], tuple(notes)


def _contested(layers: Sequence[Layer]) -> dict[KeyPath, tuple[str, ...]]:
    claims: dict[KeyPath, dict[str, Any]] = {}
    for layer in layers:
        for path in walk(layer.data):
            value = _at(layer.data, path)
            whole = len(path) == 2 and path[0] == "providers"  # half a preset is none
            inside = len(path) > 2 and path[0] == "providers"
            if whole or not (inside or isinstance(value, Mapping) or isinstance(path[-1], int)):
                claims.setdefault(path, {})[layer.source] = value
    return {
        path: tuple(owners)
        for path, owners in claims.items()
        if any(value != next(iter(owners.values())) for value in owners.values())
    }


def _at(data: Any, path: KeyPath) -> Any:
    for part in path:
        data = data[part]
    return data


def _without(layer: Layer, contested: Mapping[KeyPath, object]) -> Layer:
    if not contested:
        return layer
    return Layer(layer.name, layer.source, _prune(layer.data, contested, ()), layer.origins)


def _prune(data: Mapping[str, Any], gone: Mapping[KeyPath, object], at: KeyPath) -> dict[str, Any]:
    return {
        key: _prune(value, gone, (*at, key)) if isinstance(value, Mapping) else value
        for key, value in data.items()
        if (*at, key) not in gone
    }
