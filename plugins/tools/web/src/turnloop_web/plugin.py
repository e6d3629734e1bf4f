"""Offers WebFetch and WebSearch, and the section `search` of settings."""

from __future__ import annotations

from turnloop_core.api import Registrar, SettingsEntry, ToolEntry, hookimpl


@hookimpl
def register_tools(registrar: Registrar[ToolEntry]) -> None:
    for name, module in (("WebFetch", "fetch"), ("WebSearch", "search")):
        load = f"turnloop_web.{module}:create"
        registrar.add(ToolEntry(name, load, read_only=True, parallel_safe=True, remembered=True))


@hookimpl
def register_settings(registrar: Registrar[SettingsEntry]) -> None:
    # Written here and not taken from the section's type: it would be imported at every start.
    values = {"backend": "ddgs", "api_key_env": "", "base_url": "", "max_results": 10}
    load = "turnloop_web.settings:SearchSettings"
    registrar.add(SettingsEntry("search", load, defaults={"search": values}))
