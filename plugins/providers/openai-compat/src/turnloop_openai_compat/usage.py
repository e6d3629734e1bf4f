"""Token counts out of the many forms in which servers give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnloop_core.api import Usage, token_count


def find_usage(chunk: Mapping[str, Any], choice: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The `usage` object of a chunk, wherever it stands; empty when there is none."""
    usage = chunk.get("usage")
    if not usage and choice is not None:
        usage = choice.get("usage")
    if not usage and isinstance(extra := chunk.get("x_groq"), dict):
        usage = extra.get("usage")
    return usage if isinstance(usage, dict) else {}


def counts(usage: Mapping[str, Any]) -> Mapping[str, int | None]:
    """The counts in the wire's own terms, None for what it did not mention."""
    details = _object(usage, "prompt_tokens_details")
    cached = [
        _said(details, "cached_tokens"),
        _said(usage, "prompt_cache_hit_tokens"),
        _said(usage, "cached_tokens"),
    ]
    said = [count for count in cached if count is not None]
    output = _said(usage, "completion_tokens")
    return {
        "input": _said(usage, "prompt_tokens"),
        "output": None if output is None else output + _uncounted_reasoning(usage),
        "cache_read": max(said) if said else None,
        "cache_write": _said(details, "cache_write_tokens"),
    }


def read_usage(usage: Mapping[str, Any]) -> Usage:
    """The counts of a `usage` object, so that none overlaps another.

    `prompt_tokens` includes what came from the cache, and what was written to it.
    """
    if not usage:
        return Usage(reported=False)
    told = counts(usage)
    prompt, output = told["input"] or 0, told["output"] or 0
    cached = min(told["cache_read"] or 0, prompt)
    written = min(told["cache_write"] or 0, prompt - cached)
    return Usage(
        input=prompt - cached - written,
        output=output,
        cache_read=cached,
        cache_write=written,
        reasoning=min(_reasoning(usage), output),
    )


def _uncounted_reasoning(usage: Mapping[str, Any]) -> int:
    """Some servers leave the reasoning out of `completion_tokens`, which the total shows."""
    reasoning = _reasoning(usage)
    rest = (_said(usage, "prompt_tokens") or 0) + (_said(usage, "completion_tokens") or 0)
    return reasoning if reasoning and _said(usage, "total_tokens") == rest + reasoning else 0


def _reasoning(usage: Mapping[str, Any]) -> int:
    return _said(_object(usage, "completion_tokens_details"), "reasoning_tokens") or 0


def _object(usage: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = usage.get(name)
    return value if isinstance(value, Mapping) else {}


def _said(usage: Mapping[str, Any], name: str) -> int | None:
    return token_count(usage.get(name))
