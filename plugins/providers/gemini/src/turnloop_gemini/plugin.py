"""Registers the provider kind `gemini` and the preset that uses it."""

from __future__ import annotations

from turnloop_core.api import ProviderEntry, Registrar, hookimpl
from turnloop_gemini.presets import PRESETS


@hookimpl
def register_providers(registrar: Registrar[ProviderEntry]) -> None:
    registrar.add(
        ProviderEntry(
            "gemini",
            load="turnloop_gemini.provider:create",
            options="turnloop_gemini.options:GeminiOptions",
            presets=PRESETS,
            wire="turnloop_gemini.wire:WIRE",
        )
    )
