"""A wire as a tool can look at it: what `tl debug wire` reads recordings with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from turnloop_core.errors import ProviderError
from turnloop_core.transport.request import Decoder, Framing
from turnloop_core.transport.speaker import Speaker
from turnloop_core.transport.sse import SseParser
from turnloop_core.values import dataclass


class TellingDecoder(Decoder, Protocol):
    """A decoder that also tells what it has heard in the wire's own terms.

    Attributes:
        raw_stop: the wire's word for why the reply ended; "" when none came.
        late_error: an error that came after the reply was whole and only says again why it ended.
    """

    raw_stop: str
    late_error: ProviderError | None

    def counts(self) -> Mapping[str, int | None]:
        """`input`, `output`, `cache_read` and `cache_write` as the wire gave them so far.

        None for what it did not mention. `output` includes reasoning.
        """
        ...


def _no_seals(_: Any) -> tuple[int, int]:
    return 0, 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WireFormat:
    """How a recorded answer of one kind of provider is read.

    Attributes:
        decoder: makes a decoder for one answer.
        framing: cuts the bytes into events.
        seals: the data of an `OpaqueData` -> how many signatures it holds, and how many blocks
            without readable text.
        input_includes_cache: the wire counts tokens from the cache within `input`.
    """

    decoder: Callable[[Speaker], TellingDecoder]
    framing: Callable[[], Framing] = SseParser
    seals: Callable[[Any], tuple[int, int]] = _no_seals
    input_includes_cache: bool = True
