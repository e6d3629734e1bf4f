"""What is known of models, by their exact ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from turnloop_core.api import Capabilities

Style = Literal["budget", "adaptive", "none"]

_CLAUDE = Capabilities(
    max_context=200_000,
    max_output=64_000,
    supports_vision=True,
    supports_prompt_caching=True,
    reasoning=True,
    # The API wants the thoughts of the tool loop that is going on, and passes older ones over.
    reasoning_binding="last_turn",
    thinking_off="flag",
    known=True,
)
_LARGE = replace(_CLAUDE, max_context=1_000_000, max_output=128_000)
_ALWAYS = replace(_LARGE, thinking_off="lowest_effort")  # refuses `disabled`


def _priced(can: Capabilities, read: float, write: float, cached: float) -> Capabilities:
    """Writing to the cache for five minutes costs a quarter more than reading."""
    return can.priced(read, write, cached, read * 1.25)


def _bound(can: Capabilities) -> Capabilities:
    """For models whose thoughts are refused once anything before them has changed."""
    return replace(can, reasoning_binding="prefix")


_OPUS_4_1 = _priced(replace(_CLAUDE, max_output=32_000), 15.0, 75.0, 1.5)
_OPUS_4_5 = _priced(_CLAUDE, 5.0, 25.0, 0.5)
_SONNET_4_5 = _priced(_CLAUDE, 3.0, 15.0, 0.3)
_HAIKU_4_5 = _priced(_CLAUDE, 1.0, 5.0, 0.1)

# Told to think by a number of tokens.
_BUDGET: Mapping[str, Capabilities] = {
    "claude-opus-4-1": _OPUS_4_1,
    "claude-opus-4-1-20250805": _OPUS_4_1,
    "claude-opus-4-5": _OPUS_4_5,
    "claude-opus-4-5-20251101": _OPUS_4_5,
    "claude-sonnet-4-5": _SONNET_4_5,
    "claude-sonnet-4-5-20250929": _SONNET_4_5,
    "claude-haiku-4-5": _HAIKU_4_5,
    "claude-haiku-4-5-20251001": _HAIKU_4_5,
}
# Think as much as they see fit, within an effort.
_ADAPTIVE: Mapping[str, Capabilities] = {
    "claude-opus-4-6": _priced(_LARGE, 5.0, 25.0, 0.5),
    "claude-opus-4-7": _priced(_LARGE, 5.0, 25.0, 0.5),
    "claude-opus-4-8": _priced(_LARGE, 5.0, 25.0, 0.5),
    "claude-opus-5": _priced(_LARGE, 5.0, 25.0, 0.5),
    "claude-opus-5-5": _priced(_bound(_ALWAYS), 4.0, 20.0, 0.2),
    "claude-sonnet-4-6": _priced(_LARGE, 3.0, 15.0, 0.3),
    "claude-sonnet-5": _priced(_LARGE, 2.0, 10.0, 0.2),
    "claude-sonnet-5-5": _priced(_bound(_ALWAYS), 2.0, 10.0, 0.1),
    "claude-haiku-5-5": _priced(_bound(_LARGE), 0.1, 0.5, 0.01),
    "claude-fable-5": _priced(_ALWAYS, 10.0, 50.0, 1.0),
    "claude-fable-5-1": _priced(_bound(_ALWAYS), 10.0, 50.0, 0.25),
    "claude-fable-5-2": _priced(_bound(_ALWAYS), 8.0, 40.0, 0.2),
}
KNOWN: Mapping[str, Capabilities] = {**_BUDGET, **_ADAPTIVE}


def style_of(model: str) -> Style | None:
    """How a model is told to think; None for a model that is not known."""
    if model in _BUDGET:
        return "budget"
    return "adaptive" if model in _ADAPTIVE else None
