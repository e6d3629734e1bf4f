"""Arguments of a call: from the model's text to what the tool's model accepts, or to words that
say what is wrong and what to do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from turnloop_core.loop.parts import Offered, Toolbox
from turnloop_core.nearest import best
from turnloop_core.registry import did_you_mean
from turnloop_core.types.edits import holds_trim_marker
from turnloop_core.types.json_text import parse_json
from turnloop_core.types.results import ErrorKind, Refusal

MAX_COMPLAINTS = 8
_PART = re.compile(r"t|tr|tru|f|fa|fal|fals|n|nu|nul|-|\.|[eE][+-]?")
_PART_OF_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{0,4}\Z")


def unknown_tool(name: str, tools: Toolbox) -> Refusal:
    """There is no such tool."""
    hint = did_you_mean(name, tools.names)
    return Refusal(
        ErrorKind.UNKNOWN_TOOL,
        f"There is no tool called {name!r}; nothing was run ({hint}). "
        f"Call one of: {', '.join(tools.names)}.",
    )


def parse(name: str, raw: str) -> dict[str, Any] | Refusal:
    """The JSON object in `raw`. An empty text is an empty object: some servers send that."""
    if not raw.strip():
        return {}
    try:
        value = parse_json(raw)
    except json.JSONDecodeError as error:
        return _not_json(name, raw, error)
    except ValueError as error:
        return Refusal(
            ErrorKind.MALFORMED_ARGUMENTS,
            f"The arguments of {name} are not valid JSON ({error}); nothing was run. "
            "Call it again with one JSON object.",
        )
    if not isinstance(value, dict):
        return Refusal(
            ErrorKind.MALFORMED_ARGUMENTS,
            f"The arguments of {name} must be one JSON object, not {_json_name(value)}; "
            "nothing was run. Call it again.",
        )
    return value


def _json_name(value: object) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


def _not_json(name: str, raw: str, error: json.JSONDecodeError) -> Refusal:
    if _stops(raw.rstrip(), error):
        return Refusal(
            ErrorKind.TRUNCATED_ARGUMENTS,
            f"The arguments of {name} stop in the middle, after {len(raw):,} characters; nothing "
            "was run. Call it again with the whole arguments; if they are long, in smaller parts.",
        )
    return Refusal(
        ErrorKind.MALFORMED_ARGUMENTS,
        f"The arguments of {name} are not valid JSON: {error.msg} at line {error.lineno}, column "
        f"{error.colno}. Nothing was run. Call it again with one JSON object.",
    )


def _stops(text: str, error: json.JSONDecodeError) -> bool:
    """Whether the text was right as far as it goes: also within a literal, number or escape."""
    if error.pos >= len(text) or error.msg.startswith("Unterminated string"):
        return True
    if error.msg.startswith("Invalid \\uXXXX"):
        return bool(_PART_OF_ESCAPE.search(text))
    return bool(_PART.fullmatch(text, error.pos))


def validate(offered: Offered, arguments: dict[str, Any]) -> Any | Refusal:
    """The arguments as the tool's own model, or what does not fit."""
    from pydantic import ValidationError

    name = offered.entry.name
    if not offered.entry.read_only and any(holds_trim_marker(t) for t in _texts(arguments)):
        return Refusal(
            ErrorKind.TRIMMED_MARKER,
            f"{name} was not run: its arguments hold a marker that stands for text which was left "
            "out of this conversation to save room. Read the file for its real content, and use "
            "that.",
        )
    try:
        return offered.tool.arguments.model_validate(arguments)
    except ValidationError as error:
        names = tuple(getattr(offered.tool.arguments, "model_fields", ()))
        complaints = [_complaint(e, names) for e in error.errors(include_url=False)]
        more = len(complaints) - MAX_COMPLAINTS
        if more > 0:
            complaints = [*complaints[:MAX_COMPLAINTS], f"and {more} more"]
        return Refusal(
            ErrorKind.SCHEMA_VIOLATION,
            f"The arguments of {name} do not fit; nothing was run. {'; '.join(complaints)}. "
            "Call it again with arguments that fit its schema.",
        )
    except ValueError as error:
        return Refusal(
            ErrorKind.SCHEMA_VIOLATION,
            f"The arguments of {name} do not fit; nothing was run. {error}. "
            "Call it again with arguments that fit its schema.",
        )
    except Exception as error:  # a foreign model's own validator may raise anything
        return Refusal(
            ErrorKind.EXCEPTION,
            f"{name} was not run: its arguments could not be checked "
            f"({type(error).__name__}: {error}). Try other arguments.",
        )


def _texts(value: Any) -> Iterator[str]:
    """All strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _complaint(error: Any, names: tuple[str, ...]) -> str:
    where = ".".join(str(part) for part in error["loc"]) or "the object"
    if error["type"] == "missing":
        return f"{where} is missing"
    if error["type"] == "extra_forbidden":
        near = best(str(error["loc"][-1]), names) if len(error["loc"]) == 1 else ""
        return f"{where} is not an argument of this tool" + (f": use {near}" if near else "")
    said = error["msg"].removeprefix("Value error, ")
    return f"{where}: {said[:1].lower()}{said[1:]}"
