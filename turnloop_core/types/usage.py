"""Tokens of one request, as the provider reports them."""

from __future__ import annotations

from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request.

    The four counts never overlap: adapters whose wire counts cached tokens within the input
    subtract them.

    Attributes:
        input: tokens read that were in no cache.
        output: tokens written, reasoning included.
        cache_read: tokens read from the provider's cache.
        cache_write: tokens written to the provider's cache.
        reasoning: the part of `output` that was reasoning; 0 when the wire does not say.
        reported: False when the provider said nothing and the counts are zero for that reason.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    reported: bool = True

    @property
    def total_input(self) -> int:
        """All tokens that the model read."""
        return self.input + self.cache_read + self.cache_write

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.reasoning + other.reasoning,
            self.reported and other.reported,
        )


NO_USAGE = Usage(reported=False)  # the provider said nothing
