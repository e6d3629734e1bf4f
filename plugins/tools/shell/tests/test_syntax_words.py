"""Words: quotes, escapes, expansions and braces, as bash has them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_shell.syntax.nodes import Node, Simple
from turnloop_shell.syntax.parse import parse
from turnloop_shell.syntax.words import Literal, Unknown, Variable, Word


def words(line: str) -> tuple[Word, ...]:
    """The words of a line that is one simple command without doubts."""
    script = parse(line)
    assert script.doubts == ()
    assert isinstance(script.body, Simple)
    return script.body.words


def texts(line: str) -> list[str]:
    assert all(word.known for word in words(line))
    return [word.text for word in words(line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("p 'a b' c", ["p", "a b", "c"]),
        ("p 'it'\\''s'", ["p", "it's"]),
        ('p "a\\"b" "\\$x" "\\`" "\\\\" "\\a"', ["p", 'a"b', "$x", "`", "\\", "\\a"]),
        ("p r''m \"\"r\\m '' \"\"", ["p", "rm", "rm", "", ""]),
        ("p a\\ b \\; \\#", ["p", "a b", ";", "#"]),
        ('p $"a b" "$" $ a$', ["p", "a b", "$", "$", "a$"]),
        ("p a#b '#' c#", ["p", "a#b", "#", "c#"]),
        ("p a\u00a0b \u2028 \u200b \x0b\x01", ["p", "a\u00a0b", "\u2028", "\u200b", "\x0b\x01"]),
        ("p 'a\nb' \"c\nd\"", ["p", "a\nb", "c\nd"]),
        ("p -f=~/x --a=b", ["p", "-f=~/x", "--a=b"]),
        ("p if then { } ! [[ time", ["p", "if", "then", "{", "}", "!", "[[", "time"]),
    ],
)
def test_quotes_are_removed(line: str, expected: list[str]) -> None:
    if "[[" in line:
        assert [word.text for word in words(line)] == expected
    else:
        assert texts(line) == expected


@pytest.mark.parametrize(
    ("code", "value"),
    [
        (r"\162\155", "rm"),
        (r"\x72\x6d", "rm"),
        (r"\u0072\U0000006d", "rm"),
        (r"\xc3\xa9\303\251", "éé"),
        (r"\a\b\e\E\f\n\r\t\v", "\a\b\x1b\x1b\f\n\r\t\v"),
        (r"\\\'\"\?", "\\'\"?"),
        (r"\cA\ca\c?\c[", "\x01\x01\x7f\x1b"),
        (r"\q\8", r"\q\8"),
        (r"a\0b", "a"),
        (r"a\x00b", "a"),
        (r"\$X", r"\$X"),
        ("a\\\nb", "a\\\nb"),
        (r"\1011\x411", "A1A1"),
        ("", ""),
    ],
)
def test_escapes_of_ansi_quotes(code: str, value: str) -> None:
    assert texts(f"p $'{code}'x") == ["p", value + "x"]


@pytest.mark.parametrize("code", [r"\x{41}", r"\ud800", r"\xff", r"\U00110000"])
def test_escapes_that_shells_read_in_different_ways_are_doubts(code: str) -> None:
    script = parse(f"p $'{code}'")
    assert script.doubts == ("a `$'...'` in it has an escape that shells read in different ways",)
    assert isinstance(script.body, Simple)
    assert not script.body.words[1].known


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("{rm,-rf,build}", ["rm", "-rf", "build"]),
        ("r{m,}", ["rm", "r"]),
        ("a{b,c}{1,2}d", ["ab1d", "ab2d", "ac1d", "ac2d"]),
        ("{a,{b,c}d}", ["a", "bd", "cd"]),
        ("{a,{b,c}", ["{a,b", "{a,c"]),
        ("{{a,b}}", ["{a}", "{b}"]),
        (
            "{1..3} {3..1} {1..6..2} {6..1..-2}",
            ["1", "2", "3", "3", "2", "1", "1", "3", "5", "6", "4", "2"],
        ),
        ("{01..03} {-1..1} {1..3..0}", ["01", "02", "03", "-1", "0", "1", "1", "2", "3"]),
        ("{a..c..2} {c..a}", ["a", "c", "c", "b", "a"]),
        ("{} {x} {a..1} {1..2 {,", ["{}", "{x}", "{a..1}", "{1..2", "{,"]),
        ("'{a,b}' \"{a,b}\" \\{a,b} {a\\,b}", ["{a,b}", "{a,b}", "{a,b}", "{a,b}"]),
        ("{a,'b c'} {'a,b',c}", ["a", "b c", "a,b", "c"]),
        ("{,a} {'',a} x{,}", ["a", "", "a", "x", "x"]),
        ("''{,}", ["", ""]),
        ("-I{} {}+", ["-I{}", "{}+"]),
        ("{},a} x{},a}", ["{},a}", "x}", "xa"]),
    ],
)
def test_braces_make_words_in_the_order_of_bash(word: str, expected: list[str]) -> None:
    assert texts("p " + word) == ["p", *expected]


def test_braces_do_not_look_into_expansions() -> None:
    found = words("p {$a,${b,,}}")
    assert [word.parts for word in found[1:]] == [
        (Variable("a", "$a"),),
        (Unknown("${b,,}"),),
    ]


def test_braces_with_very_many_words_and_loose_dollars_are_doubts() -> None:
    assert parse("p {1..100000}").doubts == ("its braces expand to very many words",)
    assert parse("p " + "{a,b}" * 30).doubts == ("its braces expand to very many words",)
    assert parse("p " + "{" * 5000 + "a,b" + "}" * 5000).doubts != ()
    # The shell would make `$HOME` of it.
    assert parse("p {$,}HOME").doubts == ("a `$` stands beside braces in it",)


def test_assignments_are_not_expanded_by_braces() -> None:
    script = parse("x={a,b} p")
    assert isinstance(script.body, Simple)
    value = script.body.assignments[0].value
    assert value is not None
    assert value.text == "{a,b}"


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("$x", (Variable("x", "$x"),)),
        ("${x}y", (Variable("x", "${x}"), Literal("y"))),
        ('"$x"', (Variable("x", "$x", quoted=True),)),
        ("$10", (Variable("1", "$1"), Literal("0"))),
        ("${10}", (Variable("10", "${10}"),)),
        ('"$@"$#$?', (Variable("@", "$@", quoted=True), Variable("#", "$#"), Variable("?", "$?"))),
        ("a$x'b'", (Literal("a"), Variable("x", "$x"), Literal("b", quoted=True))),
        ("$x''", (Variable("x", "$x"), Literal("", quoted=True))),
        ("${x:-y}", (Unknown("${x:-y}"),)),
        ("${#x}", (Unknown("${#x}"),)),
        ("${x[0]}", (Unknown("${x[0]}"),)),
        ("${x:-'}'}", (Unknown("${x:-'}'}"),)),
        ('"${x:-"a"}"', (Unknown('${x:-"a"}', quoted=True),)),
        ("${!x@}", (Unknown("${!x@}"),)),
        ("$((1<<2))", (Unknown("$((1<<2))"),)),
        ("$[1+2]", (Unknown("$[1+2]"),)),
        ('"$(b)"', (Unknown("$(b)", quoted=True),)),
        ("`b`", (Unknown("`b`"),)),
        ("<(b)", (Unknown("<(b)"),)),
        ("x=>(b)y", (Literal("x="), Unknown(">(b)"), Literal("y"))),
        ("~/'a'", (Literal("~/"), Literal("a", quoted=True))),
        ("*.p[y]", (Literal("*.p[y]"),)),
        ("'*'?", (Literal("*", quoted=True), Literal("?"))),
        ('"~"', (Literal("~", quoted=True),)),
    ],
)
def test_parts(source: str, parts: object) -> None:
    word = words("p " + source)[1]
    assert (word.parts, word.source) == (parts, source)


def found_in(line: str) -> list[list[str]]:
    """The commands that run while the last word of the line is expanded."""
    script = parse(line)
    assert script.doubts == ()
    assert isinstance(script.body, Simple)
    return [_simple(node) for node in script.body.words[-1].nested]


def _simple(node: Node) -> list[str]:
    assert isinstance(node, Simple)
    return [word.text for word in node.words]


@pytest.mark.parametrize(
    "word",
    [
        "$(b c)",
        '"x$(b c)y"',
        "`b c`",
        '"`b c`"',
        '"`b \\"c\\"`"',
        "<(b c)",
        ">(b c)",
        "${x:-$(b c)}",
        "${x:-`b c`}",
        '"${x:-$(b c)}"',
        "\"${x:-'$(b c)'}\"",
        "${x#<(b c)}",
        "${x/$(b c)/y}",
        "${x:$(b c)}",
        "${x[$(b c)]}",
        '"${x["$(b c)"]}"',
        "${x:-${y:-$(b c)}}",
        "$(( 1 + $(b c) ))",
        "$(( x[`b c`] ))",
        "$[ $(b c) ]",
        "$(b c # )\n)",
        "$(\n# '\nb c\n)",
        "'x'$(b c)",
        '$"x$(b c)"',
    ],
)
def test_commands_in_words(word: str) -> None:
    assert found_in("p " + word) == [["b", "c"]]


def test_what_is_quoted_is_no_command() -> None:
    for word in ["'$(b)'", "\\$\\(b\\)", '"\\$(b)"', "$'$(b)'", "'`b`'", "\\`b\\`", "${x:-'$(b)'}"]:
        assert found_in("p " + word) == []


def test_backticks_in_backticks() -> None:
    (outer,) = parse("p `b \\`c\\``").body.words[-1].nested  # type: ignore[union-attr]
    assert isinstance(outer, Simple)
    assert [_simple(node) for node in outer.words[-1].nested] == [["c"]]


@pytest.mark.parametrize(
    ("line", "doubt"),
    [
        ("p ${x@P}", "it expands a value as a prompt (`@P`), which runs the commands in it"),
        ("p ${x[1]@P}", "it expands a value as a prompt (`@P`), which runs the commands in it"),
        ("p ${!x}", "it expands a variable whose name only another variable holds (`${!name}`)"),
        ("p ${ b; }", "`${ ...; }` runs commands in some shells and is an error in others"),
        ("p ${| b; }", "`${ ...; }` runs commands in some shells and is an error in others"),
        ("p \"${x:-$'$(b)'}\"", "a `$'...'` inside of an expansion in it may be expanded again"),
        (
            "p a \\\r\n",
            "it holds a carriage return, which hides text and is no blank for the shell",
        ),
        ("p !!", "it may use history expansion (`!`)"),
        ("p a!b", "it may use history expansion (`!`)"),
        ("p !$", "it may use history expansion (`!`)"),
        ("^a^b", "it may use quick substitution (`^old^new`)"),
        ("p a\rb", "it holds a carriage return, which hides text and is no blank for the shell"),
        ("p 'a", "a quote in it is not closed"),
        ('p "a', "a quote in it is not closed"),
        ("p $'a", "a quote in it is not closed"),
        ("p `a", "a quote in it is not closed"),
        ("p ${a", "an expansion in it is not closed"),
        ("p $(a", "a `)` is missing in it"),
    ],
)
def test_doubts_of_words(line: str, doubt: str) -> None:
    script = parse(line)
    assert script.doubts == (doubt,)
    assert script.body is not None


@pytest.mark.parametrize(
    "line", ["p '!x' \"!x\" ! a!= [!a] wow!", "p 'a\rb'", "p ${!x*} ${!x[@]}", "p a^b"]
)
def test_what_only_looks_so_is_no_doubt(line: str) -> None:
    assert parse(line).doubts == ()


@given(st.text(alphabet="ab '\"\\$`{},.;&|<>()#!*~\n", max_size=40))
@settings(max_examples=200, deadline=None)
def test_quoted_text_stays_as_it_is(text: str) -> None:
    quoted = "'" + text.replace("'", "'\\''") + "'"
    assert texts("p " + quoted) == ["p", text]


def test_a_bracket_alone_is_a_program_and_no_pattern() -> None:
    assert texts("[ a = b ]") == ["[", "a", "=", "b", "]"]
