"""Offers Glob and Grep."""

from __future__ import annotations

from turnloop_core.api import Registrar, ToolEntry, hookimpl


@hookimpl
def register_tools(registrar: Registrar[ToolEntry]) -> None:
    for name in ("Glob", "Grep"):
        load = f"turnloop_search.{name.lower()}:create"
        registrar.add(ToolEntry(name, load, read_only=True, parallel_safe=True, remembered=True))
