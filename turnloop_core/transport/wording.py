"""Words and shapes that every adapter needs when it encodes: said once, alike on all wires."""

from __future__ import annotations

import re
from typing import Any

from turnloop_core.types.content import Image, Text
from turnloop_core.types.items import Summary
from turnloop_core.types.json_text import parse_json

NO_OUTPUT = "(no output)"
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
_RECORD = "A record of what happened before this point, for you to go on from:\n\n"


def summary_text(summary: Summary) -> str:
    """What the model reads in place of the items that a summary stands for."""
    return _RECORD + summary.text


def says_something(block: Text | Image) -> bool:
    """Whether a block may be sent: some servers refuse a text of white space."""
    return isinstance(block, Image) or bool(block.text.strip())


def left_out(image: Image) -> str:
    """What stands for a picture where the model takes none."""
    size = f", {image.width}x{image.height}" if image.width and image.height else ""
    return f"[A picture ({image.media_type}{size}) is left out: this model takes text only.]"


def wire_name(name: str) -> str:
    """A name of a tool that servers accept: letters, digits, `_` and `-`, at most 64.

    What the model really wrote stands in the error result.
    """
    return _NOT_IN_NAMES.sub("_", name)[:64] or "unknown"


def arguments_object(arguments: str) -> dict[str, Any] | None:
    """The arguments of a call as an object, None when they are none: servers refuse a history with
    anything else, so that an empty object is sent, and the error result says what was wrong.
    """
    try:
        value = parse_json(arguments)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
