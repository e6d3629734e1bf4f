"""An item of the conversation as content blocks, each encoded on its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from turnloop_core.api import (
    NO_OUTPUT,
    Call,
    Image,
    Item,
    Reasoning,
    Reply,
    Result,
    Text,
    Turn,
    arguments_object,
    dumps,
    left_out,
    says_something,
    user_blocks,
    wire_name,
)

Role = Literal["user", "assistant"]

# Ids that the service makes are long and random: no two of a conversation are alike. Others may
# be anything, and the same in every reply.
_OWN_ID = re.compile(r"toolu_[a-zA-Z0-9_-]{16,58}")
_NOT_IN_IDS = re.compile(r"[^a-zA-Z0-9_-]")
_KEPT_OF_ID = 32  # characters; the id is at most 64 with what is added


class Block(NamedTuple):
    """A content block as it goes out: a JSON object."""

    role: Role
    json: bytes


@dataclass(frozen=True, slots=True)
class Look:
    """What the blocks of an item depend on, beside the item.

    Attributes:
        origin: the model that is asked, as replies name it: thoughts go back to their maker only.
        vision: it takes pictures.
        carries: thoughts are sent back.
    """

    origin: str
    vision: bool
    carries: bool


def encode_item(item: Item, look: Look) -> Sequence[Block]:
    """The blocks of one item, in the order in which they are sent; none when it says nothing."""
    return _turn(item, look) if isinstance(item, Turn) else _user(user_blocks(item), look)


def _user(blocks: Sequence[Text | Image], look: Look) -> list[Block]:
    return [Block("user", dumps(_content(block, look))) for block in blocks]


def _content(block: Text | Image, look: Look) -> dict[str, Any]:
    if isinstance(block, Text):
        return {"type": "text", "text": block.text}
    if not look.vision:
        return {"type": "text", "text": left_out(block)}
    source = {"type": "base64", "media_type": block.media_type, "data": block.data}
    return {"type": "image", "source": source}


def _turn(turn: Turn, look: Look) -> list[Block]:
    ids = call_ids(turn)
    said = [Block("assistant", dumps(block)) for block in _said(turn.reply, ids, look)]
    if not ids and not any(isinstance(b, Text) and says_something(b) for b in turn.reply.blocks):
        return []  # nothing, or thoughts alone, which may not stand alone
    results = [
        Block("user", dumps(_result(call_id, result, look)))
        for call_id, result in zip(ids, turn.results, strict=True)
    ]
    return [*said, *results, *_pictures_of_failures(turn.results, look)]


def _said(reply: Reply, ids: Sequence[str], look: Look) -> Iterator[dict[str, Any]]:
    mine = look.carries and reply.origin == look.origin
    calls = iter(ids)
    for block in reply.blocks:
        match block:
            case Reasoning() if mine and (thought := sealed(block)) is not None:
                yield thought
            case Text() if says_something(block):
                yield {"type": "text", "text": block.text}
            case Call():
                yield {
                    "type": "tool_use",
                    "id": next(calls),
                    "name": wire_name(block.name),
                    "input": arguments_object(block.arguments) or {},
                }


def sealed(block: Reasoning) -> dict[str, Any] | None:
    """A thought as the server made it; None when it holds no proof that the server did."""
    opaque = block.opaque if isinstance(block.opaque, dict) else {}
    if isinstance(data := opaque.get("redacted"), str) and data:
        return {"type": "redacted_thinking", "data": data}
    if isinstance(signature := opaque.get("signature"), str) and signature:
        return {"type": "thinking", "thinking": block.text, "signature": signature}
    return None


def call_ids(turn: Turn) -> list[str]:
    """The ids of a turn's calls as they are sent: the same whenever, and no two alike.

    Ids of other makers are told apart by the turn's number, which is its own in a conversation.
    """
    ids: list[str] = []
    for place, call in enumerate(turn.reply.calls):
        if _OWN_ID.fullmatch(call.id):
            ids.append(call.id)
        else:
            start = _NOT_IN_IDS.sub("_", call.id)[:_KEPT_OF_ID] or "call"
            ids.append(f"{start}-{turn.id}-{place}")
    return ids


def _result(call_id: str, result: Result, look: Look) -> dict[str, Any]:
    content = [
        _content(block, look)
        for block in result.content
        if says_something(block) and not _is_apart(block, result, look)
    ]
    answer: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": call_id,
        "content": content or [{"type": "text", "text": NO_OUTPUT}],
    }
    return answer if result.ok else answer | {"is_error": True}


def _is_apart(block: Text | Image, result: Result, look: Look) -> bool:
    """A result that is marked as an error takes text only: its pictures follow the results."""
    return isinstance(block, Image) and look.vision and not result.ok


def _pictures_of_failures(results: Sequence[Result], look: Look) -> list[Block]:
    pictures = [b for r in results for b in r.content if _is_apart(b, r, look)]
    return _user(pictures, look)
