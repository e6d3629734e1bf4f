"""What the trust question shows of settings that would rather not be read."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.frontend.trusting import WIDEST_VALUE, bounded


def write(tl: Any, values: Any) -> None:
    folder = tl.cwd / ".turnloop"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(values))


def shown(tl: Any) -> list[str]:
    """Names and values as `tl trust` shows them."""
    lines = tl("trust").out.splitlines()[1:]
    return [re.sub(r"  \(/.*:\d+\)$", "", line.strip()) for line in lines]


def test_the_end_of_a_long_list_is_shown(tl: Any) -> None:
    rules = [f"Bash(make {n})" for n in range(500)]
    write(tl, {"permissions": {"allow": [*rules, "Bash"]}})
    name, value = shown(tl)
    assert name == "permissions.allow"
    assert value.startswith('["Bash(make 0)", ')
    assert re.search(r' … .*"Bash\(make 499\)", "Bash"\] \(cut: [\d,]+ characters\)$', value)


def test_neither_line_ends_nor_blanks_of_a_key_are_lost(tl: Any) -> None:
    write(tl, {"providers": {"a\n  model  (x:1)": {"kind": "k"}, "b  c": {"kind": "k"}}})
    assert shown(tl)[::2] == ['providers."a\\n  model  (x:1)"', 'providers."b  c"']


def test_two_long_keys_that_differ_at_the_end_are_shown_to_differ(tl: Any) -> None:
    write(tl, {"providers": {"x" * 5_000 + end: {"kind": "k"} for end in "ab"}})
    one, other = shown(tl)[::2]
    assert one != other
    assert one.endswith("xa (cut: 5,011 characters)")
    assert max(len(one), len(other)) < 250


def test_signs_that_look_like_others_are_named(tl: Any) -> None:
    write(tl, {"providers": {"оurs": {"kind": "k"}}, "model": "ехo"})  # noqa: RUF001
    assert shown(tl) == [
        "providers.оurs (not only ASCII: U+043E)",  # noqa: RUF001
        '{"kind": "k"}',
        "model",
        '"ехo" (not only ASCII: U+0435, U+0445)',  # noqa: RUF001
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_of_many_settings_each_is_named_and_the_last_stands_last(tl: Any, request: Any) -> None:
    from talking import Talk

    many = {f"p{n}": {"kind": "k", "base_url": "y" * 900} for n in range(100)}
    write(tl, {"providers": many, "permissions": {"allow": ["Bash"]}})
    talk = Talk(tl)
    request.addfinalizer(talk.kill)
    talk.wait("101 settings in all")
    talk.wait("[y]es, [n]o, ne[v]er: ")
    lines = [line.strip() for line in talk.seen.splitlines()]
    named = [line.partition(":")[0] for line in lines if line.startswith(("providers.", "perm"))]
    assert named == [*(f"providers.{name}" for name in many), "permissions.allow"]
    assert max(map(len, lines)) < 200


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300), st.integers(10, 200))
def test_what_is_shown_is_one_line_of_bounded_length(text: str, width: int) -> None:
    line = bounded(text, width)
    assert line.isprintable()
    assert len(line) <= width + 120
    assert len(bounded("x" * 10**6, WIDEST_VALUE)) < WIDEST_VALUE + 50
