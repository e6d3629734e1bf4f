"""The provider that comes ready: what would stand under `providers` in settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ALIAS = "gemini-flash-latest"

# An alias, since a pinned model is retired within a year, and some are closed to new keys.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "gemini": {
        "kind": "gemini",
        "model": ALIAS,
        "api_key_env": "GEMINI_API_KEY",
        "vendor": "google",
    },
}
