"""The view as a request body. Each item is encoded once; what was sent is never written anew."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from turnloop_core.api import (
    Call,
    Image,
    Item,
    ItemCache,
    NudgeItem,
    Prefix,
    Prompt,
    Reasoning,
    Reply,
    Request,
    Result,
    Summary,
    Text,
    Turn,
    View,
    dumps,
    parse_json,
)
from turnloop_openai_compat.options import OpenAICompatOptions

_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
_RECORD = "A record of what happened before this point, for you to go on from:\n\n"


@dataclass(frozen=True, slots=True)
class Style:
    """What the messages of an item depend on, beside the item."""

    origin: str
    vision: bool
    reasoning_field: str = ""


class Encoder:
    """Makes the bodies of one provider's requests.

    What does not change from request to request is kept as bytes: system prompt and tools, and the
    messages of the items that were there before. So a request costs what is new in it.
    """

    def __init__(self, options: OpenAICompatOptions) -> None:
        self._options = options
        self._cache: ItemCache[bytes] = ItemCache()
        self._opening: tuple[tuple[object, ...], Prefix, bytes] = ((), Prefix(), b"")
        self._sent: tuple[Style | None, tuple[Item, ...]] = (None, ())
        self._messages: list[bytes] = []  # of the items in `_sent`, each with a comma before it

    def body(self, request: Request, style: Style) -> Sequence[bytes]:
        """The body, in pieces. The messages stand last, and only grow from request to request."""
        messages = self._encoded(request.view, style)
        system = request.view.prefix.system
        if system.strip() or not messages:
            return (self._start(request), *messages, b"]}")
        return (self._start(request), messages[0][1:], *messages[1:], b"]}")

    def _start(self, request: Request) -> bytes:
        """Everything up to the system message; encoded again when a part of it is another."""
        wanted = (request.model, request.max_output, request.thinking)
        known, prefix, start = self._opening
        if known != wanted or prefix is not request.view.prefix:
            prefix = request.view.prefix
            start = dumps(self._head(request))[:-1] + b',"messages":['
            if prefix.system.strip():
                start += dumps({"role": "system", "content": prefix.system})
            self._opening = (wanted, prefix, start)
        return start

    def _encoded(self, view: View, style: Style) -> list[bytes]:
        """The messages of all items, each with a comma before it."""
        known_style, known = self._sent
        # Items keep their identity, so that comparing them is quick.
        if known_style == style and view.items[: len(known)] == known:
            new = [encode_item(item, style) for item in view.items[len(known) :]]
        else:
            self._messages = []
            new = self._cache.encoded(view.items, lambda item: encode_item(item, style), style)
        self._messages += [b"," + part for part in new if part]
        self._sent = (style, view.items)
        return self._messages

    def _head(self, request: Request) -> dict[str, Any]:
        options = self._options
        head: dict[str, Any] = {
            "model": request.model,
            "stream": True,
            "stream_options": {"include_usage": True},
            options.output_limit_field: request.max_output,
        }
        if request.view.prefix.tools:
            head["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.parameters,
                    },
                }
                for tool in request.view.prefix.tools
            ]
        if request.thinking != "off":
            head |= options.thinking_body
        head |= options.extra_body
        head.pop("messages", None)
        return {name: value for name, value in head.items() if value is not None}


def encode_item(item: Item, style: Style) -> bytes:
    """The messages of one item, joined by commas; b"" when it has nothing to say."""
    return b",".join(dumps(message) for message in _messages(item, style))


def _messages(item: Item, style: Style) -> Sequence[dict[str, Any]]:
    match item:
        case Turn():
            return _turn(item.reply, item.results, style)
        case Prompt():
            return _user(item.blocks, style)
        case NudgeItem():
            return _user((Text(item.text),), style)
        case Summary():
            return _user((Text(_RECORD + item.text),), style)


def _user(blocks: Sequence[Text | Image], style: Style) -> Sequence[dict[str, Any]]:
    parts = [_part(block, style) for block in blocks if _says_something(block)]
    if not parts:
        return ()
    if all(part["type"] == "text" for part in parts):
        return ({"role": "user", "content": "\n\n".join(part["text"] for part in parts)},)
    return ({"role": "user", "content": parts},)


def _says_something(block: Text | Image) -> bool:
    return isinstance(block, Image) or bool(block.text.strip())


def _part(block: Text | Image, style: Style) -> dict[str, Any]:
    if isinstance(block, Text):
        return {"type": "text", "text": block.text}
    if not style.vision:
        return {"type": "text", "text": _unseen(block)}
    url = f"data:{block.media_type};base64,{block.data}"
    return {"type": "image_url", "image_url": {"url": url}}


def _unseen(image: Image) -> str:
    size = f", {image.width}x{image.height}" if image.width and image.height else ""
    return f"[A picture ({image.media_type}{size}) is left out: this model takes text only.]"


def _turn(reply: Reply, results: Sequence[Result], style: Style) -> Sequence[dict[str, Any]]:
    calls = [block for block in reply.blocks if isinstance(block, Call)]
    text = reply.text if reply.text.strip() else None
    if text is None and not calls:
        return ()
    assistant: dict[str, Any] = {"role": "assistant", "content": text}
    if reply.origin == style.origin:
        assistant |= _reasoning(reply, style)
    if calls:
        assistant["tool_calls"] = [_call(call) for call in calls]
    answers = [_result(call, result, style) for call, result in zip(calls, results, strict=True)]
    return (assistant, *answers, *_pictures(results, style))


def _reasoning(reply: Reply, style: Style) -> dict[str, Any]:
    """What the model that made this reply gets back of its thoughts."""
    fields: dict[str, Any] = {}
    if style.reasoning_field and reply.reasoning.strip():
        fields[style.reasoning_field] = reply.reasoning
    details = [
        detail
        for block in reply.blocks
        if isinstance(block, (Reasoning, Call)) and isinstance(block.opaque, dict)
        for detail in block.opaque.get("reasoning_details", ())
    ]
    if details:
        fields["reasoning_details"] = details
    return fields


def _call(call: Call) -> dict[str, Any]:
    function = {"name": _name(call.name), "arguments": _arguments(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _name(name: str) -> str:
    """A name that servers accept; what the model really wrote stands in the error result."""
    return _NOT_IN_NAMES.sub("_", name)[:64] or "unknown"


def _arguments(arguments: str) -> str:
    """The arguments as they came when they are an object, else an empty one: servers refuse a
    history with anything else, and the error result says what was wrong.
    """
    try:
        value = parse_json(arguments)
    except ValueError:
        return "{}"
    return arguments if isinstance(value, dict) else "{}"


def _result(call: Call, result: Result, style: Style) -> dict[str, Any]:
    lines: list[str] = []
    for block in result.content:
        if isinstance(block, Text):
            lines += [block.text] if block.text.strip() else []
        elif style.vision:
            lines.append(f"[A picture ({block.media_type}) follows.]")
        else:
            lines.append(_unseen(block))
    content = "\n".join(lines) or "(no output)"
    return {"role": "tool", "tool_call_id": call.id, "content": content}


def _pictures(results: Sequence[Result], style: Style) -> Sequence[dict[str, Any]]:
    """Pictures cannot stand in a tool message: they follow in one of the user's."""
    images = [block for result in results for block in result.content if isinstance(block, Image)]
    if not images or not style.vision:
        return ()
    note = Text("The pictures of the tool results above, in their order.")
    return _user((note, *images), style)
