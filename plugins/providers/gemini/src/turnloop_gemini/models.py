"""What is known of models, by their exact ids: limits, prices, and how they are told to think."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from turnloop_core.api import Capabilities, dataclass

Style = Literal["budget", "level", "none"]


@dataclass(frozen=True, slots=True)
class Traits:
    """How one model differs on the wire.

    Attributes:
        style: how it is told how much to think.
        least: what it is told to think as little as it can: tokens of the budget, or a level.
        signs_calls: it refuses a first call of a step that bears no signature.
    """

    style: Style
    least: int | str
    signs_calls: bool = True


_THINKS = Capabilities(
    max_context=1_048_576,
    max_output=65_536,
    supports_vision=True,
    supports_prompt_caching=True,
    reasoning=True,
    reasoning_binding="last_turn",
    thinking_off="lowest_effort",
    known=True,
)


_CAN_STOP = replace(_THINKS, thinking_off="flag")

# Where no price stands it changes with a date, or with the model that an alias points to: the
# price library is asked.
KNOWN: Mapping[str, Capabilities] = {
    "gemini-flash-latest": _THINKS,
    "gemini-flash-lite-latest": _THINKS,
    "gemini-pro-latest": _THINKS,
    "gemini-4-argon": _THINKS,
    "gemini-3.8-flash": _THINKS,
    "gemini-3.7-flash": _THINKS,
    "gemini-3.6-flash": _THINKS,
    "gemini-3.5-flash": _THINKS.priced(1.5, 9.0, 0.15),
    "gemini-3.5-flash-lite": _THINKS.priced(0.3, 2.5, 0.03),
    "gemini-3.1-pro-preview": _THINKS.priced(2.0, 12.0, 0.2),
    "gemini-3.1-flash-lite": _THINKS.priced(0.25, 1.5, 0.025),
    "gemini-3-flash-preview": _THINKS.priced(0.5, 3.0, 0.05),
    "gemini-2.5-pro": _THINKS.priced(1.25, 10.0, 0.125),
    "gemini-2.5-flash": _CAN_STOP.priced(0.3, 2.5, 0.03),
    "gemini-2.5-flash-lite": _CAN_STOP.priced(0.1, 0.4, 0.01),
}

# An alias gets what every model takes that it may point to: the newest refuse `minimal`.
TRAITS: Mapping[str, Traits] = {
    "gemini-flash-latest": Traits("level", "low"),
    "gemini-flash-lite-latest": Traits("level", "low"),
    "gemini-pro-latest": Traits("level", "low"),
    "gemini-4-argon": Traits("level", "low"),
    "gemini-3.8-flash": Traits("level", "low"),
    "gemini-3.7-flash": Traits("level", "low"),
    "gemini-3.6-flash": Traits("level", "low"),
    "gemini-3.5-flash": Traits("level", "minimal"),
    "gemini-3.5-flash-lite": Traits("level", "minimal"),
    "gemini-3.1-pro-preview": Traits("level", "low"),
    "gemini-3.1-flash-lite": Traits("level", "minimal"),
    "gemini-3-flash-preview": Traits("level", "minimal"),
    "gemini-2.5-pro": Traits("budget", 128, signs_calls=False),
    "gemini-2.5-flash": Traits("budget", 0, signs_calls=False),
    "gemini-2.5-flash-lite": Traits("budget", 0, signs_calls=False),
}

_LEAST: Mapping[Style, int | str] = {"budget": 0, "level": "low", "none": ""}


def traits_of(model: str, style: Style | Literal[""], signs_calls: bool | None) -> Traits:
    """How `model` is spoken to.

    A model that is not known is told nothing of thinking, and is taken for one that wants
    signatures: all models since Gemini 3 do, and an id that this table lacks is newer than it.

    Args:
        model: exact id.
        style: what the settings say, "" when they say nothing.
        signs_calls: what the settings say, None when they say nothing.
    """
    known = TRAITS.get(model, Traits("none", ""))
    if style and style != known.style:
        known = Traits(style, _LEAST[style], known.signs_calls)
    if signs_calls is None:
        return known
    return Traits(known.style, known.least, signs_calls)
