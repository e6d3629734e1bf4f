"""From a provider's entry in settings to the options of its kind."""

from __future__ import annotations

from typing import Any

from turnloop_core.config.check import Issue
from turnloop_core.config.loaded import Loaded
from turnloop_core.config.paths import dotted
from turnloop_core.errors import SettingsError, UnknownNameError
from turnloop_core.nearest import best
from turnloop_core.registry import ProviderEntry, Registry, did_you_mean, load_object


def provider_options(loaded: Loaded, name: str, kinds: Registry[ProviderEntry]) -> Any:
    """The entry `name` of `providers` as an object of the type that its kind registered.

    Raises:
        UnknownNameError: there is no such entry, or no such kind.
        ClashError: two plugins offer the kind.
        SettingsError: the entry does not fit its kind; names file, line and key.
        PluginError: the kind's type cannot be imported.
    """
    entries = loaded.settings.providers
    if name not in entries:
        raise _unknown_provider(loaded, name)
    path = ("providers", name)
    kind = entries[name].get("kind")
    if kind is None:
        known = ", ".join(sorted(kinds.names)) or "none is installed"
        issue = Issue(path, f"{dotted((*path, 'kind'))} is missing", f"kinds: {known}")
        loaded.fail([issue])
    if not isinstance(kind, str):
        loaded.fail([Issue((*path, "kind"), "expected a text")])
    if kind not in kinds and not any(clash.name == kind for clash in kinds.clashes):
        near = best(kind, kinds.names)
        hint = f'did you mean "{near}"?' if near else did_you_mean(kind, kinds.names)
        loaded.fail([Issue((*path, "kind"), f"no provider kind is called {kind!r}", hint)])
    entry = kinds.get(kind)
    return loaded.checked(load_object(entry.options, kinds.owner(kind)), entries[name], path)


def _unknown_provider(loaded: Loaded, name: str) -> SettingsError | UnknownNameError:
    origin = loaded.origin("provider")
    asked_here = loaded.settings.provider == name and origin is not None and origin.where
    place = f" ({origin})" if asked_here else ""
    hint = did_you_mean(name, sorted(loaded.settings.providers))
    return UnknownNameError(f"no provider is called {name!r}{place}", hint=hint)
