"""What is known of models, by their exact ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from turnloop_core.api import Capabilities, dataclass

_GPT = Capabilities(supports_vision=True, supports_prompt_caching=True, known=True)
_LONG = replace(_GPT, max_context=1_047_576, max_output=32_768)
_OMNI = replace(_GPT, max_context=128_000, max_output=16_384)
_O = replace(
    _GPT, max_context=200_000, max_output=100_000, reasoning=True, thinking_off="lowest_effort"
)
# Of this window at most 272,000 tokens may be prompt, which is what the output leaves of it.
_FIVE = replace(_O, max_context=400_000, max_output=128_000)
# Takes tools on this wire with thinking off only.
_SILENT = replace(_GPT, max_context=1_050_000, max_output=128_000)


def _priced(can: Capabilities, read: float, written: float, cached: float) -> Capabilities:
    return replace(
        can, price_in_per_mtok=read, price_out_per_mtok=written, price_cached_per_mtok=cached
    )


KNOWN: Mapping[str, Capabilities] = {
    "gpt-4.1": _priced(_LONG, 2.0, 8.0, 0.5),
    "gpt-4.1-mini": _priced(_LONG, 0.4, 1.6, 0.1),
    "gpt-4.1-nano": _priced(_LONG, 0.1, 0.4, 0.025),
    "gpt-4o": _priced(_OMNI, 2.5, 10.0, 1.25),
    "gpt-4o-mini": _priced(_OMNI, 0.15, 0.6, 0.075),
    "o1": _priced(_O, 15.0, 60.0, 7.5),
    "o3": _priced(_O, 2.0, 8.0, 0.5),
    "o3-mini": _priced(replace(_O, supports_vision=False), 1.1, 4.4, 0.55),
    "o4-mini": _priced(_O, 1.1, 4.4, 0.275),
    "gpt-5": _priced(_FIVE, 1.25, 10.0, 0.125),
    "gpt-5-mini": _priced(_FIVE, 0.25, 2.0, 0.025),
    "gpt-5-nano": _priced(_FIVE, 0.05, 0.4, 0.005),
    "gpt-5.1": _priced(replace(_FIVE, thinking_off="flag"), 1.25, 10.0, 0.125),
    "gpt-5.6": _SILENT,
    "gpt-5.6-sol": _SILENT,
    "gpt-5.6-terra": _SILENT,
    "gpt-5.6-luna": _SILENT,
    # Served by many, at many prices: those come from the list of the entry's vendor.
    "openai/gpt-oss-120b": Capabilities(
        max_context=131_072,
        max_output=32_768,
        supports_prompt_caching=True,
        reasoning=True,
        thinking_off="lowest_effort",
        known=True,
    ),
}


@dataclass(frozen=True, slots=True)
class Efforts:
    """The words for effort that a model knows beyond low, medium and high.

    Attributes:
        on: what thinks, for a model that does not by itself; "" when it does.
        least: what thinks least.
        always: the one word that it takes together with tools.
    """

    on: str = ""
    least: str = "low"
    always: str = ""


USUAL = Efforts()
EFFORTS: Mapping[str, Efforts] = {
    "gpt-5": Efforts(least="minimal"),
    "gpt-5-mini": Efforts(least="minimal"),
    "gpt-5-nano": Efforts(least="minimal"),
    "gpt-5.1": Efforts(on="medium", least="none"),
    "gpt-5.6": Efforts(always="none"),
    "gpt-5.6-sol": Efforts(always="none"),
    "gpt-5.6-terra": Efforts(always="none"),
    "gpt-5.6-luna": Efforts(always="none"),
}
