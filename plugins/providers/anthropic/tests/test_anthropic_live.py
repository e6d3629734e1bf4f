"""Several turns with the real service: a tool, a picture, thoughts that go back. Costs money."""

from __future__ import annotations

import os
import struct
import zlib
from base64 import b64encode

import anyio
import pytest

from turnloop_anthropic.options import AnthropicOptions
from turnloop_anthropic.provider import create
from turnloop_core.api import Prefix, Request, ToolSchema, Transport, View
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.provider_bench import Heard, hear
from turnloop_core.types.content import Call, Image, Reasoning, Text
from turnloop_core.types.deltas import (
    CallArguments,
    CallStart,
    End,
    OpaqueData,
    ReasoningDelta,
    TextDelta,
)
from turnloop_core.types.items import Item, Prompt, Reply, StopReason, Turn
from turnloop_core.types.results import Result

KEY = os.environ.get("ANTHROPIC_API_KEY", "")
MODEL = os.environ.get("TURNLOOP_LIVE_ANTHROPIC_MODEL", "claude-haiku-4-5")
PARAMETERS = {
    "type": "object",
    "properties": {"page": {"type": "integer"}},
    "required": ["page"],
}
PREFIX = Prefix(
    "Look at one page at a time, and answer with one word when you have seen both.",
    (ToolSchema("Look", "Shows page 1 or 2 of a book of pictures.", PARAMETERS),),
)


def picture(red: int, green: int, blue: int) -> Image:
    """A square of one colour."""
    side = 32
    rows = b"".join(b"\0" + bytes((red, green, blue)) * side for _ in range(side))

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return Image("image/png", b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode(), 32, 32)


RED, BLUE = picture(220, 20, 20), picture(20, 20, 220)


def reply_of(heard: Heard, origin: str) -> Reply:
    """The reply that some deltas make."""
    blocks: dict[str, Text | Reasoning | Call] = {}
    for delta in heard.deltas:
        match delta:
            case TextDelta(words, key):
                before = blocks.get(key, Text(""))
                blocks[key] = Text(before.text + words)  # type: ignore[union-attr]
            case ReasoningDelta(words, key):
                before = blocks.get(key, Reasoning(""))
                blocks[key] = Reasoning(before.text + words)  # type: ignore[union-attr]
            case OpaqueData(key, data):
                before = blocks.get(key, Reasoning(""))
                blocks[key] = Reasoning(before.text, data)  # type: ignore[union-attr]
            case CallStart(key, name, call_id):
                blocks[key] = Call(call_id, name, "")
            case CallArguments(key, piece):
                call = blocks[key]
                assert isinstance(call, Call)
                blocks[key] = Call(call.id, call.name, call.arguments + piece)
    (end,) = heard.of(End)
    return Reply(tuple(blocks.values()), end.stop, origin, end.usage)


@pytest.mark.live
@pytest.mark.skipif(not KEY, reason="ANTHROPIC_API_KEY is not set")
def test_turns_with_a_tool_and_pictures() -> None:
    async def go() -> None:
        transport = Transport()
        with temporary_project({}) as project:
            options = AnthropicOptions(
                kind="anthropic", model=MODEL, api_key_env="ANTHROPIC_API_KEY"
            )
            context = factory_context(
                project,
                "live",
                options=options,
                secrets={"ANTHROPIC_API_KEY": KEY},
                transport=transport,
            )
            provider = create(context)
            items: list[Item] = [Prompt(1, "Which colour is on page 2 and not on page 1?")]
            for number in range(2, 8):
                request = Request(View(PREFIX, tuple(items)), MODEL, 2_000, "low")
                heard = await hear(provider, request)
                assert heard.error is None, heard.error
                reply = reply_of(heard, f"live/{MODEL}")
                pages = [
                    picture(220, 20, 20) if "1" in c.arguments else picture(20, 20, 220)
                    for c in reply.calls
                ]
                results = tuple(Result((Text("The page:"), page)) for page in pages)
                items.append(Turn(number, reply, results))
                if reply.stop is StopReason.END_TURN:
                    break
            assert "blue" in reply.text.lower()
            assert any(isinstance(b, Reasoning) and b.opaque for b in items[1].reply.blocks)  # type: ignore[union-attr]
        await transport.aclose()

    anyio.run(go)
