"""Against the real service: several turns with a tool, its signatures and a picture.

    GEMINI_API_KEY=... pytest -m live tests/providers/test_gemini_live.py

The preset's model answers; a free key takes five requests a minute, which the ladder waits out.
"""

from __future__ import annotations

import base64
import json
import os
import struct
import zlib

import anyio
import pytest

from turnloop_core.errors import ProviderError
from turnloop_core.loop.assemble import Assembler
from turnloop_core.ports.provider import Request
from turnloop_core.testing.contexts import factory_context, registered
from turnloop_core.testing.project import temporary_project
from turnloop_core.transport.client import Transport
from turnloop_core.types.content import Image, Text
from turnloop_core.types.items import Item, Prompt, Reply, StopReason, Turn
from turnloop_core.types.results import Result
from turnloop_core.types.view import Prefix, ToolSchema, View
from turnloop_gemini import plugin
from turnloop_gemini.options import GeminiOptions
from turnloop_gemini.provider import Gemini, create

KEY = "GEMINI_API_KEY"
pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not os.environ.get(KEY), reason=f"{KEY} is not set"),
]

PARAMETERS = {
    "type": "object",
    "properties": {"name": {"type": "string", "description": "a or b"}},
    "required": ["name"],
}
PREFIX = Prefix(
    "You look numbers up with the tool, one call at a time, and never guess.",
    (ToolSchema("look_up", "Gives the number that belongs to a name.", PARAMETERS),),
)
NUMBERS = {"a": "1734", "b": "5021"}
MOST_TURNS = 8


def red_square() -> Image:
    """16 x 16 pixels."""

    def piece(kind: bytes, data: bytes) -> bytes:
        whole = kind + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    head = struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)
    rows = (b"\0" + b"\xff\0\0" * 16) * 16
    png = b"\x89PNG\r\n\x1a\n" + piece(b"IHDR", head)
    png += piece(b"IDAT", zlib.compress(rows)) + piece(b"IEND", b"")
    return Image("image/png", base64.b64encode(png).decode(), 16, 16)


async def ask(provider: Gemini, items: list[Item]) -> Reply:
    assembler = Assembler(str(len(items)))
    request = Request(View(PREFIX, tuple(items)), provider.model, 4_096)
    async for delta in provider.stream(request):
        assembler.feed(delta)
    return assembler.reply(f"{provider.name}/{provider.model}")


def answered(number: int, reply: Reply) -> Turn:
    names = [str(json.loads(call.arguments).get("name")) for call in reply.calls]
    return Turn(number, reply, tuple(Result.say(NUMBERS.get(n, "unknown")) for n in names))


async def converse(provider: Gemini, items: list[Item]) -> str:
    """Go on until the model answers in words."""
    for _ in range(MOST_TURNS):
        reply = await ask(provider, items)
        items.append(answered(len(items) + 1, reply))
        if not reply.calls:
            assert reply.stop is StopReason.END_TURN
            return reply.text
    raise AssertionError("no answer within the turns that it was given")


def test_turns_with_a_tool_and_a_picture() -> None:
    async def go() -> None:
        transport = Transport()
        try:
            with temporary_project({}) as project:
                preset = registered(plugin, "register_providers")["gemini"].presets["gemini"]
                context = factory_context(
                    project,
                    "gemini",
                    options=GeminiOptions(**preset),
                    secrets={KEY: os.environ[KEY]},
                    transport=transport,
                )
                await talk(create(context))
        finally:
            await transport.aclose()

    async def talk(provider: Gemini) -> None:
        items: list[Item] = [Prompt(1, "Look up a, then b, and tell me both numbers.")]
        answer = await converse(provider, items)
        assert all(number in answer.replace(",", "") for number in NUMBERS.values())
        turns = [item for item in items if isinstance(item, Turn) and item.reply.calls]
        assert any(call.opaque for turn in turns for call in turn.reply.calls), "no signature"
        items.append(Prompt(90, "Which colour is this picture?", (red_square(), Text("One word."))))
        assert "red" in (await converse(provider, items)).lower()
        items.append(Prompt(91, "Look a up once more, and give its number."))
        assert NUMBERS["a"] in (await converse(provider, items)).replace(",", "")

    try:
        anyio.run(go)
    except ProviderError as error:
        raise AssertionError(f"{error} ({error.hint})") from error
