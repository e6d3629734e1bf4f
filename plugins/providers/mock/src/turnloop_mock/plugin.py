"""Registers the mock provider, its preset, the default provider and `tl demo`."""

from __future__ import annotations

from turnloop_core.api import CommandEntry, ProviderEntry, Registrar, SettingsEntry, hookimpl


@hookimpl
def register_providers(registrar: Registrar[ProviderEntry]) -> None:
    registrar.add(
        ProviderEntry(
            "mock",
            load="turnloop_mock.provider:create",
            options="turnloop_mock.options:MockOptions",
            presets={"mock": {"kind": "mock", "mode": "echo"}},
        )
    )


@hookimpl
def register_settings(registrar: Registrar[SettingsEntry]) -> None:
    registrar.add(SettingsEntry("mock", defaults={"provider": "mock"}))


@hookimpl
def register_commands(registrar: Registrar[CommandEntry]) -> None:
    registrar.add(
        CommandEntry(
            "demo",
            help="Repair a small bundled project with a scripted model: no key, no network.",
            load="turnloop_mock.demo:command",
        )
    )
