"""Registers the provider kind `anthropic` and its preset."""

from __future__ import annotations

from turnloop_core.api import ProviderEntry, Registrar, hookimpl

PRESET = {
    "kind": "anthropic",
    "model": "claude-sonnet-4-5",
    "api_key_env": "ANTHROPIC_API_KEY",
    "vendor": "anthropic",
}


@hookimpl
def register_providers(registrar: Registrar[ProviderEntry]) -> None:
    registrar.add(
        ProviderEntry(
            "anthropic",
            load="turnloop_anthropic.provider:create",
            options="turnloop_anthropic.options:AnthropicOptions",
            presets={"anthropic": PRESET},
            wire="turnloop_anthropic.wire:WIRE",
        )
    )
