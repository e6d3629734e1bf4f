"""Bodies of requests: what is sent stays as it was, byte for byte."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings, strategies as st

from turnloop_core.ports.provider import Request
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.content import Call, Image, Reasoning, Text
from turnloop_core.types.items import Item, NudgeItem, Prompt, Reply, StopReason, Summary, Turn
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.view import Prefix, ToolSchema, View
from turnloop_openai_compat.encode import Encoder
from turnloop_openai_compat.options import OpenAICompatOptions

PNG = Image("image/png", "aGk=", 2, 3)
TOOL = ToolSchema("Read", "Reads.", {"type": "object", "properties": {}})
SEEING = Capabilities(supports_vision=True)
BLIND = Capabilities()


def options(**fields: Any) -> OpenAICompatOptions:
    return OpenAICompatOptions(kind="openai_compat", model="m", **fields)


def request(*items: Item, thinking: Any = "on", tools: bool = True) -> Request:
    prefix = Prefix("Be good.", (TOOL,) if tools else ())
    return Request(View(prefix, items), "m", 100, thinking)


def body(*items: Item, can: Capabilities = BLIND, encoder: Encoder | None = None) -> bytes:
    return b"".join((encoder or Encoder("p", options())).body(request(*items), can))


def messages(*items: Item, can: Capabilities = BLIND, **fields: Any) -> list[Any]:
    """The messages after the system prompt."""
    sent = json.loads(body(*items, can=can, encoder=Encoder("p", options(**fields))))["messages"]
    assert sent[0] == {"role": "system", "content": "Be good."}
    return list(sent[1:])


def turn(*blocks: Any, results: tuple[Result, ...] = (), origin: str = "p/m") -> Turn:
    stop = StopReason.TOOL_USE if results else StopReason.END_TURN
    return Turn(2, Reply(blocks, stop, origin), results)


def test_the_head() -> None:
    sent = json.loads(body(Prompt(1, "Hi")))
    del sent["messages"]
    function = {"name": "Read", "description": "Reads.", "parameters": TOOL.parameters}
    assert sent == {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 100,
        "tools": [{"type": "function", "function": function}],
    }


def test_settings_shape_the_head() -> None:
    encoder = Encoder(
        "p",
        options(
            output_limit_field="max_completion_tokens",
            thinking_body={"think": True},
            extra_body={"stream_options": None, "seed": 7, "messages": "never"},
        ),
    )
    for thinking, expected in (("on", {"think": True}), ("high", {"think": True}), ("off", {})):
        made = request(Prompt(1, "Hi"), thinking=thinking, tools=False)
        sent = json.loads(b"".join(encoder.body(made, BLIND)))
        del sent["messages"]
        head = {"model": "m", "stream": True, "max_completion_tokens": 100, "seed": 7}
        assert sent == head | expected


def test_a_turn_with_calls() -> None:
    calls = (Call("x", "Read", '{"a": 1}'), Call("y", "Read", "{}"))
    failed = Result.say("no such file", error=ErrorKind.TOOL_ERROR)
    item = turn(Reasoning("hm"), Text("I look."), *calls, results=(Result.say("one"), failed))

    def call(id_: str, arguments: str) -> dict[str, Any]:
        function = {"name": "Read", "arguments": arguments}
        return {"id": id_, "type": "function", "function": function}

    assert messages(item) == [
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [call("x", '{"a": 1}'), call("y", "{}")],
        },
        {"role": "tool", "tool_call_id": "x", "content": "one"},
        {"role": "tool", "tool_call_id": "y", "content": "no such file"},
    ]


def test_blank_text_is_never_sent() -> None:
    """HIS-03"""
    silent = turn(Text(" \n"), Call("x", "Read", "{}"), results=(Result((Text("  "),)),))
    assert (
        messages(Prompt(1, " "), turn(Text("  ")), turn(Reasoning("hm")), NudgeItem(3, "\n", "t"))
        == []
    )
    assistant, tool = messages(silent)
    assert assistant["content"] is None
    assert tool["content"] == "(no output)"


def test_what_servers_refuse_is_mended() -> None:
    for arguments, sent in [("{", "{}"), ("", "{}"), ("[1]", "{}"), ('{"a":  1}', '{"a":  1}')]:
        item = turn(Call("x", "a b!", arguments), results=(Result.say("bad"),))
        [call] = messages(item)[0]["tool_calls"]
        assert call["function"] == {"name": "a_b_", "arguments": sent}


def test_prompts() -> None:
    prompt = Prompt(1, "Look.", (Text("file"),), "Today.")
    assert messages(prompt) == [{"role": "user", "content": "Look.\n\nfile\n\nToday."}]
    [summary] = messages(Summary(1, "We did it."))
    assert summary["role"] == "user"
    assert summary["content"].endswith("We did it.")


def test_pictures() -> None:
    url = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    left_out = "[A picture (image/png, 2x3) is left out: this model takes text only.]"
    prompt = Prompt(1, "Look.", (PNG,))
    assert messages(prompt, can=SEEING) == [
        {"role": "user", "content": [{"type": "text", "text": "Look."}, url]}
    ]
    assert messages(prompt) == [{"role": "user", "content": f"Look.\n\n{left_out}"}]
    results = (Result((Text("here"), PNG)), Result.say("two"))
    item = turn(Call("x", "Read", "{}"), Call("y", "Read", "{}"), results=results)
    _, first, second, after = messages(item, can=SEEING)
    assert first["content"] == "here\n[A picture (image/png) follows.]"
    assert second["content"] == "two"
    assert (after["role"], after["content"][1]) == ("user", url)
    assert messages(item)[1]["content"] == f"here\n{left_out}"


def test_reasoning_goes_back_to_its_model_only_and_on_request() -> None:
    opaque = {"reasoning_details": [{"data": "D"}]}
    wants: dict[str, Any] = {"reasoning_field": "reasoning"}
    needs = Capabilities(needs_reasoning_back=True)
    for can, fields, origin, sent in [
        (BLIND, {}, "p/m", {}),
        (BLIND, wants, "p/m", {"reasoning": "hm"}),
        (BLIND, wants, "p/other", {}),
        (BLIND, {"glm_reasoning": True}, "p/m", {"reasoning_content": "hm"}),
        (BLIND, {"glm_reasoning": True} | wants, "p/m", {"reasoning": "hm"}),
        (needs, {}, "p/m", {"reasoning_content": "hm"}),
        (needs, wants, "p/m", {"reasoning": "hm"}),
        (needs, {}, "q/m", {}),
    ]:
        item = turn(Reasoning("hm"), Text("a"), origin=origin)
        assert messages(item, can=can, **fields) == [{"role": "assistant", "content": "a"} | sent]
    sealed = turn(Reasoning("", opaque), Text("a"))
    assert messages(sealed) == [{"role": "assistant", "content": "a"} | opaque]


def test_details_of_calls_stand_where_they_stood() -> None:
    first, second, third = {"data": "1", "id": "x"}, {"text": "2"}, {"data": "3", "id": "y"}
    item = turn(
        Reasoning("2", {"reasoning_details": [second], "places": [1]}),
        Call("x", "Read", "{}", {"reasoning_details": [first], "places": [0]}),
        Call("y", "Read", "{}", {"reasoning_details": [third], "places": [2]}),
        results=(Result.say("one"), Result.say("two")),
    )
    assert messages(item)[0]["reasoning_details"] == [first, second, third]
    shrunk = turn(*item.reply.blocks[1:], results=item.results)
    assert messages(shrunk)[0]["reasoning_details"] == [first, third]


TEXTS = st.sampled_from(["", " ", "a", 'quote " and \u20ac', "x\ny", "\ud83d"])
TURNS = st.builds(
    lambda text, ids, seen: turn(
        Text(text),
        *[Call(f"c{n}", "Read", "{}") for n in range(ids)],
        results=tuple(Result((Text(text), PNG) if seen else (Text(text),)) for _ in range(ids)),
    ),
    TEXTS,
    st.integers(0, 3),
    st.booleans(),
)
ITEMS = st.one_of(
    TURNS,
    st.builds(lambda text: Prompt(1, text), TEXTS),
    st.builds(lambda text: NudgeItem(1, text, "t"), TEXTS),
    st.builds(lambda text: Summary(1, text), TEXTS),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(ITEMS, max_size=12), st.sampled_from([SEEING, BLIND]), st.booleans())
def test_bodies_only_grow(items: list[Item], can: Capabilities, strict: bool) -> None:
    fields: Any = {"call_ids": "short", "after_tools": "assistant"} if strict else {}
    encoder = Encoder("p", options(**fields))
    before = body(can=can, encoder=encoder)
    for count in range(1, len(items) + 1):
        after = body(*items[:count], can=can, encoder=encoder)
        assert after.startswith(before[: -len(b"]}")])
        fresh = Encoder("p", options(**fields))
        assert after == body(*items[:count], can=can, encoder=fresh), "a fresh one gives the same"
        json.loads(after)
        before = after


def test_what_is_kept_is_what_would_be_made_afresh() -> None:
    """Any order of conversations, prompts, models and styles: an encoder with a past says the same
    as one without.
    """
    items = [
        Prompt(1, "Hi"),
        turn(Call("x", "Read", "{}"), results=(Result.say("one"),)),
        Prompt(3, "  "),
        turn(Text("Done."), PNG),
        NudgeItem(5, "Go on.", "t"),
    ]
    histories = [items[:n] for n in range(6)] + [items[1:], [items[0], *items[3:]], items[::-1]]
    prefixes = [Prefix("Be good.", (TOOL,)), Prefix("Be brief."), Prefix()]

    @settings(max_examples=150, deadline=None)
    @given(
        st.lists(
            st.tuples(
                st.sampled_from(histories),
                st.sampled_from(prefixes),
                st.sampled_from(["m", "n"]),
                st.sampled_from(["on", "off"]),
                st.sampled_from([SEEING, BLIND]),
            ),
            max_size=8,
        )
    )
    def same(asked: list[Any]) -> None:
        encoder = Encoder("p", options(thinking_body={"think": True}))
        for history, prefix, model, thinking, can in asked:
            made = Request(View(prefix, tuple(history)), model, 100, thinking)
            fresh = Encoder("p", options(thinking_body={"think": True})).body(made, can)
            sent = b"".join(encoder.body(made, can))
            assert sent == b"".join(fresh)
            assert json.loads(sent)["messages"] is not None

    same()
