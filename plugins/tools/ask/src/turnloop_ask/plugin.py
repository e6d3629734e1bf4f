"""Offers AskUserQuestion."""

from __future__ import annotations

from turnloop_core.api import Registrar, ToolEntry, hookimpl


@hookimpl
def register_tools(registrar: Registrar[ToolEntry]) -> None:
    registrar.add(
        ToolEntry("AskUserQuestion", "turnloop_ask.tool:create", read_only=True, remembered=True)
    )
