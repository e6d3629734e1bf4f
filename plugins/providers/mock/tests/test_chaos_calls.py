"""Chaos: the same seed gives the same calls, and each prompt ends in a plain answer."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings, strategies as st

from turnloop_core.api import (
    CallArguments,
    CallStart,
    End,
    ErrorKind,
    Prefix,
    Prompt,
    Reply,
    Request,
    Result,
    StopReason,
    TextDelta,
    ToolSchema,
    Turn,
    View,
)
from turnloop_core.types.content import Call
from turnloop_mock.chaos import Chaos, ChaosCall
from turnloop_mock.chaotic import Chaotic
from turnloop_mock.options import MockOptions, ValidCall

PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = (ToolSchema("Read", "", PATH, read_only=True), ToolSchema("Write", "", PATH))
ASK = Prompt(1, "Go.")


def some(chaos: Chaos, tools: tuple[ToolSchema, ...] = TOOLS, count: int = 50) -> list[ChaosCall]:
    return [chaos.next(tools) for _ in range(count)]


def test_the_seed_decides() -> None:
    assert some(Chaos(1)) == some(Chaos(1))
    assert some(Chaos(1)) != some(Chaos(2))


def test_right_calls_are_of_tools_that_change_nothing() -> None:
    made = some(Chaos(3, 0.0))
    assert {(call.name, call.truth) for call in made} == {("Read", None)}
    assert all(json.loads(call.arguments).keys() == {"path"} for call in made)


def test_where_no_call_can_be_right_all_are_broken() -> None:
    unclear = {"type": "object", "properties": {"x": {"type": "string", "pattern": "^a+$"}}}
    tools = (
        ToolSchema("Pick", "", unclear | {"required": ["x"]}, read_only=True),
        ToolSchema("Write", "", PATH),
    )
    assert None not in {call.truth for call in some(Chaos(3, 0.0), tools)}
    assert {call.truth for call in some(Chaos(3, 0.0), ())} == {ErrorKind.UNKNOWN_TOOL}


def test_given_calls_go_before_those_that_could_be_made() -> None:
    given = [("Write", {"path": "out"}), ("Absent", {})]
    made = some(Chaos(3, 0.0, given))
    assert {(c.name, json.loads(c.arguments)["path"], c.truth) for c in made} == {
        ("Write", "out", None)
    }
    assert None not in {call.truth for call in some(Chaos(3, 0.0, [("Absent", {})]))}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda part: (
        st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=5), part, max_size=3)
    ),
    max_leaves=6,
)
KEYWORDS = st.sampled_from(
    (
        *("type", "properties", "required", "items", "enum", "const", "anyOf", "oneOf", "allOf"),
        *("$ref", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "not"),
        *("additionalProperties", "uniqueItems", "multipleOf", "exclusiveMinimum"),
    )
)
KINDS = st.sampled_from(
    ("string", "integer", "number", "boolean", "array", "object", "null", "odd", "#/$defs/X", "#")
)
SCHEMA = st.recursive(
    st.dictionaries(KEYWORDS, JSON | KINDS, max_size=4),
    lambda part: st.dictionaries(
        KEYWORDS,
        part
        | st.lists(part, max_size=3)
        | st.dictionaries(st.text(max_size=3), part)
        | KINDS
        | JSON,
        max_size=4,
    ),
    max_leaves=8,
)


@given(schema=SCHEMA, seed=st.integers(0, 999))
@settings(max_examples=150, deadline=None)
def test_no_schema_however_odd_stops_it(schema: dict[str, Any], seed: int) -> None:
    tools = (ToolSchema("Odd", "", schema, read_only=bool(seed % 2)),)
    for call in some(Chaos(seed, 0.5), tools, 8):
        assert isinstance(call.name, str)
        assert isinstance(call.arguments, str)


# -- as a provider


def steps(chaotic: Chaotic, *items: Any) -> list[Any]:
    return list(chaotic.answer(Request(View(Prefix("s", TOOLS), (ASK, *items)), "mock-1", 100)))


def calls_in(deltas: list[Any]) -> tuple[Call, ...]:
    return tuple(
        Call(
            d.id,
            d.name,
            "".join(
                a.fragment for a in deltas if isinstance(a, CallArguments) and a.block == d.block
            ),
        )
        for d in deltas
        if isinstance(d, CallStart)
    )


def answered(number: int, chaotic: Chaotic, deltas: list[Any], *, well: bool) -> Turn:
    """The turn of a reply whose calls got the results that they should get, or not."""
    calls = calls_in(deltas)
    made = [chaotic._made[call.id] for call in calls]
    results = [Result.say("r", error=m.truth if well else ErrorKind.EXCEPTION) for m in made]
    return Turn(number, Reply(calls, StopReason.TOOL_USE), tuple(results))


def options(**fields: Any) -> MockOptions:
    return MockOptions(kind="mock", mode="chaos", **fields)


def text(deltas: list[Any]) -> str:
    return "".join(d.text for d in deltas if isinstance(d, TextDelta))


def test_so_many_replies_to_each_prompt_and_then_an_account() -> None:
    chaotic = Chaotic(options(turns=3, calls=4, seed=2))
    items: list[Any] = []
    for number in (2, 3, 4):
        deltas = steps(chaotic, *items)
        assert deltas[-1] == End(StopReason.TOOL_USE)
        assert len(calls_in(deltas)) == 4
        items.append(answered(number, chaotic, deltas, well=number < 4))
    last = steps(chaotic, *items)
    assert last[-1] == End(StopReason.END_TURN)
    first, *complaints = text(last).splitlines()
    assert first == (
        "Chaos is over (seed 2): 12 calls, of which 12 were broken on purpose and 0 were right. "
        "8 came back as what they are, 4 did not."
    )
    assert len(complaints) == 4
    assert complaints[0].startswith("chaos_3_1 (")
    assert complaints[0].endswith(" and is exception")
    items += [Turn(5, Reply((), StopReason.END_TURN)), Prompt(6, "Again.")]
    assert steps(chaotic, *items)[-1] == End(StopReason.TOOL_USE)


def test_a_resumed_session_goes_on_where_it_was() -> None:
    whole, resumed = Chaotic(options(seed=5)), Chaotic(options(seed=5))
    items: list[Any] = []
    for number in (2, 3, 4):
        items.append(answered(number, whole, steps(whole, *items), well=True))
    assert steps(resumed, *items) == steps(whole, *items)


def test_one_to_three_calls_by_the_seed() -> None:
    counts = {len(calls_in(steps(Chaotic(options(seed=seed))))) for seed in range(40)}
    assert counts == {1, 2, 3}


def test_right_calls_of_settings_are_made() -> None:
    valid = (ValidCall(name="Write", arguments={"path": "x"}),)
    chaotic = Chaotic(options(broken=0.0, calls=2, valid=valid))
    assert {call.name for call in calls_in(steps(chaotic))} == {"Write"}


def test_a_question_for_a_summary_gets_words() -> None:
    view = View(Prefix("Summarise."), (Prompt(0, "all"),))
    deltas = Chaotic(options()).answer(Request(view, "mock-1", 100))
    assert [type(delta) for delta in deltas] == [TextDelta, End]
