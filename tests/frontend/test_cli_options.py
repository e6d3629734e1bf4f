"""The direct parser and click, built from one table, understand the same thing."""

from __future__ import annotations

from typing import get_args

import click
from hypothesis import example, given, settings, strategies as st

from turnloop_core.frontend.cli import make_group
from turnloop_core.frontend.options import LEVELS, OPTIONS, Top, parse_plain, wanted_off
from turnloop_core.types.capabilities import Thinking

FLAGS = [flag for option in OPTIONS for flag in option.flags]
VALUES = ["a", "b c", "", "-", "-x", "--json", "0", "3", "٣", "plan", "yolo", "=", "x=y", "é"]
words = st.lists(
    st.one_of(
        st.sampled_from(FLAGS),
        st.sampled_from(VALUES),
        st.builds("{}={}".format, st.sampled_from(FLAGS), st.sampled_from(VALUES)),
    ),
    max_size=6,
)


def by_click(arguments):
    """What click makes of the words; None where it sees a mistake or a command."""
    group = make_group(arguments)
    try:
        ctx = group.make_context("tl", list(arguments), resilient_parsing=False)
    except click.ClickException:
        return None
    with ctx:
        return None if ctx._protected_args or ctx.args else Top(**ctx.params)


@settings(max_examples=200, deadline=None)
@given(words)
@example(["--resume"])
@example(["--resume", "-p", "x"])
@example(["--resume", "abc", "-p", "x"])
@example(["--resume=abc"])
@example(["--resume="])
@example(["--resume", "-"])
@example(["-p", "-x"])
@example(["-x", "a", "-x", "b", "--allow=Bash(ls)", "--allow", "Read"])
@example(["--json=1"])
def test_what_the_direct_parser_takes_click_takes_as_the_same(arguments):
    plain = parse_plain(arguments)
    if plain is not None:
        assert plain == by_click(arguments)


def test_the_direct_parser_takes_what_people_type():
    assert parse_plain([]) == Top()
    assert parse_plain(
        ["-p", "fix it", "--json", "--provider=local", "--max-iterations", "5", "-x", "web"]
    ) == Top(prompt="fix it", json=True, provider="local", max_iterations=5, disabled=("web",))
    assert parse_plain(["--resume", "--print", "go on"]) == Top(resume="", prompt="go on")


def test_the_direct_parser_leaves_the_rest_to_click():
    for arguments in (
        ["--help"],
        ["plugins"],
        ["-p"],
        ["-pfix"],
        ["--provder", "x"],
        ["--max-iterations", "0"],
        ["--permission-mode", "yolo"],
        ["--"],
    ):
        assert parse_plain(arguments) is None


def test_rules_by_verb():
    top = Top(allow=("Read",), ask=("Bash(npm *)", "Edit"))
    assert top.rules == {"allow": ("Read",), "ask": ("Bash(npm *)", "Edit")}


def test_switches_before_help():
    assert wanted_off(["-x", "a", "--help", "-xb", "-x"]) == ("a", "b")


def test_the_levels_of_thinking_are_those_of_the_settings():
    """They stand twice, since the types are not to be loaded for every start."""
    assert get_args(Thinking) == LEVELS
