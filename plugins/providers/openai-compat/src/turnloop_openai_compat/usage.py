"""Token counts out of the many forms in which servers give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnloop_core.api import Usage


def read_usage(usage: Mapping[str, Any]) -> Usage:
    """The counts of a `usage` object, so that none overlaps another.

    `prompt_tokens` includes what came from the cache; some servers leave the reasoning out of
    `completion_tokens`, which the total then shows.
    """
    if not usage:
        return Usage(reported=False)
    details = _object(usage, "prompt_tokens_details")
    prompt, output = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    cached = (
        _count(details, "cached_tokens")
        or _count(usage, "prompt_cache_hit_tokens")
        or _count(usage, "cached_tokens")
    )
    cached = min(cached, prompt)
    written = min(_count(details, "cache_write_tokens"), prompt - cached)
    reasoning = _count(_object(usage, "completion_tokens_details"), "reasoning_tokens")
    if reasoning and _count(usage, "total_tokens") == prompt + output + reasoning:
        output += reasoning
    return Usage(
        input=prompt - cached - written,
        output=output,
        cache_read=cached,
        cache_write=written,
        reasoning=min(reasoning, output),
    )


def _object(usage: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = usage.get(name)
    return value if isinstance(value, Mapping) else {}


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return int(value) if isinstance(value, (int, float)) and value > 0 else 0
