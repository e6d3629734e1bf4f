"""Everyday work is not asked about where its rules, or auto mode, cover it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
from harmless import INLINE, KINDS, Harmless
from harmless_words import FILES, RULES, Line

from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import DEFAULT_DENY, Rules, parse_rule
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.types.subjects import Decision, PermissionMode, Verdict
from turnloop_shell.analysis.subjects import subjects_of

LINES = 2_000
SHOWN = 40
INHERITED = ("PATH", "HOME", "USER", "SHELL", "LANG", "TERM", "PWD")


@pytest.fixture(scope="module")
def project() -> Iterator[Project]:
    with temporary_project(FILES) as made:
        yield made


def lines(local: bool = False) -> list[Line]:
    """As many lines, of different seeds; with `local` those that auto mode is meant for."""
    made = (Harmless(seed).line() for seed in range(10 * LINES))
    wanted = (line for line in made if not local or (line.local and not _inline(line.text)))
    return [line for line, _ in zip(wanted, range(LINES), strict=False)]


def _inline(text: str) -> bool:
    return any(mark in text for mark in INLINE)


def asked(project: Project, mode: PermissionMode, rules: Sequence[str], given: list[Line]):
    """Those that are not simply allowed, and why."""
    allow = tuple(parse_rule(text, "the test") for text in rules)
    engine = Engine(Rules(allow, DEFAULT_DENY, ()), mode, project.scope)
    found: list[tuple[Line, Decision]] = []
    for line in given:
        subjects = subjects_of(line.text, project.scope, INHERITED)
        decision = engine.decide("Bash", subjects, read_only=False)
        if decision.verdict is not Verdict.ALLOW:
            found.append((line, decision))
    return found


def figures(name: str, given: list[Line], found: list[tuple[Line, Decision]], record) -> float:
    """The share that is allowed; the lines that are not are printed."""
    share = 1 - len(found) / len(given)
    record(name, round(share, 4))
    print(f"\n{name}: {share:.2%} of {len(given)} lines are allowed; not allowed:")
    times = Counter((line.text, decision.reason) for line, decision in found)
    for (text, reason), count in times.most_common(SHOWN):
        print(f"  {count} x {text!r}\n      {reason}")
    return share


def test_with_covering_rules(project, record_property):
    given = lines()
    found = asked(project, PermissionMode.DEFAULT, RULES, given)
    assert figures("covered by rules", given, found, record_property) >= 0.99


def test_in_auto_mode_without_rules(project, record_property):
    given = lines(local=True)
    found = asked(project, PermissionMode.AUTO, (), given)
    assert figures("auto mode", given, found, record_property) >= 0.97


def test_without_rules_in_default_mode_most_is_asked_about(project):
    """What the rules above are for: the lines are not allowed for some other reason."""
    given = lines()
    assert len(asked(project, PermissionMode.DEFAULT, (), given)) > LINES // 2


def test_the_lines_are_many_and_of_every_kind():
    given = lines()
    assert len(given) == LINES
    assert {line.kind for line in given} == set(KINDS)
    assert len({line.text for line in given}) > 1_000
    assert given == lines()
