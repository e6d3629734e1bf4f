"""Offers Bash and BashOutput."""

from __future__ import annotations

from turnloop_core.api import Registrar, ToolEntry, hookimpl


@hookimpl
def register_tools(registrar: Registrar[ToolEntry]) -> None:
    registrar.add(ToolEntry("Bash", "turnloop_shell.tool:create", in_plan=True, remembered=True))
    registrar.add(
        ToolEntry(
            "BashOutput",
            "turnloop_shell.reading:create",
            read_only=True,
            parallel_safe=True,
            remembered=True,
        )
    )
