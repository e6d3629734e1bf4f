"""Marks for the cache stand where what was sent before is found again."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from anthropic_strict import complaints

from turnloop_anthropic.blocks import Look
from turnloop_anthropic.encode import Encoder
from turnloop_anthropic.options import AnthropicOptions
from turnloop_anthropic.thinking import Plan
from turnloop_core.api import Prefix, Request, ToolSchema, View
from turnloop_core.types.content import Call, Reasoning, Text
from turnloop_core.types.items import Item, NudgeItem, Prompt, Reply, StopReason, Turn
from turnloop_core.types.results import Result

LOOK = Look("c/m", vision=True, carries=True)
PLAN = Plan({"thinking": {"type": "adaptive"}}, 2_048, carries=True)
PREFIX = Prefix("Help.", (ToolSchema("Read", "Reads.", {"type": "object"}),))
MARK = re.compile(rb',"cache_control":\{[^}]*\}')


def reads(number: int, calls: int = 1) -> Turn:
    asked = tuple(Call(f"c{place}", "Read", "{}") for place in range(calls))
    blocks = (Reasoning("hm", {"signature": f"S{number}"}), *asked)
    results = tuple(Result.say(f"result {number}.{place}") for place in range(calls))
    return Turn(number, Reply(blocks, StopReason.TOOL_USE, "c/m"), results)


def send(
    encoder: Encoder, items: Sequence[Item], prefix: Prefix = PREFIX, plan: Plan = PLAN
) -> bytes:
    request = Request(View(prefix, tuple(items)), "m", 256)
    return b"".join(encoder.body(request, LOOK, plan, cache=True))


def fresh(**options: str) -> Encoder:
    return Encoder(AnthropicOptions(kind="anthropic", **options))  # type: ignore[arg-type]


def cached(body: bytes) -> list[bytes]:
    """What a server keeps of a request: its text up to each mark, without the marks."""
    return [MARK.sub(b"", body[: mark.start()]) for mark in MARK.finditer(body)]


GROWING = [
    [Prompt(1, "Go.")],
    [Prompt(1, "Go."), reads(2)],
    [Prompt(1, "Go."), reads(2), reads(3, calls=15), NudgeItem(4, "On.", "t")],
    [Prompt(1, "Go."), reads(2), reads(3, calls=15), NudgeItem(4, "On.", "t"), reads(5)],
]


def test_what_was_marked_last_is_found_at_the_next_request() -> None:
    encoder = fresh()
    items: list[Item] = []
    before: list[bytes] = []
    for number in range(12):
        items.append(Prompt(0, "Go.") if not number else reads(number, calls=number))
        body = send(encoder, items)
        kept = cached(body)
        assert len(kept) <= 4
        if before:
            assert before[-1] in kept, "the end of the request before is not marked"
            assert MARK.sub(b"", body).startswith(before[-1])
        assert kept[-1].endswith(b'"') or kept[-1].endswith(b"]"), "the end is not marked"
        before = kept


def test_marks_cover_all_that_was_sent() -> None:
    body = send(fresh(), GROWING[-1])
    after = MARK.sub(b"", body)[len(cached(body)[-1]) :]
    assert after == b"}]}]}"  # nothing but the brackets


def test_thoughts_are_never_marked_and_four_marks_are_enough() -> None:
    import json

    encoder = fresh()
    for items in GROWING:
        told = complaints(json.loads(send(encoder, items)))
        assert [line for line in told if "cache_control" in line] == []


def test_the_system_prompt_is_marked_else_the_last_tool() -> None:
    first = cached(send(fresh(), GROWING[0]))[0]
    assert first.endswith(b'"text":"Help."')
    tools = (*PREFIX.tools, ToolSchema("Write", "Writes.", {"type": "object"}))
    first = cached(send(fresh(), GROWING[0], Prefix("", tools)))[0]
    assert first.endswith(b'"input_schema":{"type":"object"}')
    assert first.count(b"input_schema") == 2
    assert len(cached(send(fresh(), GROWING[0], Prefix("", ())))) == 1


def test_a_request_that_is_made_again_is_the_same() -> None:
    encoder = fresh()
    for items in GROWING[:3]:
        send(encoder, items)
    assert send(encoder, GROWING[2]) == send(encoder, GROWING[2])


def test_after_a_rewrite_the_newest_mark_that_still_holds_is_found() -> None:
    encoder = fresh()
    kept = [cached(send(encoder, items)) for items in GROWING]
    shrunk = Turn(3, reads(3, calls=15).reply, (Result.say("gone"),) * 15)
    rewritten = [Prompt(1, "Go."), GROWING[1][1], shrunk, *GROWING[3][3:], reads(6)]
    body = cached(send(encoder, rewritten))
    assert kept[1][-1] in body  # all before the rewritten turn
    assert kept[2][-1] not in body


def test_how_long_it_is_kept() -> None:
    assert b'"cache_control":{"type":"ephemeral"}' in send(fresh(), GROWING[0])
    hour = send(fresh(cache_ttl="1h"), GROWING[0])
    assert hour.count(b'"cache_control":{"type":"ephemeral","ttl":"1h"}') == 2


@pytest.mark.parametrize("cache", [False])
def test_no_marks_where_nothing_is_cached(cache: bool) -> None:
    request = Request(View(PREFIX, tuple(GROWING[-1])), "m", 256)
    body = b"".join(fresh().body(request, LOOK, PLAN, cache=cache))
    assert b"cache_control" not in body
    assert body == MARK.sub(b"", send(fresh(), GROWING[-1]))


def test_a_turn_is_encoded_once() -> None:
    encoder = fresh()
    send(encoder, GROWING[2])
    held = [*encoder._transcript._pieces]
    send(encoder, GROWING[3])
    now = encoder._transcript._pieces
    assert all(old is new for old, new in zip(held, now, strict=False))
    assert not any(b"cache_control" in piece for piece in now)


def test_text_of_the_model_at_the_end_is_not_marked() -> None:
    answer = Turn(2, Reply((Text("Done."),), StopReason.END_TURN, "c/m"))
    kept = cached(send(fresh(), [Prompt(1, "Go."), answer]))
    assert kept[-1].endswith(b'"text":"Go."')
