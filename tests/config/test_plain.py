"""The quick way gives what pydantic gives, or does not know."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings, strategies as st
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from turnloop_core.config.models import CORE_KEYS, Settings
from turnloop_core.config.plain import plainly


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """A part."""

    on: bool = False
    many: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What a plugin may have."""

    name: str
    level: Literal["a", "b"] = "a"
    seconds: float | None = None
    inner: Inner = field(default_factory=Inner)
    parts: dict[str, Inner] = field(default_factory=dict)
    free: dict[str, Any] = field(default_factory=dict)


KEYS = ("name", "level", "seconds", "inner", "parts", "free", "on", "many", "nmae")
ATOMS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.floats(-2, 2), st.sampled_from(["a", "b", "x"])
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6))
def test_what_it_says_pydantic_says_too(data: dict[str, Any]) -> None:
    mine = plainly(Section, data)
    if mine is None:
        return
    adapter = TypeAdapter(Section)
    assert mine == adapter.validate_json(json.dumps(data), strict=True, extra="forbid")


@settings(max_examples=100, deadline=None)
@given(
    st.fixed_dictionaries(
        {"name": st.text(max_size=5)},
        optional={
            "level": st.sampled_from(["a", "b"]),
            "seconds": st.one_of(st.none(), st.integers(0, 9), st.floats(0, 9)),
            "inner": st.fixed_dictionaries({}, optional={"on": st.booleans()}),
            "parts": st.dictionaries(st.text(max_size=3), st.just({"many": [1, 2]}), max_size=2),
            "free": st.dictionaries(st.text(max_size=3), ATOMS, max_size=2),
        },
    )
)
def test_what_is_right_it_knows(data: dict[str, Any]) -> None:
    assert plainly(Section, data) is not None


@pytest.mark.parametrize(
    "data",
    [{}, {"nmae": "x"}, {"name": "x", "inner": {"onn": True}}, {"name": 1}, {"name": None}, [], 5],
)
def test_what_is_wrong_it_leaves_to_pydantic(data: Any) -> None:
    assert plainly(Section, data) is None
    with pytest.raises(ValidationError):
        TypeAdapter(Section).validate_python(data, strict=True, extra="forbid")


def test_types_that_only_pydantic_knows_are_left_to_it() -> None:
    class Model(BaseModel):
        """A model."""

        a: int = 1

    @dataclass
    class Limited:
        """With a limit."""

        a: Annotated[int, Field(ge=1)] = 1

    @dataclass
    class Odd:
        """With a default of pydantic's."""

        a: int = Field(default=1, ge=1)

    for cls in (Model, Limited, Odd, int, dict[str, int]):
        assert plainly(cls, {"a": 1}) is None


def test_the_defaults_of_core_are_plain() -> None:
    from turnloop_core.config.sources import core_layer

    data = core_layer().data
    assert plainly(Settings, {key: data[key] for key in CORE_KEYS}) is not None


def test_settings_that_are_right_are_read_without_pydantic(tmp_path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from turnloop_core.config.layers import read_layers\n"
        "home = Path(sys.argv[1])\n"
        "layers = read_layers(home, home, {}, {'max_iterations': 5})\n"
        "loaded = layers.resolve([('mock', {'provider': 'mock'})], {}, trusted=False)\n"
        "assert loaded.settings.max_iterations == 5\n"
        "print('pydantic' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
