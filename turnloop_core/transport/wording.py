"""Words and shapes that every adapter needs: said once, alike on all wires."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from turnloop_core.types.capabilities import Capabilities, Thinking
from turnloop_core.types.content import Image, PromptBlock, Text
from turnloop_core.types.items import NudgeItem, Prompt, Summary
from turnloop_core.types.json_text import parse_json
from turnloop_core.types.results import Result

NO_OUTPUT = "(no output)"
# Tokens that thoughts may take, where they count within the limit of a reply.
THOUGHTS: Mapping[str, int] = {"low": 2_048, "medium": 8_192, "on": 8_192, "high": 24_576}
MOST_TOKENS = 10**12  # a count beyond is none
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
_RECORD = "A record of what happened before this point, for you to go on from:\n\n"


def user_blocks(item: Prompt | NudgeItem | Summary) -> Sequence[PromptBlock]:
    """What the model reads of an item that is no turn, without what says nothing: some servers
    refuse a text of white space.
    """
    match item:
        case Prompt():
            blocks: Sequence[PromptBlock] = item.blocks
        case NudgeItem():
            blocks = (Text(item.text),)
        case Summary():
            blocks = (Text(_RECORD + item.text),)
    return [block for block in blocks if says_something(block)]


def says_something(block: Text | Image) -> bool:
    """Whether a block may be sent."""
    return isinstance(block, Image) or bool(block.text.strip())


def left_out(image: Image, why: str = "this model takes text only") -> str:
    """What stands for a picture that cannot be sent."""
    size = f", {image.width}x{image.height}" if image.width and image.height else ""
    return f"[A picture ({image.media_type}{size}) is left out: {why}.]"


def result_text(result: Result, *, vision: bool) -> str:
    """A result as text, for wires on which no picture can stand in it.

    Args:
        result: of a call.
        vision: its pictures follow elsewhere (`result_pictures`).
    """
    lines: list[str] = []
    for block in result.content:
        if isinstance(block, Text):
            lines += [block.text] if says_something(block) else []
        elif vision:
            lines.append(f"[A picture ({block.media_type}) follows.]")
        else:
            lines.append(left_out(block))
    return "\n".join(lines) or NO_OUTPUT


def result_pictures(results: Sequence[Result]) -> Sequence[PromptBlock]:
    """The pictures of a turn's results with a word on what they are; none without any."""
    images = [block for result in results for block in result.content if isinstance(block, Image)]
    note = Text("The pictures of the tool results above, in their order.")
    return [note, *images] if images else ()


def merged(body: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """`body` with `more` in it: objects are merged, a null takes a field out, anything else, lists
    too, replaces.
    """
    result = dict(body)
    for name, value in more.items():
        if value is None:
            result.pop(name, None)
        elif isinstance(value, Mapping):
            known = result.get(name)
            result[name] = merged(known if isinstance(known, Mapping) else {}, value)
        else:
            result[name] = value
    return result


def token_count(value: Any) -> int | None:
    """A count as a server told it; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 0 <= value <= MOST_TOKENS else None


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


def reply_limit(max_output: int, thinking: Thinking, can: Capabilities) -> int:
    """The limit of a reply on a wire that counts thoughts within it: what may be said, and room to
    think before, as far as the model can write that much.

    Args:
        max_output: tokens that may be said.
        thinking: how much the model is to think.
        can: what it can do.
    """
    if not can.reasoning or (thinking == "off" and can.thinking_off == "flag"):
        return max_output
    room = THOUGHTS["low" if thinking == "off" else thinking]
    return min(max_output + room, max(can.max_output, max_output))
