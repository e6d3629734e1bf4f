"""Items as contents: whose they are, and what stands in which part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

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
from turnloop_gemini.parts import CALL_ID, SIGNATURE

# The vendor's own word for a call that bears no signature: its validator lets it pass.
PLACEHOLDER = "skip_thought_signature_validator"
TAKES = ("image/png", "image/jpeg", "image/webp")  # others are refused, whatever the model

Kind = Literal["user", "model", "calls", "results"]
Part = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Content:
    """One content, encoded. A model's is of kind `calls` when it holds one."""

    kind: Kind
    data: bytes


@dataclass(frozen=True, slots=True)
class Look:
    """What the contents of an item depend on, beside the item.

    Attributes:
        origin: `provider/model` that is asked: vendor data goes back to it alone.
        vision: it takes pictures.
        signs_calls: it refuses calls without a signature.
    """

    origin: str
    vision: bool
    signs_calls: bool


def contents_of(item: Item, look: Look) -> Sequence[Content]:
    """The contents of one item, none when it has nothing to say."""
    if isinstance(item, Turn):
        return _turn(item.reply, item.results, look)
    return _user(user_blocks(item), look)


def _content(kind: Kind, parts: Sequence[Part]) -> Content:
    role = "user" if kind in ("user", "results") else "model"
    return Content(kind, dumps({"role": role, "parts": parts}))


def _user(blocks: Sequence[Text | Image], look: Look) -> Sequence[Content]:
    parts = [_shown(block, look) for block in blocks]
    return (_content("user", parts),) if parts else ()


def _shown(block: Text | Image, look: Look) -> Part:
    if isinstance(block, Text):
        return {"text": block.text}
    if not look.vision:
        return {"text": left_out(block)}
    if block.media_type not in TAKES:
        return {"text": left_out(block, "this provider takes PNG, JPEG and WEBP")}
    return {"inlineData": {"mimeType": block.media_type, "data": block.data}}


def _turn(reply: Reply, results: Sequence[Result], look: Look) -> Sequence[Content]:
    calls = reply.calls
    if not calls and not reply.text.strip():
        return ()
    own = reply.origin == look.origin
    said = _content("calls" if calls else "model", _said(reply, look, own=own))
    if not calls:
        return (said,)
    answers = [
        _answer(call, result, look, own=own) for call, result in zip(calls, results, strict=True)
    ]
    return (said, _content("results", answers), *_pictures(results, look))


def _said(reply: Reply, look: Look, *, own: bool) -> list[Part]:
    """The parts of a reply in their order, each with what it came with."""
    parts: list[Part] = []
    first_call = True
    for block in reply.blocks:
        signature = _ridden(block.opaque, SIGNATURE) if own and not isinstance(block, Image) else ""
        match block:
            case Text():
                if signature or block.text.strip():
                    parts.append({"text": block.text})
                else:
                    continue
            case Reasoning():
                if not signature:  # readable thoughts are a summary, of no use to the model
                    continue
                parts.append({"text": block.text, "thought": True})
            case Call():
                parts.append({"functionCall": _call(block, own=own)})
                if first_call and look.signs_calls:
                    signature = signature or PLACEHOLDER
                first_call = False
            case Image():
                parts.append(_shown(block, look))
        if signature:
            parts[-1][SIGNATURE] = signature
    return parts


def _call(call: Call, *, own: bool) -> dict[str, Any]:
    made: dict[str, Any] = {
        "name": _name(call.name),
        "args": arguments_object(call.arguments) or {},
    }
    if own and (call_id := _ridden(call.opaque, CALL_ID)):
        made["id"] = call_id
    return made


def _answer(call: Call, result: Result, look: Look, *, own: bool) -> Part:
    text = result_text(result, vision=look.vision)
    answer: dict[str, Any] = {
        "name": _name(call.name),
        "response": {"output" if result.ok else "error": text},
    }
    if own and (call_id := _ridden(call.opaque, CALL_ID)):
        answer["id"] = call_id
    return {"functionResponse": answer}


def _pictures(results: Sequence[Result], look: Look) -> Sequence[Content]:
    """Pictures of results: nothing may stand beside the answers, so they follow."""
    return _user(result_pictures(results), look) if look.vision else ()


def _ridden(opaque: Any, name: str) -> str:
    """What rode on a block, "" when it was nothing of that name."""
    value = opaque.get(name) if isinstance(opaque, Mapping) else None
    return value if isinstance(value, str) else ""


def _name(name: str) -> str:
    """A name begins with a letter or `_` on this wire."""
    made = wire_name(name)
    return made if made[0].isalpha() or made[0] == "_" else f"_{made}"[:64]
