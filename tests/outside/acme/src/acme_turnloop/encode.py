"""The view as the desk wants it: a transcript of who said what."""

from __future__ import annotations

from typing import Any

from turnloop_core.api import (
    Call,
    Image,
    Item,
    NudgeItem,
    Prompt,
    Request,
    Result,
    Summary,
    Text,
    Turn,
    dumps,
    parse_json,
)

Entry = dict[str, Any]


def head(request: Request) -> bytes:
    """Everything but the transcript, as an object whose brace is still open."""
    prefix = request.view.prefix
    tools = [
        {"title": tool.name, "about": tool.description, "takes": tool.parameters}
        for tool in prefix.tools
    ]
    value = {
        "engine": request.model,
        "room": request.max_output,
        "briefing": prefix.system,
        "toolbox": tools,
    }
    return dumps(value)[:-1]


def entries(item: Item) -> bytes:
    """The entries of one item, joined by commas; b"" when it says nothing."""
    return b",".join(dumps(entry) for entry in _entries(item))


def _entries(item: Item) -> list[Entry]:
    match item:
        case Prompt():
            return _person("\n\n".join(_plain(block) for block in item.blocks))
        case NudgeItem() | Summary():
            return _person(item.text)
        case Turn():
            return _turn(item)


def _person(text: str) -> list[Entry]:
    return [{"who": "person", "says": text}] if text.strip() else []


def _turn(turn: Turn) -> list[Entry]:
    calls = turn.reply.calls
    said: Entry = {"who": "engine"}
    if turn.reply.text.strip():
        said["says"] = turn.reply.text
    if calls:
        said["asks"] = [
            {"ticket": c.id, "tool": c.name, "with": _arguments(c.arguments)} for c in calls
        ]
    answers = [_answer(c, result) for c, result in zip(calls, turn.results, strict=True)]
    return [said, *answers] if len(said) > 1 else []


def _answer(call: Call, result: Result) -> Entry:
    says = "\n".join(words for block in result.content if (words := _plain(block)).strip())
    entry: Entry = {"who": "tool", "ticket": call.id, "says": says or "(nothing)"}
    return entry if result.ok else entry | {"failed": True}


def _plain(block: Text | Image) -> str:
    """The desk takes no pictures."""
    return block.text if isinstance(block, Text) else f"[a picture, {block.media_type}]"


def _arguments(text: str) -> dict[str, Any]:
    """As an object: what was none is told by the call's error result."""
    try:
        value = parse_json(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
