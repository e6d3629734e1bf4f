"""The view as a body: who says what, what goes back untouched, and what is left out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from turnloop_core.ports.provider import Request
from turnloop_core.types.capabilities import Capabilities, Thinking
from turnloop_core.types.content import Call, Image, Reasoning, Text
from turnloop_core.types.items import Item, NudgeItem, Prompt, Reply, StopReason, Summary, Turn
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.view import Prefix, ToolSchema, View
from turnloop_gemini.contents import PLACEHOLDER, Look
from turnloop_gemini.declarations import json_schema
from turnloop_gemini.encode import Encoder
from turnloop_gemini.models import KNOWN, TRAITS, Traits, traits_of

OWN = "p/m"
LOOK = Look(OWN, vision=True, signs_calls=True)
NONE = Traits("none", "")
ASK = Prompt(1, "Do it.")
PICTURE = Image("image/png", "UElY", 2, 3)


def encode(
    *items: Item,
    look: Look = LOOK,
    traits: Traits = NONE,
    thinking: Thinking = "on",
    prefix: Prefix | None = None,
    extra: dict[str, Any] | None = None,
) -> Any:
    view = View(prefix or Prefix("Be good."), items or (ASK,))
    request = Request(view, "m", 65_536, thinking)
    return json.loads(b"".join(Encoder(extra or {}).body(request, look, traits, Capabilities())))


def contents(*items: Item, look: Look = LOOK) -> Any:
    return encode(*items, look=look)["contents"]


def sealed(signature: str = "", call_id: str = "") -> Any:
    data = {"thoughtSignature": signature} if signature else {}
    return data | ({"id": call_id} if call_id else {})


def turn(*blocks: Any, results: Sequence[Result] = (), origin: str = OWN) -> Turn:
    calls = [block for block in blocks if isinstance(block, Call)]
    stop = StopReason.TOOL_USE if calls else StopReason.END_TURN
    return Turn(
        2, Reply(blocks, stop, origin), tuple(results) or tuple(Result.say("ok") for _ in calls)
    )


def test_the_head() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    tools = (
        ToolSchema("Read", "Reads.", schema),
        ToolSchema("Now", "Tells the time.", {"type": "object", "properties": {}}),
    )
    assert encode(prefix=Prefix("Be good.", tools)) == {
        "systemInstruction": {"parts": [{"text": "Be good."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "Read", "description": "Reads.", "parametersJsonSchema": schema},
                    {"name": "Now", "description": "Tells the time."},
                ]
            }
        ],
        "generationConfig": {"maxOutputTokens": 65_536},
        "contents": [{"role": "user", "parts": [{"text": "Do it."}]}],
    }
    assert set(encode(prefix=Prefix(" "))) == {"generationConfig", "contents"}


def test_extra_body() -> None:
    extra = {
        "generationConfig": {
            "temperature": 0,
            "maxOutputTokens": None,
            "thinkingConfig": {"includeThoughts": None},
        },
        "safetySettings": [{"category": "c", "threshold": "BLOCK_NONE"}],
        "systemInstruction": None,
        "contents": [{"parts": [{"text": "mine"}]}],
    }
    body = encode(extra=extra, traits=Traits("level", "low"), thinking="high")
    assert body == {
        "generationConfig": {"thinkingConfig": {"thinkingLevel": "high"}, "temperature": 0},
        "safetySettings": [{"category": "c", "threshold": "BLOCK_NONE"}],
        "contents": [{"role": "user", "parts": [{"text": "Do it."}]}],
    }
    bare = encode(extra={"generationConfig": None, "systemInstruction": None, "contents": None})
    assert set(bare) == {"contents"}


def test_a_reply_goes_back_as_it_came() -> None:
    reply = turn(
        Reasoning("a summary"),
        Reasoning("thought", sealed("S1")),
        Reasoning("", sealed("S2")),
        Text("I look."),
        Text("", sealed("S3")),
        Text("Both.", sealed("S4")),
        Call("call_9_0", "Read", '{"b": 1, "a": [true, null]}', sealed("S5")),
        Call("call_9_1", "Glob", "{}"),
    )
    assert contents(ASK, reply)[1:] == [
        {
            "role": "model",
            "parts": [
                {"text": "thought", "thought": True, "thoughtSignature": "S1"},
                {"text": "", "thought": True, "thoughtSignature": "S2"},
                {"text": "I look."},
                {"text": "", "thoughtSignature": "S3"},
                {"text": "Both.", "thoughtSignature": "S4"},
                {
                    "functionCall": {"name": "Read", "args": {"b": 1, "a": [True, None]}},
                    "thoughtSignature": "S5",
                },
                {"functionCall": {"name": "Glob", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "Read", "response": {"output": "ok"}}},
                {"functionResponse": {"name": "Glob", "response": {"output": "ok"}}},
            ],
        },
    ]


def test_ids_go_back_where_the_wire_gave_them() -> None:
    reply = turn(
        Call("id-1", "Read", "{}", sealed("S", "id-1")),
        Call("id-2", "Read", "{}", sealed(call_id="id-2")),
        Call("made", "Read", "{}"),
    )
    said, answers = contents(ASK, reply)[1:]
    assert [part["functionCall"].get("id") for part in said["parts"]] == ["id-1", "id-2", None]
    assert [part["functionResponse"].get("id") for part in answers["parts"]] == [
        "id-1",
        "id-2",
        None,
    ]


@pytest.mark.parametrize("signs", [True, False])
def test_a_reply_of_another_model(signs: bool) -> None:
    """Its vendor data stays here; its first call gets a placeholder where one is demanded."""
    reply = turn(
        Reasoning("mine", sealed("S1")),
        Text("", sealed("S2")),
        Text("I look.", {"thoughtSignature": "S3"}),
        Call("a", "Read", "{}", sealed("S4", "a")),
        Call("b", "Read", "{}", {"reasoning_details": []}),
        origin="p/other",
    )
    first = {"functionCall": {"name": "Read", "args": {}}}
    said, answers = contents(ASK, reply, look=Look(OWN, vision=True, signs_calls=signs))[1:]
    assert said["parts"] == [
        {"text": "I look."},
        first | ({"thoughtSignature": PLACEHOLDER} if signs else {}),
        first,
    ]
    assert all("id" not in part["functionResponse"] for part in answers["parts"])


def test_an_own_call_whose_signature_is_gone_gets_a_placeholder() -> None:
    """It came without one, or the server refused it and it was dropped."""
    calls = (Call("a", "Read", "{}"), Call("b", "Read", "{}"))
    said = contents(ASK, turn(*calls))[1]
    bare = {"functionCall": {"name": "Read", "args": {}}}
    assert said["parts"] == [bare | {"thoughtSignature": PLACEHOLDER}, bare]


def test_a_kind_of_picture_that_is_refused_is_left_out() -> None:
    """Once in the history it would be refused in each later request."""
    moving = Image("image/gif", "R0lGODlhAQABAAAAACw=", 1, 1)
    (content,) = contents(Prompt(1, "Look.", (moving,)))
    words = "[A picture (image/gif, 1x1) is left out: this provider takes PNG, JPEG and WEBP.]"
    assert content["parts"] == [{"text": "Look."}, {"text": words}]


def test_results() -> None:
    reply = turn(
        *(Call(str(i), "Read", "{}") for i in range(4)),
        results=(
            Result.say("fine"),
            Result.say("no such file", error=ErrorKind.TOOL_ERROR),
            Result((Text("two"), Text(" "), Text("lines"))),
            Result.say(""),
        ),
    )
    assert [part["functionResponse"]["response"] for part in contents(ASK, reply)[2]["parts"]] == [
        {"output": "fine"},
        {"error": "no such file"},
        {"output": "two\nlines"},
        {"output": "(no output)"},
    ]


def test_what_follows_results_stands_in_a_content_of_its_own() -> None:
    reply = turn(Call("a", "Read", "{}"), results=(Result((Text("seen"), PICTURE)),))
    items = (ASK, reply, NudgeItem(3, "Go on.", "t"), Prompt(4, "No.", steering=True))
    picture = {"inlineData": {"mimeType": "image/png", "data": "UElY"}}
    roles = [(c["role"], [next(iter(p)) for p in c["parts"]]) for c in contents(*items)]
    assert roles == [
        ("user", ["text"]),
        ("model", ["functionCall"]),
        ("user", ["functionResponse"]),
        ("user", ["text", "inlineData"]),
        ("user", ["text"]),
        ("user", ["text"]),
    ]
    assert contents(*items)[3]["parts"][1] == picture
    blind = contents(*items, look=Look(OWN, vision=False, signs_calls=True))
    assert len(blind) == 5
    output = blind[2]["parts"][0]["functionResponse"]["response"]["output"]
    assert output == ("seen\n[A picture (image/png, 2x3) is left out: this model takes text only.]")


def test_prompts_and_summaries() -> None:
    prompt = Prompt(2, "Look.", (Text("file"), PICTURE), "It is Monday.")
    assert contents(Summary(1, "So far."), prompt)[1]["parts"] == [
        {"text": "Look."},
        {"text": "file"},
        {"inlineData": {"mimeType": "image/png", "data": "UElY"}},
        {"text": "It is Monday."},
    ]


def test_what_says_nothing_is_not_sent() -> None:
    blank = turn(Text("", sealed("S")), Reasoning("hm", sealed("T")))
    assert contents(ASK, turn(Text(" \n")), blank, NudgeItem(3, " ", "t")) == contents(ASK)


def test_a_call_follows_the_user() -> None:
    """A view may begin with a turn, or lose what stood between two."""
    calls = turn(Call("a", "Read", "{}"))
    filler = {"role": "user", "parts": [{"text": "Go on."}]}
    assert contents(calls)[0] == filler
    assert [c["role"] for c in contents(ASK, turn(Text("Hm.")), calls)] == [
        "user",
        "model",
        "user",
        "model",
        "user",
    ]
    assert filler not in contents(ASK, calls, calls)


def test_names_begin_with_a_letter() -> None:
    names = ["9lives", "-x", "größe", "", "_ok"]
    reply = turn(*(Call(str(i), name, "{}") for i, name in enumerate(names)))
    said, answers = contents(ASK, reply)[1:]
    sent = [part["functionCall"]["name"] for part in said["parts"]]
    assert sent == ["_9lives", "_-x", "gr__e", "unknown", "_ok"]
    assert [part["functionResponse"]["name"] for part in answers["parts"]] == sent


FLASH, PRO = TRAITS["gemini-2.5-flash"], TRAITS["gemini-2.5-pro"]
ALIAS, LITE = TRAITS["gemini-flash-latest"], TRAITS["gemini-3.5-flash-lite"]


@pytest.mark.parametrize(
    ("traits", "thinking", "config"),
    [
        (FLASH, "on", {"thinkingBudget": -1, "includeThoughts": True}),
        (FLASH, "off", {"thinkingBudget": 0, "includeThoughts": False}),
        (FLASH, "low", {"thinkingBudget": 1_024, "includeThoughts": True}),
        (FLASH, "medium", {"thinkingBudget": 8_192, "includeThoughts": True}),
        (FLASH, "high", {"thinkingBudget": 24_576, "includeThoughts": True}),
        (PRO, "off", {"thinkingBudget": 128, "includeThoughts": False}),
        (ALIAS, "on", {"includeThoughts": True}),
        (ALIAS, "off", {"thinkingLevel": "low", "includeThoughts": False}),
        (ALIAS, "low", {"thinkingLevel": "low", "includeThoughts": True}),
        (ALIAS, "medium", {"thinkingLevel": "medium", "includeThoughts": True}),
        (ALIAS, "high", {"thinkingLevel": "high", "includeThoughts": True}),
        (LITE, "off", {"thinkingLevel": "minimal", "includeThoughts": False}),
        (NONE, "high", None),
    ],
)
def test_thinking(traits: Traits, thinking: Thinking, config: Any) -> None:
    body = encode(traits=traits, thinking=thinking)
    assert body["generationConfig"].get("thinkingConfig") == config


def test_settings_over_what_is_known_of_a_model() -> None:
    assert KNOWN.keys() == TRAITS.keys()
    assert traits_of("gemini-2.5-pro", "", None) == PRO
    assert traits_of("gemini-2.5-pro", "budget", None) == PRO
    assert traits_of("gemini-2.5-pro", "level", True) == Traits("level", "low")
    assert traits_of("gemini-2.5-pro", "none", None) == Traits("none", "", signs_calls=False)
    for unknown in ("gemini-2.5-pro-x", "gemini-2.5-pr", "new"):
        assert traits_of(unknown, "", None) == Traits("none", "")
    assert traits_of("new", "budget", False) == Traits("budget", 0, signs_calls=False)


def test_thinking_changes_nothing_of_the_history() -> None:
    """Signed thoughts go back whatever this request asks for: the prefix holds."""
    encoder = Encoder({})
    reply = turn(Reasoning("t", sealed("S1")), Call("a", "Read", "{}", sealed("S2")))
    view = View(Prefix("Be good."), (ASK, reply))
    on, off, high = (
        b"".join(encoder.body(Request(view, "m", 65_536, thinking), LOOK, FLASH, Capabilities()))
        for thinking in ("on", "off", "high")
    )
    parts = [body.partition(b'"contents":') for body in (on, off, high)]
    assert len({history for _, _, history in parts}) == 1
    assert len({head for head, _, _ in parts}) == 3


def test_schemas() -> None:
    """Definitions stand where they are referred to, so that nothing stands beside a reference."""
    made = json_schema(
        {
            "$schema": "x",
            "$defs": {
                "Step": {"type": "object", "properties": {"n": {"$ref": "#/$defs/Number"}}},
                "Number": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            },
            "type": "object",
            "properties": {
                "first": {"$ref": "#/$defs/Step", "description": "The first."},
                "rest": {"type": "array", "items": {"$ref": "#/$defs/Step"}},
                "definitions": {"$ref": "#/$defs/Number"},
            },
        }
    )
    number = {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}
    step = {"type": "object", "properties": {"n": number}}
    assert made == {
        "type": "object",
        "properties": {
            "first": {**step, "description": "The first."},
            "rest": {"type": "array", "items": step},
            "definitions": number,
        },
    }


def test_schemas_that_hold_themselves_or_grow_without_bound() -> None:
    tree = {"type": "object", "properties": {"sub": {"$ref": "#/$defs/Tree"}}}
    holds = {"type": "object", "properties": {"t": {"$ref": "#/$defs/Tree"}}}
    made = json_schema({**holds, "$defs": {"Tree": tree}})
    assert made == {
        "type": "object",
        "properties": {"t": tree},
        "$defs": {"Tree": tree},
    }
    laughs = {
        f"D{i}": {"anyOf": [{"$ref": f"#/$defs/D{i + 1}"}] * 10, "title": "x"} for i in range(12)
    }
    grows = {"type": "object", "properties": {"a": {"$ref": "#/$defs/D0"}}, "$defs": laughs}
    assert json_schema(grows) == grows
    nowhere = {"type": "object", "properties": {"a": {"$ref": "#/$defs/None"}}}
    assert json_schema(nowhere) == nowhere


@pytest.mark.parametrize(
    ("can", "thinking", "wanted", "limit"),
    [
        (KNOWN["gemini-2.5-flash"], "on", 1_000, 9_192),
        (KNOWN["gemini-2.5-flash"], "off", 1_000, 1_000),
        (KNOWN["gemini-flash-latest"], "off", 1_000, 3_048),  # it cannot be kept from thinking
        (KNOWN["gemini-flash-latest"], "high", 65_536, 65_536),
        (replace(KNOWN["gemini-2.5-flash"], max_output=4_096), "high", 4_096, 4_096),
        (Capabilities(), "high", 1_000, 1_000),
    ],
)
def test_a_reply_has_room_for_its_thoughts(
    can: Capabilities, thinking: Thinking, wanted: int, limit: int
) -> None:
    """They count within the limit on this wire; half of it stays for what is said."""
    request = Request(View(Prefix(), (ASK,)), "m", wanted, thinking)
    body = json.loads(b"".join(Encoder({}).body(request, LOOK, FLASH, can)))
    config = body["generationConfig"]
    assert config["maxOutputTokens"] == limit
    assert config["thinkingConfig"]["thinkingBudget"] <= limit // 2
