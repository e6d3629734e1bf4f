"""The wire as tools look at it (`tl debug wire`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnloop_core.api import WireFormat
from turnloop_gemini.decode import SIGNATURE, Decoder


def seals(data: Any) -> tuple[int, int]:
    """A signature rides on a part; there are no blocks that hold nothing else."""
    return int(isinstance(data, Mapping) and SIGNATURE in data), 0


WIRE = WireFormat(decoder=Decoder, seals=seals, input_includes_cache=True)
