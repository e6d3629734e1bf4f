"""Bodies of requests: what is sent stays as it was, byte for byte."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings, strategies as st

from turnloop_core.ports.provider import Request
from turnloop_core.types.content import Call, Image, Reasoning, Text
from turnloop_core.types.items import Item, NudgeItem, Prompt, Reply, StopReason, Summary, Turn
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.view import Prefix, ToolSchema, View
from turnloop_openai_compat.encode import Encoder, Style
from turnloop_openai_compat.options import OpenAICompatOptions

PNG = Image("image/png", "aGk=", 2, 3)
TOOL = ToolSchema("Read", "Reads.", {"type": "object", "properties": {}})
SEEING = Style("p/m", vision=True)
BLIND = Style("p/m", vision=False)


def options(**fields: Any) -> OpenAICompatOptions:
    return OpenAICompatOptions(kind="openai_compat", model="m", **fields)


def request(*items: Item, thinking: Any = "on", tools: bool = True) -> Request:
    prefix = Prefix("Be good.", (TOOL,) if tools else ())
    return Request(View(prefix, items), "m", 100, thinking)


def body(*items: Item, style: Style = BLIND, encoder: Encoder | None = None) -> bytes:
    return b"".join((encoder or Encoder(options())).body(request(*items), style))


def messages(*items: Item, style: Style = BLIND) -> list[Any]:
    """The messages after the system prompt."""
    sent = json.loads(body(*items, style=style))["messages"]
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
        options(
            output_limit_field="max_completion_tokens",
            thinking_body={"think": True},
            extra_body={"stream_options": None, "seed": 7, "messages": "never"},
        )
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
    assert messages(prompt, style=SEEING) == [
        {"role": "user", "content": [{"type": "text", "text": "Look."}, url]}
    ]
    assert messages(prompt) == [{"role": "user", "content": f"Look.\n\n{left_out}"}]
    results = (Result((Text("here"), PNG)), Result.say("two"))
    item = turn(Call("x", "Read", "{}"), Call("y", "Read", "{}"), results=results)
    _, first, second, after = messages(item, style=SEEING)
    assert first["content"] == "here\n[A picture (image/png) follows.]"
    assert second["content"] == "two"
    assert (after["role"], after["content"][1]) == ("user", url)
    assert messages(item)[1]["content"] == f"here\n{left_out}"


def test_reasoning_goes_back_to_its_model_only_and_on_request() -> None:
    opaque = {"reasoning_details": [{"data": "D"}]}
    wants = Style("p/m", vision=False, reasoning_field="reasoning_content")
    for style, origin, fields in [
        (BLIND, "p/m", {}),
        (wants, "p/m", {"reasoning_content": "hm"}),
        (wants, "p/other", {}),
    ]:
        item = turn(Reasoning("hm"), Text("a"), origin=origin)
        assert messages(item, style=style) == [{"role": "assistant", "content": "a"} | fields]
    sealed = turn(Reasoning("", opaque), Text("a"))
    assert messages(sealed) == [{"role": "assistant", "content": "a"} | opaque]


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
@given(st.lists(ITEMS, max_size=12), st.sampled_from([SEEING, BLIND]))
def test_bodies_only_grow(items: list[Item], style: Style) -> None:
    encoder = Encoder(options())
    before = body(style=style, encoder=encoder)
    for count in range(1, len(items) + 1):
        after = body(*items[:count], style=style, encoder=encoder)
        assert after.startswith(before[: -len(b"]}")])
        assert after == body(*items[:count], style=style), "a fresh encoder gives the same"
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
        encoder = Encoder(options(thinking_body={"think": True}))
        for history, prefix, model, thinking, style in asked:
            made = Request(View(prefix, tuple(history)), model, 100, thinking)
            fresh = Encoder(options(thinking_body={"think": True})).body(made, style)
            sent = b"".join(encoder.body(made, style))
            assert sent == b"".join(fresh)
            assert json.loads(sent)["messages"] is not None

    same()
