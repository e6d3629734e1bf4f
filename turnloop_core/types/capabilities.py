"""What a model can do, declared per exact model id."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from turnloop_core.values import dataclass

ReasoningBinding = Literal["none", "last_turn", "prefix"]
ThinkingOff = Literal["flag", "lowest_effort", "never"]
Thinking = Literal["on", "off", "low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model can do. The defaults are the conservative ones for an unknown model.

    Attributes:
        max_context: window in tokens, prompt and completion together.
        max_output: tokens that one reply may have.
        supports_vision: takes pictures.
        supports_prompt_caching: charges less for a prefix that it has seen.
        reasoning: the model thinks before it answers.
        needs_reasoning_back: its reasoning must stay in the history (preserved thinking).
        reasoning_binding: how far back history must stay as it was for opaque reasoning to be
            accepted.
        thinking_off: how thinking can be reduced.
        max_concurrent_requests: requests in flight at once, 0 for no limit.
        price_in_per_mtok: US dollars for a million input tokens, None when unknown.
        price_out_per_mtok: the same for output tokens.
        price_cached_per_mtok: the same for input tokens read from the cache.
        price_cache_write_per_mtok: the same for input tokens written to the cache.
        cost_per_hour: US dollars for an hour of wall clock, None for models billed by tokens.
        known: False when nobody declared this model and these are the defaults.
    """

    max_context: int = 32_768
    max_output: int = 4_096
    supports_vision: bool = False
    supports_prompt_caching: bool = False
    reasoning: bool = False
    needs_reasoning_back: bool = False
    reasoning_binding: ReasoningBinding = "none"
    thinking_off: ThinkingOff = "never"
    max_concurrent_requests: int = 0
    price_in_per_mtok: float | None = None
    price_out_per_mtok: float | None = None
    price_cached_per_mtok: float | None = None
    price_cache_write_per_mtok: float | None = None
    cost_per_hour: float | None = None
    known: bool = False

    def priced(
        self, read: float, write: float, cached: float, cache_write: float | None = None
    ) -> Capabilities:
        """The same at these prices, US dollars for a million tokens."""
        return replace(
            self,
            price_in_per_mtok=read,
            price_out_per_mtok=write,
            price_cached_per_mtok=cached,
            price_cache_write_per_mtok=cache_write,
        )
