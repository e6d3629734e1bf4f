"""Calls that a server left as text: they are reported, and never run.

Models write their calls in a markup of their own, and a server without the parser for it passes
the markup on as text or as reasoning. What stands in text may also be a quotation, so nothing is
ever taken for a call. Even a report needs more than the markup: it begins a line or a sentence (or
is a token that only models write), it names a tool that was offered, and the text ends with the
call. An answer that explains the markup goes on after it, or shows it as code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

# Tokens of models: where a server prints them at all, they may stand anywhere in a line.
_SPECIAL = (
    r"<\|python_tag\|>|<\|tool_calls?(?:_begin|_section_begin|_start)?\|>|\[TOOL_CALLS\]"
    r"|<\uff5ctool\u2581calls?\u2581begin\uff5c>"
    r"|<\|channel\|>commentary to=functions\.|<\|start\|>assistant to=functions\."
)
# Tags that people write too: they count only where they begin a line or follow a sentence.
_TAG = (
    r"<(?:[\w-]+:)?(?:tool_calls?|function_calls?|tool_code)>|<function="
    r"|<(?:[\w-]+:|\uff5cDSML\uff5c)?invoke name=|<start_function_call>|functools(?=\[)"
    r"|(?:assistant)?commentary to=functions\."
)
_MARK = re.compile(rf"(?P<token>{_SPECIAL})|{_TAG}")
# Between the markup and what it holds there is a name at most, and more tokens.
_OPENING = re.compile(r'(?:[\w.:=>"-]|\s*<\|\w+\|>|\s+json\b){0,100}\s*(?=[\[({])')
_CLOSER = (
    r"(?:</(?:[\w-]+:|\uff5cDSML\uff5c)?"
    r"(?:tool_calls?|function_calls?|tool_code|function|invoke|parameter|arg_value)>"
    r"|<\|(?:call|eom_id|eot_id|im_end|end|\w+_end)\|>|<\uff5ctool\u2581\w+\u2581end\uff5c>"
    r"|\[/TOOL_CALLS\]|<end_function_call>)"
)
_CLOSED = re.compile(rf"{_CLOSER}\Z")
_BETWEEN = re.compile(rf"(?:[\s;,]|{_CLOSER})*")
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`", re.DOTALL)
_ONLY_FENCE = re.compile(r"\A```[\w-]*[ \t]*\n(.*?)\n?```\Z", re.DOTALL)
_NEAR = 200  # characters after the markup within which the name stands
_MOST = 32  # marks that are looked at, the last ones: each costs a reading of the text
_JSON = json.JSONDecoder(strict=False)


def stray_call(text: str, names: Collection[str]) -> str:
    """The tool whose call was left in a text, "" for none.

    Args:
        text: of a reply without calls.
        names: the tools that were offered.
    """
    text = text.strip()
    only = _ONLY_FENCE.match(text)
    whole = (only.group(1) if only else text).strip()
    by_folded = {name.casefold(): name for name in names}
    return _objects(whole, by_folded) or _markup(text, by_folded)


def _markup(text: str, names: dict[str, str]) -> str:
    marks = list(_MARK.finditer(text))[-_MOST:]
    if not marks or not names:
        return ""
    either = "|".join(re.escape(name) for name in sorted(names.values(), key=len, reverse=True))
    named = re.compile(rf"(?<![\w-])(?:{either})(?![\w-])", re.IGNORECASE)
    code = [found.span() for found in _CODE.finditer(text)]
    for mark in marks:
        if not (_is_free(text, mark) if mark["token"] else _begins_a_line(text, mark.start())):
            continue
        if any(start <= mark.start() < end for start, end in code):
            continue
        name = named.search(text, mark.end(), mark.end() + _NEAR)
        if name and _ends_the_text(text, mark.end()):
            return names.get(name.group().casefold(), "")
    return ""


def _is_free(text: str, mark: re.Match[str]) -> bool:
    """Whether it does not stand in quotation marks."""
    return text[max(mark.start() - 1, 0)] not in "\"'\u201c\u2018\u00ab"


def _begins_a_line(text: str, place: int) -> bool:
    """Whether nothing but blanks, other markup or a whole sentence stands before it in its line.

    What follows a colon, or a word of the same sentence, is an example more often than a call.
    """
    before = _MARK.sub("", text[text.rfind("\n", 0, place) + 1 : place]).strip()
    return not before or before[-1] in ".!?\u2026\u3002"


def _ends_the_text(text: str, place: int) -> bool:
    """Whether from `place` on there are calls, and nothing after them."""
    if _CLOSED.search(text, place):
        return True
    while opening := _OPENING.match(text, place):
        read = _value(text, opening.end())
        if read is None:  # as a call of Python; or as bad JSON: perhaps why the server left it
            return text[-1] in "}])"
        place = _past(text, read[1])
        if place == len(text):
            return True
        following = _MARK.match(text, place)
        if following is None:
            return False
        place = following.end()
    return False


def _value(text: str, place: int) -> tuple[Any, int] | None:
    """The JSON value that begins at `place`, and where it ends."""
    try:
        return _JSON.raw_decode(text, place)
    except (ValueError, RecursionError):
        return None


def _past(text: str, place: int) -> int:
    between = _BETWEEN.match(text, place)
    return between.end() if between else place


def _objects(text: str, names: dict[str, str]) -> str:
    """A reply that is nothing but objects with a tool's name and arguments."""
    first, place = "", 0
    while place < len(text):
        read = _value(text, place) if text[place] in "{[" else None
        if read is None:
            return ""
        calls = read[0] if isinstance(read[0], list) else [read[0]]
        named = [_called(call, names) for call in calls]
        if not named or not all(named):
            return ""
        first = first or named[0]
        place = _past(text, read[1])
    return first


def _called(value: Any, names: dict[str, str]) -> str:
    """The tool that a JSON value calls."""
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        value = value["function"]
    if not isinstance(value, dict):
        return ""
    name = value.get("name") or value.get("tool") or value.get("function")
    arguments = value.get("arguments", value.get("parameters"))
    return names.get(name.casefold(), "") if isinstance(name, str) and arguments is not None else ""
