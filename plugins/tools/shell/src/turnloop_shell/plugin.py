"""Offers Bash."""

from __future__ import annotations

from turnloop_core.api import Registrar, ToolEntry, hookimpl


@hookimpl
def register_tools(registrar: Registrar[ToolEntry]) -> None:
    registrar.add(ToolEntry("Bash", "turnloop_shell.tool:create", remembered=True))
