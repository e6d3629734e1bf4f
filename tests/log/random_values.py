"""Hypothesis strategies that follow the type hints: a new field or kind is covered by itself."""

from __future__ import annotations

import types
import typing
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any

from hypothesis import strategies as st

from turnloop_core.log.records import UnknownRecord
from turnloop_core.types.content import Call
from turnloop_core.types.facts import OtherFact
from turnloop_core.types.items import Reply

texts = st.text(max_size=12)
numbers = st.integers(-(2**70), 2**70)
floats = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | floats | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
json_objects = st.dictionaries(texts, json_values, max_size=3)
strange = json_objects.map(lambda data: {**data, "kind": "of a later version"})


@cache
def of(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type hint, every field of a dataclass filled."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return json_values
    if origin in (typing.Union, types.UnionType):
        return st.one_of([of(member) for member in arguments])
    if origin is typing.Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(of(arguments[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(texts, of(arguments[1]), max_size=3)
    if hint is Reply:
        return _fields_of(Reply).map(_reply)
    if hint in (OtherFact, UnknownRecord):
        return strange.map(hint)
    if is_dataclass(hint):
        return _fields_of(hint).map(lambda values: hint(**values))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(hint)
    return {
        str: texts,
        int: numbers,
        float: floats,
        bool: st.booleans(),
        type(None): st.none(),
    }[hint]


def _fields_of(cls: type) -> st.SearchStrategy[dict[str, Any]]:
    hints = typing.get_type_hints(cls)
    return st.fixed_dictionaries({f.name: of(hints[f.name]) for f in fields(cls)})


def _reply(values: dict[str, Any]) -> Reply:
    blocks = [
        Call(f"{place}", block.name, block.arguments, block.opaque)
        if isinstance(block, Call)
        else block
        for place, block in enumerate(values["blocks"])
    ]
    cut = values["cut"] and not any(isinstance(block, Call) for block in blocks)
    return Reply(**{**values, "blocks": tuple(blocks), "cut": cut})
