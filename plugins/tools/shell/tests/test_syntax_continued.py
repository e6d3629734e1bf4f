"""Continued lines and quotes in texts that the shell reads for themselves: backticks, `${...}`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from shutil import which

import pytest
from hypothesis import given, settings, strategies as st
from shell_bash import Bash, commands
from shell_lines import Lines
from test_syntax_oracle import check

from turnloop_shell.syntax.nodes import Node
from turnloop_shell.syntax.parse import parse

CONTINUED = "its continued lines may be read in different ways"
LOOSE = "single quotes inside of a quoted expansion in it may be read in different ways"
BRACES = "braces between quotes that stand in other quotes may be expanded in it"


def named(node: Node | None) -> list[str]:
    """The commands in a tree, each as a line."""
    return [" ".join(word.text for word in simple.words) for simple in commands(node)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a `r\\\\\nm x`", ["rm x"]),
        ("a `r\\\nm x`", ["rm x"]),
        ('a "`r\\\\\nm x`"', ["rm x"]),
        ("a `b 'x\\\\\ny'; c`", ["b x\\\ny", "c"]),
        ("a `b 'x\\\ny'; c`", ["b xy", "c"]),
        ("a `b # \\\\\nc`", ["b", "c"]),
        ("a `b # \\\nc`", ["b"]),
        ("a `b \\\\\\\\\nc`", ["b \\", "c"]),
        ("a `b \\`r\\\\\\\\\nm x\\``", ["b `r\\\\\nm x`", "rm x"]),
        ("a `b \\`r\\\\\nm x\\``", ["b `rm x`", "rm x"]),
        ("a $(b `r\\\\\nm x`)", ["b `r\\\\\nm x`", "rm x"]),
        ("a <<E\n`r\\\\\nm x`\nE", ["rm x"]),
        ("a <<E\n$(b # \\\\\nc\n)\nE", ["b", "c"]),
        ("a <<'E'\n`r\\\\\nm x`\nE", []),
        ("x[`r\\\\\nm x`]=1", ["rm x"]),
        ("a $((`r\\\\\nm x`))", ["rm x"]),
        ("a ${x:-`r\\\\\nm x`}", ["rm x"]),
        ("a `b <<E\nx\\\\\nE\nE\nc`", ["b", "c"]),
        ("a \"${x:-'$( r\\\nm -rf build\n)'}\"", ["rm -rf build"]),
        ("a \"${x:-'$(b # c\\\nrm x\n)'}\"", ["b", "rm x"]),
        ("a \"${x:-'`r\\\\\nm x`'}\"", ["rm x"]),
        ("a $(( '$( r\\\nm x)' ))", ["rm x"]),
        ("a <<E\n${x:-'$( r\\\nm x)'}\nE", ["rm x"]),
        ("a ${x:-'$( r\\\nm x)'}", []),
    ],
)
def test_continued_lines_within_texts_of_their_own(line: str, found: list[str]) -> None:
    script = parse(line)
    assert script.doubts == ()
    inner = [each for each in named(script.body) if each[:2] not in {"a", "a ", ""}]
    assert sorted(inner) == sorted(found)


@pytest.mark.parametrize(
    ("line", "doubt"),
    [
        ('a "${x:-\'}"; rm y; echo "$z\'}"', LOOSE),
        ('a "${x=\'"\'}"', LOOSE),
        ('a "`b "{rm,x}"`"', BRACES),
        ('a "`b "x {c,d} y" e`"', BRACES),
        ('a "${x:-"{c,d}"}"', BRACES),
        ('a "${x:-`b "{c,d}"`}"', BRACES),
    ],
)
def test_quotes_in_quotes_that_shells_read_in_different_ways(line: str, doubt: str) -> None:
    assert parse(line).doubts == (doubt,)


@pytest.mark.parametrize(
    "line",
    [
        "a \"${x:-'b'}\" \"${x#'}'}\" \"${x//'\"'/}\" ${x:-'}'}",
        "a \"${x:-$(awk '{print $1, $2}' b)}\"",
        'a "${x:-"$(awk \'{print $1, $2}\' b)"}"',
        'a "`awk \'{print $1, $2}\' b`" "`b "c" {d,e}`"',
        'a "`b \\"{c,d}\\"`" "`b "${c}"`" "${x:-"$c"}" "$(b "{c,d}")"',
    ],
)
def test_quotes_in_quotes_that_are_common_are_no_doubt(line: str) -> None:
    assert parse(line).doubts == ()


@pytest.mark.parametrize(
    "line",
    [
        "echo \"${x:-'$(rm -rf b$''uild)'}\"",
        "a \"${x:-'$('rm x')'}\"",
        "a \"${x:-'`b'}\"",
        "a $(( '$(b' ))",
        "a \"${x:-'${y'}\"",
        "a {'b'..c} {1..$x} {$x..2} {`b`..3}",
    ],
)
def test_placeholders_stay_inside(line: str) -> None:
    assert not [text for text in texts(parse(line)) if re.search("[\0\ue000-\uf8ff]", text)]


def test_what_stands_between_single_quotes_in_a_quoted_expansion_is_found() -> None:
    script = parse("a \"${x:-'$(rm -rf b$''uild)'}\"")
    assert script.doubts != ()
    assert "rm -rf b$" in named(script.body)


def texts(value: object) -> Iterator[str]:
    """Every text in a tree."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from texts(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from texts(getattr(value, field.name))


# Whole pieces, so that constructs meet that single characters would hardly ever make.
_PIECES = st.sampled_from(
    [
        *("${x:-", "${x[", "$((", "((", "$[", "$(", "`", "<(", "[[ ", " ]]", "))", "]", "}", ")"),
        *("'", '"', "$'", "\\", "\\\n", "\n", " ", "{", ",", "..", "<<E\n", "\nE\n", "a", "$x"),
        *("1", "=(", "\\0", "\\u0", "\\c@", "\\x00", "\\400", " -eq ", " -v ", "#", ";", "x["),
        *("]=", "\ud800"),
    ]
)


@given(st.lists(_PIECES, max_size=25).map("".join))
@settings(max_examples=200, deadline=None)
def test_no_text_of_a_tree_holds_what_the_line_does_not(line: str) -> None:
    for text in texts(parse(line)):
        assert "\0" not in text
        assert not re.search("[\ue000-\uf8ff]", text)
        text.encode()


@pytest.mark.parametrize("line", ["rm a\0b; c", "rm \ud800 b; c"])
def test_texts_that_no_file_can_have_are_taken_out(line: str) -> None:
    assert not [text for text in texts(parse(line)) if re.search("[\0\ud800-\udfff]", text)]


def test_a_text_that_is_read_again_and_again_ends() -> None:
    # What continues the lines within each level shows when the level around it is read.
    code = "b " * 9_000
    for _ in range(9):
        code = "`" + re.sub(r"[\\`$]", r"\\\g<0>", "\\\n" + code) + "`"
    assert parse(code).doubts == ("it is nested too deeply",)


@pytest.mark.skipif(which("bash") is None or which("sh") is None, reason="bash is the oracle")
@pytest.mark.parametrize("changes", ["c", "b", "cb", "bc", "bb", "s", "cs"])
def test_what_bash_runs_on_changed_lines_is_in_the_tree(tmp_path: Path, changes: str) -> None:
    bash, count = Bash(tmp_path), 0
    for seed in range(80):
        lines = Lines(seed)
        line = lines.simple(1)
        for change in changes:
            makers = {"c": lines.continued, "b": lines.backticked, "s": lines.stringed}
            line = makers[change](line)
        if "for" not in line:
            count += check(line, bash)
    assert count > 20
