"""The wire as a tool can look at it."""

from __future__ import annotations

from turnloop_core.api import WireFormat
from turnloop_openai_compat.decode import Decoder
from turnloop_openai_compat.details import seals

WIRE = WireFormat(decoder=Decoder, seals=seals)
