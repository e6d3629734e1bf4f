"""Token counts, which come twice: an opening account, and one that corrects it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnloop_core.api import Usage, token_count

_READ = {
    "input": "input_tokens",
    "cache_read": "cache_read_input_tokens",
    "cache_write": "cache_creation_input_tokens",
}


class Counts:
    """Merges the counts of one reply.

    A later count stands for an earlier one. Where nothing is said, or only zeros (as gateways do
    that know the input at the start alone), what was there before stays.
    """

    def __init__(self) -> None:
        self._said: dict[str, int] = {}
        self._thoughts = 0

    def take(self, usage: Any) -> None:
        """Take a `usage` object; anything else is passed over."""
        if not isinstance(usage, Mapping):
            return
        read = {ours: token_count(usage.get(theirs)) for ours, theirs in _READ.items()}
        counted = any(read.values())
        for name, value in read.items():
            if value is not None and (counted or name not in self._said):
                self._said[name] = value
        output = token_count(usage.get("output_tokens"))
        if output is not None:
            self._said["output"] = max(output, self._said.get("output", 0))
        details = usage.get("output_tokens_details")
        if isinstance(details, Mapping):
            self._thoughts = token_count(details.get("thinking_tokens")) or self._thoughts

    def usage(self) -> Usage:
        """The counts so far; they do not overlap on this wire."""
        said = self._said
        output = said.get("output", 0)
        return Usage(
            input=said.get("input", 0),
            output=output,
            cache_read=said.get("cache_read", 0),
            cache_write=said.get("cache_write", 0),
            reasoning=min(self._thoughts, output),
            reported=bool(said),
        )

    def told(self) -> Mapping[str, int | None]:
        """The counts as the wire told them, None for what it did not mention."""
        return {name: self._said.get(name) for name in (*_READ, "output")}
