"""The wire for those who look at recordings of it."""

from __future__ import annotations

from typing import Any

from turnloop_anthropic.decode import Decoder
from turnloop_core.api import WireFormat


def seals(data: Any) -> tuple[int, int]:
    """How many signatures and how many unreadable blocks the data of an `OpaqueData` holds."""
    if not isinstance(data, dict):
        return 0, 0
    return int("signature" in data), int("redacted" in data)


WIRE = WireFormat(decoder=Decoder, seals=seals, input_includes_cache=False)
