"""An item of the view as the messages of this wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from turnloop_core.api import (
    Call,
    Image,
    Item,
    Reasoning,
    Reply,
    Result,
    Text,
    Turn,
    arguments_object,
    dataclass,
    dumps,
    left_out,
    result_pictures,
    result_text,
    user_blocks,
    wire_name,
)
from turnloop_openai_compat.details import FIELD, in_order
from turnloop_openai_compat.ids import wire_ids

Message = tuple[str, bytes]  # its role, and the whole of it


@dataclass(frozen=True, slots=True)
class Style:
    """What the messages of an item depend on, beside the item.

    Attributes:
        origin: `provider/model` that is asked.
        vision: it takes pictures.
        reasoning_field: the field in which it gets its readable reasoning back, "" for none.
        short_ids: the server takes ids of nine letters and digits.
        no_content: what stands for the text of a reply of calls alone.
    """

    origin: str
    vision: bool
    reasoning_field: str = ""
    short_ids: bool = False
    no_content: str | None = None


def messages_of(item: Item, style: Style) -> Sequence[Message]:
    """The messages of one item, none when it has nothing to say."""
    if isinstance(item, Turn):
        made = _turn(item.reply, item.results, style)
    else:
        made = _user(user_blocks(item), style)
    return [(str(message["role"]), dumps(message)) for message in made]


def _user(blocks: Sequence[Text | Image], style: Style) -> Sequence[dict[str, Any]]:
    parts = [_part(block, style) for block in blocks]
    if not parts:
        return ()
    if all(part["type"] == "text" for part in parts):
        return ({"role": "user", "content": "\n\n".join(part["text"] for part in parts)},)
    return ({"role": "user", "content": parts},)


def _part(block: Text | Image, style: Style) -> dict[str, Any]:
    if isinstance(block, Text):
        return {"type": "text", "text": block.text}
    if not style.vision:
        return {"type": "text", "text": left_out(block)}
    url = f"data:{block.media_type};base64,{block.data}"
    return {"type": "image_url", "image_url": {"url": url}}


def _turn(reply: Reply, results: Sequence[Result], style: Style) -> Sequence[dict[str, Any]]:
    calls = reply.calls
    text = reply.text if reply.text.strip() else None
    if text is None and not calls:
        return ()
    own = reply.origin == style.origin
    ids = wire_ids([call.id for call in calls], own=own, short=style.short_ids)
    content = style.no_content if text is None else text
    assistant: dict[str, Any] = {"role": "assistant", "content": content}
    if own:
        assistant |= _reasoning(reply, style)
    if calls:
        assistant["tool_calls"] = [_call(i, call) for i, call in zip(ids, calls, strict=True)]
    answers = [_result(i, result, style) for i, result in zip(ids, results, strict=True)]
    return (assistant, *answers, *_pictures(results, style))


def _reasoning(reply: Reply, style: Style) -> dict[str, Any]:
    """What the model that made this reply gets back of its thoughts."""
    fields: dict[str, Any] = {}
    if style.reasoning_field and reply.reasoning.strip():
        fields[style.reasoning_field] = reply.reasoning
    kept = [block.opaque for block in reply.blocks if isinstance(block, (Reasoning, Call))]
    if details := in_order(kept):
        fields[FIELD] = details
    return fields


def _call(call_id: str, call: Call) -> dict[str, Any]:
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": wire_name(call.name), "arguments": _arguments(call.arguments)},
    }


def _arguments(arguments: str) -> str:
    """As they came: written anew, they would be another text to the server's cache."""
    return "{}" if arguments_object(arguments) is None else arguments


def _result(call_id: str, result: Result, style: Style) -> dict[str, Any]:
    content = result_text(result, vision=style.vision)
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def _pictures(results: Sequence[Result], style: Style) -> Sequence[dict[str, Any]]:
    """Pictures cannot stand in a tool message: they follow in one of the user's."""
    return _user(result_pictures(results), style) if style.vision else ()
