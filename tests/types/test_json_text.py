"""JSON of others: nothing in it ends the program, neither when it is read nor later."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.types.codec import to_json
from turnloop_core.types.json_text import MAX_DEPTH, parse_json, parse_wire_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_what_is_json_is_read_as_ever(value: Any) -> None:
    text = json.dumps(value)
    if "Infinity" not in text:
        assert parse_json(text) == parse_wire_json(text) == value


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='[]{}":,\\ a1e9.-NIu0', max_size=60))
def test_any_text_gives_a_value_or_a_value_error(text: str) -> None:
    for parse in (parse_json, parse_wire_json):
        with suppress(ValueError):
            json.dumps(to_json(parse(text)))


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_the_depth_is_bounded(opening: str, closing: str) -> None:
    def nested(depth: int) -> str:
        return opening * depth + "1" + closing * depth

    assert parse_json(nested(MAX_DEPTH)) is not None
    for depth in (MAX_DEPTH + 1, 900, 100_000):
        for text in (nested(depth), opening * depth):
            with pytest.raises(ValueError, match="nested deeper"):
                parse_json(text)


def test_brackets_in_strings_and_siblings_are_no_depth() -> None:
    for value in (["[" * 1_000, '"{' * 1_000], [[] for _ in range(1_000)], {"a\\": "{" * 500}):
        assert parse_wire_json(json.dumps(value)) == value


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "9" * 401])
def test_numbers_that_json_does_not_have(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not JSON|digits"):
        parse_json(text)


def test_a_server_may_send_them_and_they_are_null() -> None:
    text = '{"logprob": -Infinity, "a": NaN, "b": 1e999, "c": 1.5}'
    assert parse_wire_json(text) == {"logprob": None, "a": None, "b": None, "c": 1.5}
