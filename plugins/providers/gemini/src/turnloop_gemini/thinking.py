"""How much to think, in the words of the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnloop_core.api import Thinking
from turnloop_gemini.models import Traits

# The numbers that the vendor itself puts for these words.
BUDGETS: Mapping[str, int] = {"on": -1, "low": 1_024, "medium": 8_192, "high": 24_576}


def thinking_config(thinking: Thinking, traits: Traits, limit: int) -> dict[str, Any] | None:
    """The `thinkingConfig` of a request; None leaves it out.

    "on" lets the model choose: a budget of -1, or no level. Thoughts come readable only when they
    are asked for. A budget leaves half of the reply's limit to what is said.

    Args:
        thinking: how much the model is to think.
        traits: of the model.
        limit: tokens of the whole reply.
    """
    if traits.style == "none":
        return None
    name = "thinkingBudget" if traits.style == "budget" else "thinkingLevel"
    if thinking == "off":
        return {name: traits.least, "includeThoughts": False}
    if traits.style == "budget":
        return {name: min(BUDGETS[thinking], limit // 2), "includeThoughts": True}
    if thinking == "on":
        return {"includeThoughts": True}
    return {name: thinking, "includeThoughts": True}
