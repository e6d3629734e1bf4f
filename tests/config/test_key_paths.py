"""Keys as the user writes them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.config.paths import dotted, parse_key
from turnloop_core.nearest import best


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(min_size=0, max_size=6), min_size=1, max_size=4))
def test_a_key_that_is_shown_can_be_written(path: list[str]) -> None:
    assert parse_key(dotted(tuple(path))) == tuple(path)


def test_keys_are_shown_plainly_where_they_can_be() -> None:
    assert dotted(("a", "b-c", 2, "d.e", 'f"')) == 'a.b-c[2]."d.e"."f\\""'


@pytest.mark.parametrize("key", ["", ".", "a.", ".a", 'a."b', 'a"b"', "a[0]", ()])
def test_what_is_no_key_is_refused(key: object) -> None:
    with pytest.raises(ValueError, match="key"):
        parse_key(key)  # type: ignore[arg-type]


def test_the_nearest_name_keeps_its_case_or_is_nothing() -> None:
    known = ["Allow", "deny", "ask"]
    assert [best(n, known) for n in ("alow", "DENY", "zzz")] == ["Allow", "deny", ""]
