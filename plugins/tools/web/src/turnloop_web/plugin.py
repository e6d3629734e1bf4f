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
    registrar.add(SettingsEntry("search", "turnloop_web.settings:SearchSettings"))
