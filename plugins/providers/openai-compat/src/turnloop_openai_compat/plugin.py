"""Registers the provider kind `openai_compat` and the presets that use it."""

from __future__ import annotations

from turnloop_core.api import ProviderEntry, Registrar, hookimpl
from turnloop_openai_compat.presets import PRESETS


@hookimpl
def register_providers(registrar: Registrar[ProviderEntry]) -> None:
    registrar.add(
        ProviderEntry(
            "openai_compat",
            load="turnloop_openai_compat.provider:create",
            options="turnloop_openai_compat.options:OpenAICompatOptions",
            presets=PRESETS,
            wire="turnloop_openai_compat.wire:WIRE",
        )
    )
