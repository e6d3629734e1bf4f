"""Commands: how they hang together, and that none is missed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_shell.syntax.nodes import (
    AndOr,
    Compound,
    Function,
    Node,
    Pipeline,
    Redirected,
    Script,
    Sequence,
    Simple,
    Subshell,
)
from turnloop_shell.syntax.parse import parse


def shown(node: Node | None) -> str:
    """A tree in one line."""
    if isinstance(node, Simple):
        found = [f"{a.name}={a.value.text if a.value else '()'}" for a in node.assignments]
        found += [word.text for word in node.words]
        found += [f"{r.kind}:{r.target.text}" for r in node.redirects]
        return " ".join(found)
    if isinstance(node, Sequence):
        return "[" + "; ".join(map(shown, node.items)) + "]"
    if isinstance(node, AndOr):
        return f"<{shown(node.left)} {node.operator} {shown(node.right)}>"
    if isinstance(node, Pipeline):
        return "|" + " | ".join(map(shown, node.items)) + "|"
    if isinstance(node, Subshell):
        return f"({shown(node.body)})"
    if isinstance(node, Function):
        return f"{node.name}(){shown(node.body)}"
    if isinstance(node, Compound):
        words = [word.text for word in node.words]
        inner = " / ".join(map(shown, node.bodies))
        return f"{node.kind}:{node.variable}{words if words else ''}{{{inner}}}"
    if isinstance(node, Redirected):
        return shown(node.body) + "".join(f" {r.kind}:{r.target.text}" for r in node.redirects)
    return "nothing"


@pytest.mark.parametrize(
    ("line", "tree"),
    [
        ("", "nothing"),
        (" \n # a\n", "nothing"),
        ("a b # c; d", "a b"),
        ("a;b\nc", "[a; b; c]"),
        ("a && b || c", "<<a && b> || c>"),
        ("a&&b\n", "<a && b>"),
        ("a | b |& c", "|a | b | c|"),
        # The grammar would put the list into the pipeline.
        ("a | b && c | d", "<|a | b| && |c | d||>".replace("||>", "|>")),
        ("a || b | c && d; e", "[<<a || |b | c|> && d>; e]"),
        ("a & b", "[(a); b]"),
        ("a && b & c | d &", "[(<a && b>); (|c | d|)]"),
        ("a &&\n # x\n\n b |\n c", "<a && |b | c|>"),
        ("( a; b ) | c", "|([a; b]) | c|"),
        ("{ a; { b; } }", "{:{[a; {:{b}]}".replace("{b}]}", "{b}]}")),
        ("if a; then b; elif c\nthen d; else e; fi", "if:{a / b / c / d / e}"),
        ("if (a) then b; fi", "if:{(a) / b}"),
        ("while a; do b; done", "while:{a / b}"),
        ("until a; do b & done", "until:{a / (b)}"),
        ("for x in 1 {2,3}; do a $x; done", "for:x['1', '2', '3']{a $x}"),
        ("for x do a; done", "for:x['\"$@\"']{a}"),
        ("for x\nin a\ndo\nb\ndone", "for:x['a']{b}"),
        ("select x in a; do b; done", "select:x['a']{b}"),
        ("for ((i=0;i<3;i++)); do a; done", "for:['((i=0;i<3;i++))']{a}"),
        ("for ((;;)) { a; }", "for:['((;;))']{a}"),
        ("case x in a|b) c;; (d) e;& f) g;;& esac", "case:['x', 'a', 'b', 'd', 'f']{c / e / g}"),
        ("case x in\n# y\na)\nb\n;;\nesac", "case:['x', 'a']{b}"),
        ("case x in a) b; esac; c", "[case:['x', 'a']{b}; c]"),
        ("case x in esac", "case:['x']{}"),
        ("f() { a; }; f", "[f(){:{a}; f]"),
        ("f ( )\n( a )", "f()(a)"),
        ("function f { a; }", "f(){:{a}"),
        ("function f() if a; then b; fi", "f()if:{a / b}"),
        ("f() ((1))", "f()((:['((1))']{}"),
        ("! a && ! b | c", "<a && |b | c|>"),
        ("time a; time -p -- b | c; ! time d", "[a; |b | c|; d]"),
        ("a | time b", "|a | time b|"),
        ("time { a; }", "{:{a}"),
        ("time", "time"),
        ("[[ -n $x && ( a == b* ) ]]", "[[:['-n', '$x', 'a', '==', 'b*']{}"),
        ("[[ a =~ ^(b|c)d$ ]] || e", "<[[:['a', '=~', '^(b|c)d$']{} || e>"),
        ("((x = 1 << 2)) && a", "<((:['((x = 1 << 2))']{} && a>"),
        ("((a) ; b)", "([(a); b])"),
        ("x=1 y='2 3' a z=4", "x=1 y=2 3 a z=4"),
        ("x[1 + 2]=a b", "x=a b"),
        ("x+=a", "x=a"),
        ("x=(a b\n# c\nd) e", "x=() e"),
        ("x=(a)b c", "x=() c"),
        ("x[1 2] a", "x[1 2] a"),
        ("export A=b 'C=d e'", "export A=b C=d e"),
        ("declare -a x=(a b)", "declare -a x=(a b)"),
        ("unset x y", "unset x y"),
        ("let 'a=1' b++", "let a=1 b++"),
        ("'if' a; \\while b", "[if a; while b]"),
        ("a>b c<d 2>>e f", "a c f write:b read:d write:e"),
        ("> a", "write:a"),
        (">a x=1 b", "x=1 b write:a"),
        ("a >|b &>c &>>d <>e >& f", "a write:b write:c write:d write:e write:f"),
        ("a 2>&1 >&2 <&- 3>&4- <&$x", "a copy:1 copy:2 copy:- copy:4- copy:$x"),
        (">&-a b", "a b copy:-"),
        ("a <&-b >& -", "a b copy:- copy:-"),
        ("a {fd}>b >(c) d>e", "a >(c) d write:b write:e"),
        ("a 2>&1&b", "[(a copy:1); b]"),
        ("a 2&>b", "a 2 write:b"),
        ("a > 'b c' <<<d e", "a e write:b c text:d"),
        ("{ a; } >b 2>&1 | c", "|{:{a} write:b copy:1 | c|"),
        ("a | { b; } >c", "|a | {:{b} write:c|"),
        ("f() { a; } >b", "f(){:{a} write:b"),
        ("while a; do b; done <c >d && e", "<while:{a / b} read:c write:d && e>"),
        ("[[ a ]] >b", "[[:['a']{} write:b"),
        ("! >a b", "b write:a"),
        ("! &>a b", "b write:a"),
    ],
)
def test_trees(line: str, tree: str) -> None:
    assert (shown(parse(line).body), parse(line).doubts) == (tree, ())


@pytest.mark.parametrize(
    ("line", "tree"),
    [
        ("a <<E\nb\n\nE\nc", "[a text:b\n\n; c]"),
        ("a <<'E'; b\n$(c)\nE", "[a text:$(c)\n; b]"),
        ("a <<'E' 2>&1 | b\nc\nE", "|a text:c\n copy:1 | b|"),
        ("a <<E > b && c\nd\nE\ne", "[<a text:d\n write:b && c>; e]"),
        ("a <<E <<-'F'; b\n1\nE\n\t2\n\tF\nc", "[a text:1\n text:2\n; b; c]"),
        ("a <<E; b <<F\n1\nE\n2\nF", "[a text:1\n; b text:2\n]"),
        ("a <<\\E\n`b`\n E\nE", "a text:`b`\n E\n"),
        ("a << E'F' b\n$x\nEF", "a b text:$x\n"),
        ("a <<''\nb\n\nc", "[a text:b\n; c]"),
        ("a <<E\nb \\$c \\`d\\` \"e\" 'f'\nE", "a text:b $c `d` \"e\" 'f'\n"),
        ("<<E a\nb\nE", "a text:b\n"),
        ("while a; do b; done <<E | c\nd\nE", "|while:{a / b} text:d\n | c|"),
        ("if a <<E; then\nb\nE\nc; fi", "if:{a text:b\n / c}"),
        ("(a <<E\nb\nE\n)", "(a text:b\n)"),
        ("a <<E # b\nc\nE", "a text:c\n"),
        ("a 'b\n<<E' \"c\n<<E\"", "a b\n<<E c\n<<E"),
        ("a $((1<<E)); b\nE", "[a $((1<<E)); b; E]"),
    ],
)
def test_heredocs(line: str, tree: str) -> None:
    assert (shown(parse(line).body), parse(line).doubts) == (tree, ())


def test_a_heredoc_in_a_substitution() -> None:
    script = parse("a \"$(b <<'E'\nit's (c); d\nE\n)\" e")
    assert script.doubts == ()
    assert isinstance(script.body, Simple)
    assert [shown(node) for node in script.body.words[1].nested] == ["b text:it's (c); d\n"]


def test_the_body_of_a_heredoc_is_expanded_unless_its_delimiter_is_quoted() -> None:
    body = "$(b) `c` ${x:-$(d)} $((1 + $(e))) \\$(f) \\`g\\`\n"
    for delimiter, expected in (("E", ["b", "c", "d", "e"]), ("'E'", []), ("\\E", []), ('E""', [])):
        script = parse(f"a <<{delimiter}\n{body}E")
        assert script.doubts == ()
        assert isinstance(script.body, Simple)
        assert [shown(node) for node in script.body.redirects[0].target.nested] == expected


@pytest.mark.parametrize(
    "line",
    [
        "a <<$'E'\nb\nE",
        "a <<$x\nb\n$x",
        "a <<$(b)\nc\n$(b)",
        "a <<E\nb",
        "a $(b <<E)\nc\nE",
        "a $(b <<E\nc\nE)",
        "a <<E $(b\nc)\nd\nE",
        "a $((1 + $(b <<'E'\nc\nE\n)))",
        # Bash makes `c d` of it when it writes the substitution anew.
        "a $(b <<E & c; d\nx\nE\n)",
        "a $(b <<E; c; d\nx\nE\n)",
        "a $(if b <<E; then\nx\nE\nc; fi)",
    ],
)
def test_heredocs_that_are_read_in_different_ways_are_doubts(line: str) -> None:
    assert parse(line).doubts != ()


@pytest.mark.parametrize(
    ("line", "tree"),
    [
        ("r\\\nm a", "rm a"),
        ("a \\\n  b \\\n  c", "a b c"),
        ("a &\\\n& b", "<a && b>"),
        ("a 'b\\\nc' \"d\\\ne\"", "a b\\\nc de"),
        ("a # b \\\nc", "[a; c]"),
        ("# a \\\nb", "b"),
        ("a \\\\\nb", "[a \\; b]"),
        ("a <<'E'\nb\\\nc\nE\nd\\\ne", "[a text:b\\\nc\n; de]"),
        ("a <<E\nb\\\nc\nE", "a text:bc\n"),
        ("a $'b\\\nc'", "a b\\\nc"),
    ],
)
def test_continued_lines_are_joined_before_words_are_looked_for(line: str, tree: str) -> None:
    assert (shown(parse(line).body), parse(line).doubts) == (tree, ())


@pytest.mark.parametrize("line", ['a "$\\\n(b)"', "a `b\\\n`", "a $\\\n{x:-$\\\n(b)}"])
def test_expansions_that_a_continued_line_splits(line: str) -> None:
    script = parse(line)
    assert script.doubts == ()
    assert isinstance(script.body, Simple)
    assert [shown(node) for node in script.body.words[1].nested] == ["b"]


@pytest.mark.parametrize(
    "line",
    [
        "$x",
        "x=$(a) b",
        "x[$(a)]=b",
        "x=(b $(a))",
        "declare -a x=(b $(a))",
        "b >$(a)",
        "b <<<$(a)",
        "for x in $(a); do b; done",
        "for ((i=$(a);;)); do b; done",
        "case $(a) in b) c;; esac",
        "case b in $(a)) c;; esac",
        "[[ -n $(a) ]]",
        "[[ b =~ x(y|$(a)) ]]",
        "(( x[$(a)] ))",
        "{ b; } >$(a)",
        "{ b; } <<E\n$(a)\nE",
        "f() { b; } >$(a)",
        "$(case b in c) a;; esac)",
        "$(a) b",
        "if b; then c; fi <<<`a`",
    ],
)
def test_commands_in_all_places(line: str) -> None:
    from shell_bash import commands

    found = [shown(node) for node in commands(parse(line).body)]
    assert ("a" in found) == ("a" in line.replace("case", "").replace("declare", ""))
    assert parse(line).doubts == ()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a &&& b", ["a", "b"]),
        ("a ;; b", ["a", "b"]),
        ("a &&", ["a"]),
        ("| a", ["a"]),
        ("a )", ["a"]),
        ("( a", ["a"]),
        ("{ a; b", ["a", "b"]),
        ("a; }", ["a"]),
        ("{a; }", ["{a"]),
        ("if a; then b", ["a", "b"]),
        ("fi a", ["a"]),
        ("then a", ["a"]),
        ("for x in $(a); b", ["a", "b"]),
        ("case x a", ["a"]),
        ("case x in y a", ["a"]),
        ("f() a", ["", "a"]),
        ("( a ) b", ["a", "b"]),
        ("ls !(a|b)", ["ls !", "a", "b"]),
        ("a 'b; c", ["a b; c"]),
        ("a $(b", ["a $(b", "b"]),
        ("coproc a b", ["a b"]),
        ("coproc N { a; }", ["a"]),
        ("a >; b", ["a write:", "b"]),
        ("[[ $(a)", ["a"]),
        ("for x in a; { b; }", ["b"]),
        ("a $((b) | case x in y) c;; esac)", ["a $((b) | case x in y) c;; esac)", "b", "c"]),
    ],
)
def test_errors_are_doubts_and_what_was_found_stays(line: str, found: list[str]) -> None:
    from shell_bash import commands

    script = parse(line)
    assert script.doubts != ()
    assert [shown(node) for node in commands(script.body)] == found


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("a\0; rm b", "it holds a NUL character"),
        ("a \ud800; rm b", "it holds characters that cannot be written as UTF-8"),
        ("a; rm b;" + " " * 70_000, "it is very long"),
        ("$(" * 2000 + "rm b" + ")" * 2000, "it is nested too deeply"),
        ("`" * 1 + "rm b" + "`", ""),
        ("${x:-" * 2000 + "$(rm b)", "it is nested too deeply"),
        ('"$(' * 500 + "rm b" + ')"' * 500, "it is nested too deeply"),
        ("( " * 2000 + "rm b" + " )" * 2000, "its commands are nested very deeply"),
        ("{ " * 300 + "rm b;" + " }" * 300, "its commands are nested very deeply"),
        ("a && " * 3000 + "rm b", "its commands are nested very deeply"),
        ("$((" * 3000 + "rm b", "it is nested too deeply"),
        ("a=(" * 3000 + "rm b", None),
        ("case x in " * 2000 + "rm b", None),
        ("<(" * 3000 + "rm b", "it is nested too deeply"),
    ],
)
def test_absurd_texts_are_doubts_and_denied_commands_are_still_found(
    text: str, doubt: str | None
) -> None:
    from shell_bash import commands

    script = parse(text)
    if doubt is None:
        assert script.doubts != ()
        return
    assert script.doubts == ((doubt,) if doubt else ())
    assert "rm b" in [shown(node) for node in commands(script.body)]


def test_the_source_is_as_it_was_written() -> None:
    script = parse("x='1' a  \"b\" >c; d <<E && e\nf\nE")
    assert isinstance(script.body, Sequence)
    first, second = script.body.items
    assert isinstance(first, Simple)
    assert isinstance(second, AndOr)
    assert isinstance(second.left, Simple)
    assert (first.source, second.left.source) == ("x='1' a  \"b\" >c", "d <<E")


def test_descriptors() -> None:
    script = parse("a 2>b 10<c <>d {x}>e")
    assert isinstance(script.body, Simple)
    found = [(r.descriptor, r.both) for r in script.body.redirects]
    assert found == [(2, False), (10, False), (None, True), (None, False)]


@given(st.text(alphabet="ab$`'\"\\(){}[]<>;&|!#=~*,.-\n \r1EifdocasenhtlkPw@?:/^+%", max_size=60))
@settings(max_examples=200, deadline=None)
def test_no_text_raises(text: str) -> None:
    assert isinstance(parse(text), Script)
