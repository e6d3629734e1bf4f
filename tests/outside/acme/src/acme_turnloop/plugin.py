"""Registers what this distribution brings. Imported at every start: nothing heavy in here."""

from __future__ import annotations

from turnloop_core.api import FactoryEntry, ProviderEntry, Registrar, ToolEntry, hookimpl

turnloop_api = 1


@hookimpl
def register_providers(registrar: Registrar[ProviderEntry]) -> None:
    registrar.add(
        ProviderEntry(
            "acme_desk",
            load="acme_turnloop.provider:create",
            options="turnloop_core.api:HttpOptions",
        )
    )


@hookimpl
def register_tools(registrar: Registrar[ToolEntry]) -> None:
    registrar.add(
        ToolEntry("Peek", "acme_turnloop.peek:create", read_only=True, parallel_safe=True)
    )


@hookimpl
def register_compactors(registrar: Registrar[FactoryEntry]) -> None:
    registrar.add(FactoryEntry("acme-newest", "acme_turnloop.newest:create"))
