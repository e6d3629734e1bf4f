"""The engine: the table of modes, flat precedence, what no broad rule covers."""

from __future__ import annotations

from typing import Any

import pytest

from turnloop_core.errors import SettingsError
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import DEFAULT_DENY, Rules, parse_rule
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


def sample(place: Any, column: str) -> tuple[str, Subject]:
    """A tool and a subject of each column of the table."""
    return {
        "read inside": ("Read", place.read("src/a.py")),
        "read outside": ("Read", place.read("../outside/a.py")),
        "write inside": ("Edit", place.write("src/a.py")),
        "write outside": ("Edit", place.write("../outside/a.py")),
        "command": ("Bash", command("make")),
        "contained": ("Bash", command("make", contained=True)),
        "read-only": ("Bash", command("ls", read_only=True)),
        "both": ("Bash", command("ls", read_only=True, contained=True)),
        "dynamic": ("Bash", command("$X", dynamic=True, read_only=True, contained=True)),
        "search": ("WebSearch", Subject(SubjectKind.SEARCH, "python")),
        "fetch": ("WebFetch", url_subject("https://docs.example.com/")),
        "mcp": ("mcp__docs__search", Subject(SubjectKind.MCP, "docs__search")),
        "tool": ("Task", Subject(SubjectKind.TOOL, "Task")),
        "odd read inside": ("Read", Subject(SubjectKind.READ, f"{place.root}/x", dynamic=True)),
        "odd write inside": ("Edit", Subject(SubjectKind.WRITE, f"{place.root}/x", dynamic=True)),
    }[column]


@pytest.mark.parametrize(
    ("column", "default", "auto", "plan", "bypass"),
    [
        ("read inside", A, A, A, A),
        ("read outside", Q, Q, Q, A),
        ("write inside", Q, A, D, A),
        ("write outside", Q, Q, D, A),
        ("command", Q, Q, D, A),
        ("contained", Q, A, D, A),
        ("read-only", Q, Q, A, A),
        ("both", Q, A, A, A),
        ("dynamic", Q, Q, D, A),
        ("search", A, A, A, A),
        ("fetch", Q, Q, Q, A),
        ("mcp", Q, Q, D, A),
        ("tool", Q, Q, D, A),
        ("odd read inside", Q, Q, Q, A),
        ("odd write inside", Q, Q, D, A),
    ],
)
def test_the_table_of_modes(
    place: Any, column: str, default: Verdict, auto: Verdict, plan: Verdict, bypass: Verdict
) -> None:
    tool, subject = sample(place, column)
    read_only = tool in ("Read", "WebSearch", "WebFetch")
    found = [
        place.engine(mode).decide(tool, [subject], read_only=read_only).verdict
        for mode in ("default", "auto", "plan", "bypass")
    ]
    assert found == [default, auto, plan, bypass]


@pytest.mark.parametrize(("read_only", "verdicts"), [(True, (A, A, A, A)), (False, (Q, Q, D, A))])
def test_a_call_without_subjects(
    place: Any, read_only: bool, verdicts: tuple[Verdict, ...]
) -> None:
    found = tuple(
        place.engine(mode).decide("Todo", [], read_only=read_only).verdict
        for mode in ("default", "auto", "plan", "bypass")
    )
    assert found == verdicts


def test_rules_bind_a_call_without_subjects(place: Any) -> None:
    assert place.engine(allow=["Todo"]).decide("Todo", [], read_only=False).verdict is A
    assert place.engine(deny=["Todo"]).decide("Todo", [], read_only=True).verdict is D
    assert place.engine(ask=["Todo"]).decide("Todo", [], read_only=True).verdict is Q
    assert place.engine(allow=["Todo"]).decide("Todo\u200b", [], read_only=False).verdict is Q


def test_in_plan_mode_a_tool_that_changes_things_must_say_what(place: Any) -> None:
    read = place.read("src/a.py")
    assert place.engine("plan").decide("Odd", [read], read_only=False).verdict is D
    assert place.engine("plan").decide("Odd", [read], read_only=True).verdict is A
    assert place.engine("default").decide("Odd", [read], read_only=False).verdict is A


@pytest.mark.parametrize(
    ("mode", "allow", "deny", "ask", "verdict"),
    [
        ("default", ["Bash(npm *)"], [], ["Bash(npm publish*)"], A),
        ("default", [], [], ["Bash(npm publish*)"], Q),
        ("auto", [], [], ["Bash(npm publish*)"], Q),
        ("bypass", [], [], ["Bash(npm publish*)"], A),
        ("default", ["Bash(npm publish)"], ["Bash(npm *)"], [], D),
        ("bypass", ["Bash(npm publish)"], ["Bash(npm *)"], [], D),
        ("plan", ["Bash(npm *)"], [], [], D),
        ("plan", ["Bash(npm *)"], [], ["Bash(npm *)"], D),
        ("default", ["Bash(npm publish)"], ["Bash(npm publish)"], ["Bash(npm publish)"], D),
        ("default", ["Bash(npm publish)"], ["Bash(*)"], [], D),
    ],
)
def test_precedence_is_flat(
    place: Any, mode: str, allow: list[str], deny: list[str], ask: list[str], verdict: Verdict
) -> None:
    engine = place.engine(mode, allow=allow, deny=deny, ask=ask)
    assert place.verdict(engine, "Bash", command("npm publish", contained=True)) is verdict


def test_ask_rules_tighten_what_a_mode_would_allow(place: Any) -> None:
    engine = place.engine("auto", ask=["Edit(src/**)", "Read(docs/**)"])
    assert place.verdict(engine, "Edit", place.write("src/a.py")) is Q
    assert place.verdict(engine, "Read", place.read("docs/a.md")) is Q
    assert place.verdict(engine, "Edit", place.write("lib/a.py")) is A


def test_a_read_only_command_in_plan_mode_still_meets_ask_rules(place: Any) -> None:
    engine = place.engine("plan", ask=["Bash(git *)"])
    assert place.verdict(engine, "Bash", command("git log", read_only=True)) is Q


def test_the_strictest_subject_decides(place: Any) -> None:
    engine = place.engine(allow=["Bash(git *)"], deny=["Bash(rm *)"])
    ok, asked, also, denied = map(command, ("git log", "make", "ls", "rm -r x"))
    decisions = [
        place.decide(engine, "Bash", *subjects)
        for subjects in ((ok,), (ok, asked, also), (asked, denied, ok))
    ]
    assert [(d.verdict, d.subjects) for d in decisions] == [
        (A, (ok,)),
        (Q, (asked, also)),
        (D, (denied,)),
    ]
    assert decisions[1].reason == "running `make` needs consent in default mode (and 1 more)"


def test_a_decision_names_rule_and_source(place: Any) -> None:
    subject = place.read(".env")
    decision = place.decide(place.engine(deny=["Read(**/.env)"]), "Read", subject)
    assert decision == Decision(
        D,
        "reading .env is denied by rule Read(**/.env) (test)",
        "Read(**/.env)",
        "test",
        (subject,),
    )


def test_reasons_are_one_line_whatever_the_subject(place: Any) -> None:
    text = "echo '\n\x1b]0;x\x07'" + "y" * 5000
    for mode in PermissionMode:
        for rules in ({}, {"deny": ["Bash(echo *)"]}, {"ask": ["Bash(echo *)"]}):
            engine = place.engine(mode, **rules)
            reason = place.decide(engine, "Bash", command(text)).reason
            assert reason.isprintable()
            assert len(reason) < 600


def test_reasons_say_why(place: Any) -> None:
    engine = place.engine("auto")
    found = [
        place.decide(engine, tool, subject).reason
        for tool, subject in (
            ("Edit", place.write("/etc/hosts")),
            ("Edit", place.write(".turnloop/settings.json")),
            ("Bash", Subject(SubjectKind.COMMAND, "x", dynamic=True, reason="its words vary")),
        )
    ]
    assert found == [
        "writing /etc/hosts needs consent in auto mode: it lies outside the project",
        (
            "writing .turnloop/settings.json needs consent in auto mode: it decides what turnloop, "
            "git or a server may run"
        ),
        "running `x` needs consent in auto mode: its words vary",
    ]
    plan = place.decide(place.engine("plan"), "Edit", place.write("src/a.py")).reason
    assert plan == ("plan mode changes nothing: writing src/a.py has to wait")


def test_engines_are_values(place: Any) -> None:
    engine = place.engine(allow=["Edit(src/**)"])
    auto = engine.with_mode(PermissionMode.AUTO)
    more = auto.with_rule("deny", "Edit(src/keep/**)").with_rule("allow", parse_rule("Read", "x"))
    assert (engine.mode, auto.mode, engine.rules) == ("default", "auto", auto.rules)
    assert [rule.text for rule in more.rules.deny] == ["Edit(src/keep/**)"]
    assert more.rules.deny[0].source == "this session"
    assert place.verdict(more, "Edit", place.write("src/keep/a")) is D
    assert place.verdict(auto, "Edit", place.write("src/keep/a")) is A
    assert place.verdict(more, "Read", place.read("/etc/hosts")) is A
    with pytest.raises(SettingsError):
        engine.with_rule("allow", "edit(x")


# What cannot be known before running.


@pytest.mark.parametrize(
    ("allow", "deny", "verdict"),
    [
        (["Bash(pytest -q | tail -1)"], [], A),
        (["Bash(pytest  -q | tail -1)"], ["Bash(rm *)"], A),
        (["Bash(pytest *)"], [], Q),
        (["Bash"], [], A),
        (["Bash(*)"], [], A),
        (["Bash(*)"], ["Bash(rm *)"], Q),
        (["Bash(*)"], ["Read(secret/**)"], Q),
        (["Bash(* )"], [], A),
        ([], ["Bash(pytest *)"], D),
        (["Bash(pytest -q | tail -1)"], ["Bash"], D),
    ],
)
def test_a_dynamic_command(place: Any, allow: list[str], deny: list[str], verdict: Verdict) -> None:
    engine = place.engine(allow=allow, deny=deny)
    subject = command("pytest -q | tail -1", dynamic=True)
    assert place.verdict(engine, "Bash", subject) is verdict


def test_equal_means_equal_inside_quotes_too(place: Any) -> None:
    engine = place.engine(allow=['Bash(rm "a b")', 'Bash(cp "a  b" c)', "Bash(git   status)"])
    found = [
        place.verdict(engine, "Bash", command(text, dynamic=True))
        for text in ('rm "a  b"', 'cp "a  b" c', "git status")
    ]
    assert found == [Q, A, A]


def test_the_shipped_rules_do_not_disarm_a_blanket_rule(place: Any) -> None:
    rules = Rules(allow=(parse_rule("Bash(*)", "test"),), deny=DEFAULT_DENY)
    engine = Engine(rules, PermissionMode.DEFAULT, place.scope)
    assert place.verdict(engine, "Bash", command("$X", dynamic=True)) is A


def test_deny_rules_see_the_wide_forms_of_a_dynamic_command(place: Any) -> None:
    subject = Subject(SubjectKind.COMMAND, "cd x; rm -r y", wide=("cd x", "rm -r y"), dynamic=True)
    assert place.verdict(place.engine("bypass", deny=["Bash(rm *)"]), "Bash", subject) is D


def test_bypass_asks_about_what_may_get_round_a_deny_rule(place: Any) -> None:
    subject = command("$X -rf build", dynamic=True)
    assert place.verdict(place.engine("bypass", deny=["Bash(rm *)"]), "Bash", subject) is Q
    assert place.verdict(place.engine("bypass", deny=["Read(**/.env)"]), "Bash", subject) is Q
    assert place.verdict(place.engine("bypass"), "Bash", subject) is A


def test_an_exact_rule_covers_a_dynamic_path(place: Any) -> None:
    zero = place.read("/dev/zero")
    assert place.verdict(place.engine(allow=["Read"]), "Read", zero) is Q
    assert place.verdict(place.engine(allow=["Read(/dev/**)"]), "Read", zero) is Q
    assert place.verdict(place.engine(allow=["Read(/dev/zero)"]), "Read", zero) is A


# The harness's own files.

OWN = [
    ".turnloop/settings.json",
    ".turnloop/settings.local.json",
    ".turnloop/hooks/before.sh",
    ".TURNLOOP/settings.json",
    "sub/.turnloop/settings.json",
    ".git/hooks/pre-commit",
    ".git/config",
    ".git",
    "vendor/lib.git/hooks/update",
    ".mcp.json",
    "~/.turnloop/trust.json",
    "~/.config/turnloop/settings.json",
]


@pytest.mark.parametrize("path", OWN)
def test_own_files_are_never_written_without_a_question(place: Any, path: str) -> None:
    subject = place.write(path)
    broad = ["Edit", "Edit(**)", "Edit(/**)", "Edit(.turnloop/**)", "Write", "Edit(~/**)"]
    found = [
        place.verdict(place.engine(mode, allow=allow), "Edit", subject)
        for mode in ("default", "auto", "plan", "bypass")
        for allow in ([], broad)
    ]
    assert found == [Q, Q, Q, Q, D, D, A, A]


def test_own_files_are_known_by_every_form(place: Any) -> None:
    (place.root / ".turnloop").mkdir()
    place.link("proj/docs", ".turnloop")
    assert place.verdict(place.engine("auto"), "Write", place.write("docs/settings.json")) is Q


def test_further_own_files_can_be_named(place: Any) -> None:
    protected = (str(place.root / "trust"),)
    engine = Engine(Rules(), PermissionMode.AUTO, place.scope, protected=protected)
    assert place.verdict(engine, "Write", place.write("trust/a")) is Q
    assert place.verdict(engine, "Write", place.write("trusted")) is A


def test_a_rule_that_names_an_own_file_exactly_covers_it(place: Any) -> None:
    engine = place.engine(allow=["Edit(.turnloop/settings.json)"])
    assert place.verdict(engine, "Edit", place.write(".turnloop/settings.json")) is A


@pytest.mark.parametrize("path", ["src/a.py", ".gitignore", ".github/x.yml", "turnloop/a.py"])
def test_other_files_are_not_own_files(place: Any, path: str) -> None:
    assert place.verdict(place.engine("auto"), "Edit", place.write(path)) is A


def test_what_stands_above_the_project_does_not_make_its_files_own_files(tmp_path: Any) -> None:
    from turnloop_core.permissions.paths import path_subject
    from turnloop_core.ports.tool import Scope

    root = tmp_path.resolve() / ".turnloop/deep/x.git/proj"
    root.mkdir(parents=True)
    scope = Scope(root, root, root)
    engine = Engine(Rules(), PermissionMode.AUTO, scope)
    subject = path_subject("a.py", scope, SubjectKind.WRITE)
    assert engine.decide("Edit", [subject], read_only=False).verdict is A


def test_own_files_may_be_read(place: Any) -> None:
    assert place.verdict(place.engine(), "Read", place.read(".turnloop/settings.json")) is A


def test_case_is_asked_of_the_file_system(place: Any) -> None:
    folding = place.engine(deny=["Read(**/.env)"], folds=lambda path: True)
    exact = place.engine(deny=["Read(**/.env)"], folds=lambda path: False)
    subject = place.read(".ENV")
    assert (place.verdict(folding, "Read", subject), place.verdict(exact, "Read", subject)) == (
        D,
        A,
    )
