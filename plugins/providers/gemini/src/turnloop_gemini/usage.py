"""Token counts: told again with each chunk, the newest are the right ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnloop_core.api import Usage, token_count


class Counts:
    """The counts of one answer, as far as they were told."""

    def __init__(self) -> None:
        self._told: dict[str, Any] = {}

    def note(self, metadata: Any) -> bool:
        """Take the `usageMetadata` of a chunk; what it leaves out stays as it was.

        Returns:
            Whether it said anything.
        """
        if not isinstance(metadata, Mapping) or not metadata:
            return False
        self._told.update(metadata)
        return True

    @property
    def usage(self) -> Usage:
        """So that no count overlaps another: the prompt holds what came from the cache."""
        if not self._told:
            return Usage(reported=False)
        prompt = self._count("promptTokenCount") + self._count("toolUsePromptTokenCount")
        cached = min(self._count("cachedContentTokenCount"), prompt)
        thoughts = self._count("thoughtsTokenCount")
        return Usage(
            input=prompt - cached,
            output=self._count("candidatesTokenCount") + thoughts,
            cache_read=cached,
            reasoning=thoughts,
        )

    def on_the_wire(self) -> dict[str, int | None]:
        """In the wire's own terms, None for what it did not mention."""
        usage = self.usage
        return {
            "input": usage.total_input if "promptTokenCount" in self._told else None,
            "output": usage.output if self._told else None,
            "cache_read": usage.cache_read if "cachedContentTokenCount" in self._told else None,
            "cache_write": None,
        }

    def _count(self, name: str) -> int:
        return token_count(self._told.get(name)) or 0
