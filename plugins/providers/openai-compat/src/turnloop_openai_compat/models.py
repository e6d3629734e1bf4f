"""What is known of models, by their exact ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from turnloop_core.api import Capabilities

_GPT = Capabilities(supports_vision=True, supports_prompt_caching=True, known=True)

KNOWN: Mapping[str, Capabilities] = {
    "gpt-4.1": replace(
        _GPT,
        max_context=1_047_576,
        max_output=32_768,
        price_in_per_mtok=2.0,
        price_out_per_mtok=8.0,
        price_cached_per_mtok=0.5,
    ),
    "gpt-4o-mini": replace(
        _GPT,
        max_context=128_000,
        max_output=16_384,
        price_in_per_mtok=0.15,
        price_out_per_mtok=0.6,
        price_cached_per_mtok=0.075,
    ),
}
