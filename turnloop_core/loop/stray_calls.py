"""Calls that a server left as text: they are reported, and never run.

Models write their calls in a markup of their own, and a server without the parser for it passes
the markup on as text or as reasoning. What stands in text may also be a quotation, so nothing is
ever taken for a call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection

_MARKUP = re.compile(
    r"<tool_calls?>|<function_calls?>|<function=|<invoke name=|\[TOOL_CALLS\]|<\|python_tag\|>"
    r"|<\|tool_calls?(_begin|_section_begin)?\|>|<\uff5ctool\u2581calls?\u2581begin\uff5c>|<start_function_call>"
    r"|^functools\[|<\|channel\|>commentary to=functions\.",
    re.MULTILINE,
)
_FENCE = re.compile(r"```.*?(```|\Z)", re.DOTALL)
_ONLY_FENCE = re.compile(r"\A```(?:json|tool_call|tool_code)?\s*\n(.*?)\n?```\Z", re.DOTALL)
_NEAR = 200  # characters after the markup within which the name stands


def stray_call(text: str, names: Collection[str]) -> str:
    """The tool whose call was left in a text, "" for none.

    Args:
        text: of a reply without calls.
        names: the tools that were offered.
    """
    text = text.strip()
    if found := _markup(text, names):
        return found
    only = _ONLY_FENCE.match(text)
    return _object((only.group(1) if only else text).strip(), names)


def _markup(text: str, names: Collection[str]) -> str:
    for mark in _MARKUP.finditer(_FENCE.sub("", text)):  # code that is shown is a quotation
        near = mark.string[mark.start() : mark.end() + _NEAR]
        for name in names:
            if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", near):
                return name
    return ""


def _object(text: str, names: Collection[str]) -> str:
    """A reply that is nothing but an object with a tool's name and arguments."""
    if not text.startswith("{") or not text.endswith("}"):
        return ""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(value, dict):
        return ""
    name = value.get("name") or value.get("tool") or value.get("function")
    arguments = value.get("arguments", value.get("parameters"))
    return name if isinstance(name, str) and name in names and arguments is not None else ""
