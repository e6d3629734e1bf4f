"""What a strict server of the messages API refuses in a request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

NAMES = re.compile(r"[a-zA-Z0-9_-]{1,64}")
FIELDS = {
    "model",
    "max_tokens",
    "stream",
    "system",
    "tools",
    "messages",
    "thinking",
    "output_config",
}
KEYS = {
    "text": {"type", "text"},
    "image": {"type", "source"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
    "tool_use": {"type", "id", "name", "input"},
    "tool_result": {"type", "tool_use_id", "content", "is_error"},
}
OF_ROLE = {
    "user": {"text", "image", "tool_result"},
    "assistant": {"text", "thinking", "redacted_thinking", "tool_use"},
}
THOUGHTS = ("thinking", "redacted_thinking")


def complaints(body: Any) -> list[str]:
    """What is wrong with a request, one line each."""
    messages = body.get("messages", [])
    return [
        *_fields(body),
        *_roles(messages),
        *(f"messages.{i}: {line}" for i, m in enumerate(messages) for line in _content(m)),
        *_calls(messages),
        *_marks(body),
        *_thinking(body),
    ]


def thoughts(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The thinking blocks of a message, without marks."""
    return [block for block in message["content"] if block["type"] in THOUGHTS]


def loop_start(messages: Sequence[Mapping[str, Any]]) -> int:
    """Place of the first reply of the tool loop that is going on; -1 when there is none."""
    first = -1
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if message["role"] == "assistant":
            first = place
        elif not any(block["type"] == "tool_result" for block in message["content"]):
            break
    return first


def _fields(body: Mapping[str, Any]) -> Iterator[str]:
    if unknown := body.keys() - FIELDS:
        yield f"unknown fields: {sorted(unknown)}"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: must be a positive number"
    if any(not block["text"].strip() for block in body.get("system", ())):
        yield "system: blank text"
    for tool in body.get("tools", ()):
        if not NAMES.fullmatch(tool["name"]) or tool["input_schema"].get("type") != "object":
            yield f"tools: {tool['name']} is malformed"


def _roles(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    roles = [message["role"] for message in messages]
    if roles != [("user", "assistant")[place % 2] for place in range(len(roles))]:
        yield f"roles must take turns and begin with the user: {roles}"
    if not roles or roles[-1] != "user":
        yield "the last message must be the user's"


def _content(message: Mapping[str, Any]) -> Iterator[str]:
    content = message["content"]
    if not isinstance(content, list) or not content:
        yield "no content"
        return
    for block in content:
        yield from _block(block, OF_ROLE[message["role"]])
    if all(block["type"] in THOUGHTS for block in content):
        yield "nothing but thinking"
    kinds = [block["type"] == "tool_result" for block in content]
    if kinds != sorted(kinds, reverse=True):
        yield "tool results must come first"


def _block(block: Mapping[str, Any], allowed: set[str]) -> Iterator[str]:
    kind = block["type"]
    if kind not in allowed:
        yield f"{kind} is not allowed here"
    if unknown := block.keys() - KEYS.get(kind, set()) - {"cache_control"}:
        yield f"{kind}: unknown {sorted(unknown)}"
    if kind == "text" and not block["text"].strip():
        yield "text content blocks must contain non-whitespace text"
    if kind == "image" and not (block["source"]["data"] and block["source"]["media_type"]):
        yield "image: nothing in it"
    if kind == "tool_use":
        if not NAMES.fullmatch(block["id"]) or not NAMES.fullmatch(block["name"]):
            yield f"tool_use: {block['id']!r} {block['name']!r}: malformed"
        if not isinstance(block["input"], dict):
            yield "tool_use: input must be an object"
    if kind == "tool_result":
        if not block["content"]:
            yield "tool_result: no content"
        for part in block["content"]:
            yield from _block(part, {"text", "image"})
            if block.get("is_error") and part["type"] != "text":
                yield "all content must be type text if is_error is true"


def _calls(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    seen: list[str] = []
    waiting: list[str] = []
    for message in messages:
        given = [b["tool_use_id"] for b in message["content"] if b["type"] == "tool_result"]
        if message["role"] == "user" and given != waiting:
            yield f"tool_use without its tool_result, or the reverse: {waiting} {given}"
        waiting = [b["id"] for b in message["content"] if b["type"] == "tool_use"]
        seen += waiting
    if len(set(seen)) != len(seen):
        yield f"tool_use ids must be unique: {seen}"


def _marks(body: Mapping[str, Any]) -> Iterator[str]:
    places = [*body.get("system", ()), *body.get("tools", ())]
    places += [block for message in body.get("messages", ()) for block in message["content"]]
    marked = [block for block in places if "cache_control" in block]
    if len(marked) > 4:
        yield f"{len(marked)} blocks with cache_control, 4 at most"
    for block in marked:
        if block["cache_control"].get("type") != "ephemeral":
            yield "cache_control: unknown type"
        if block.get("type") in THOUGHTS or block.get("text", "x") == "":
            yield f"cache_control cannot be set for {block['type']} blocks"


def _thinking(body: Mapping[str, Any]) -> Iterator[str]:
    thinking, messages = body.get("thinking", {}), body.get("messages", [])
    kind = thinking.get("type", "disabled")
    if kind == "enabled" and not 1_024 <= thinking["budget_tokens"] < body["max_tokens"]:
        yield f"budget_tokens: {thinking['budget_tokens']} of {body['max_tokens']}"
    if kind == "adaptive" and "budget_tokens" in thinking:
        yield "thinking.adaptive.budget_tokens: extra inputs are not permitted"
    if body.get("output_config", {}).get("effort", "high") not in ("low", "medium", "high"):
        yield "output_config: unknown effort"
    if kind == "disabled" and any(thoughts(m) for m in messages):
        yield "when thinking is disabled, a message cannot contain thinking"
    first = loop_start(messages)
    if kind == "enabled" and first >= 0 and messages[first]["content"][0]["type"] not in THOUGHTS:
        yield f"messages.{first}.content.0: expected thinking, but found another"
