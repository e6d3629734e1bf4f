"""Checks of plugins, and the rule that a question proposes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from turnloop_core.permissions.urls import url_subject
from turnloop_core.types.subjects import (
    Decision,
    PermissionMode,
    Subject,
    SubjectKind,
    Verdict,
)

A, Q, D = Verdict.ALLOW, Verdict.ASK, Verdict.DENY


def command(text: str, **flags: bool) -> Subject:
    return Subject(SubjectKind.COMMAND, text, display=text, **flags)  # type: ignore[arg-type]


# Checks of plugins.


class Check:
    """Answers what it was made with."""

    def __init__(self, name: str, answer: Any) -> None:
        self.name = name
        self.answer = answer
        self.seen: list[tuple[str, Verdict]] = []

    def check(
        self, tool: str, subjects: Sequence[Subject], mode: PermissionMode, so_far: Decision
    ) -> tuple[Verdict, str] | None:
        self.seen.append((tool, so_far.verdict))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("answers", "verdict", "source"),
    [
        ([None], A, ""),
        ([(A, "fine")], A, ""),
        ([(Q, "big file")], Q, "c0"),
        ([(D, "frozen")], D, "c0"),
        ([(D, "frozen"), (Q, "big file")], D, "c0"),
        ([(Q, "big file"), (D, "frozen")], D, "c1"),
        ([RuntimeError("no disk\nat all")], D, "c0"),
        (["nonsense"], D, "c0"),
        ([("maybe", "?")], D, "c0"),
        ([("ask", "as text")], Q, "c0"),
    ],
)
def test_checks_only_tighten(place: Any, answers: list[Any], verdict: Verdict, source: str) -> None:
    checks = [Check(f"c{number}", answer) for number, answer in enumerate(answers)]
    decision = place.decide(place.engine("bypass", checks=checks), "Bash", command("make"))
    assert (decision.verdict, decision.source) == (verdict, source)
    assert decision.reason.isprintable()
    if source:
        assert source in decision.reason
    assert next(seen for check in checks for seen in check.seen) == ("Bash", A)


def test_a_check_cannot_loosen(place: Any) -> None:
    check = Check("loose", (A, "please"))
    engine = place.engine(deny=["Bash(rm *)"], checks=[check])
    assert place.verdict(engine, "Bash", command("rm -r x")) is D
    assert place.verdict(engine, "Bash", command("make")) is Q
    assert check.seen == [("Bash", D), ("Bash", Q)]


# The rule that a question proposes.


@pytest.mark.parametrize(
    ("mode", "tool", "make", "rule"),
    [
        ("default", "Edit", lambda p: p.write("src/a.py"), "Edit(src/a.py)"),
        ("default", "Write", lambda p: p.write("app/[slug]/x y.tsx"), "Edit(app/[slug]/x y.tsx)"),
        ("default", "Read", lambda p: p.read("~/notes/a.md"), "Read(~/notes/a.md)"),
        ("default", "Read", lambda p: p.read("/etc/hosts"), "Read(/etc/hosts)"),
        ("default", "Read", lambda p: p.read("/dev/zero"), "Read(/dev/zero)"),
        ("default", "Edit", lambda p: p.write("a*b"), ""),
        ("default", "Edit", lambda p: p.write("/"), ""),
        ("default", "Edit", lambda p: p.write("~/.turnloop/x"), ""),
        ("auto", "Edit", lambda p: p.write(".turnloop/settings.json"), ""),
        ("default", "Bash", lambda p: command("pytest -q", dynamic=True), "Bash(pytest -q)"),
        ("default", "Bash", lambda p: command('rm "a  b"'), 'Bash(rm "a  b")'),
        ("default", "Bash", lambda p: command("rm *.pyc"), ""),
        ("default", "Bash", lambda p: command("a\nb"), ""),
        ("default", "Bash", lambda p: command("x" * 400), ""),
        (
            "default",
            "WebFetch",
            lambda p: url_subject("https://docs.example.com/a?b"),
            "WebFetch(https://docs.example.com/*)",
        ),
        (
            "default",
            "WebFetch",
            lambda p: url_subject("http://localhost:3000/x"),
            "WebFetch(http://localhost:3000/*)",
        ),
        ("default", "WebFetch", lambda p: url_subject("https://a@b.example/"), ""),
        (
            "default",
            "mcp__docs__search",
            lambda p: Subject(SubjectKind.MCP, "docs__search"),
            "mcp__docs__search",
        ),
        ("default", "Task", lambda p: Subject(SubjectKind.TOOL, "Task"), "Task"),
        # What no rule can express: nothing is proposed, and nothing is raised.
        ("default", "write", lambda p: Subject(SubjectKind.TOOL, "write"), ""),
        ("default", "x y", lambda p: Subject(SubjectKind.TOOL, "x y"), ""),
        ("default", "mcp__d__a b", lambda p: Subject(SubjectKind.MCP, "d__a b"), ""),
        ("default", "Edit", lambda p: p.write("{a,b}" * 9), ""),
        ("default", "Bash", lambda p: command("echo {a,b}{c,d}"), "Bash(echo {a,b}{c,d})"),
        (
            "default",
            "Bash",
            lambda p: command("echo " + "{a,b}" * 9),
            "Bash(echo " + "{a,b}" * 9 + ")",
        ),
        ("auto", "Edit", lambda p: p.write("src/a.py"), ""),
        ("plan", "Edit", lambda p: p.write("src/a.py"), ""),
    ],
)
def test_the_proposed_rule(place: Any, mode: str, tool: str, make: Any, rule: str) -> None:
    engine = place.engine(mode)
    decision = engine.decide(tool, [make(place)], read_only=False)
    assert engine.propose_rules(tool, decision)[:1] == (((rule,),) if rule else ())
    if rule:
        allowed = engine.with_rule("allow", rule).decide(tool, [make(place)], read_only=False)
        assert allowed.verdict is A


def test_rules_for_several_questions_are_proposed_together_and_none_for_a_check(place: Any) -> None:
    engine = place.engine()
    two = place.decide(engine, "Bash", command("make"), command("ls"))
    assert engine.propose_rules("Bash", two) == (("Bash(make)", "Bash(ls)"),)
    same = place.decide(engine, "Bash", command("make"), command("make"))
    assert engine.propose_rules("Bash", same) == (("Bash(make)",),)
    strict = place.engine("bypass", checks=[Check("c", (Q, "big"))])
    assert strict.propose_rules("Bash", place.decide(strict, "Bash", command("make"))) == ()
