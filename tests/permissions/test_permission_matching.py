"""Which rule covers which subject."""

from __future__ import annotations

from typing import Any

import pytest

from turnloop_core.permissions.matching import Target, compile_rule
from turnloop_core.permissions.rules import parse_rule
from turnloop_core.types.subjects import Subject, SubjectKind


def covers(place: Any, rule: str, subject: Subject, tool: str, *, wide: bool = False) -> bool:
    target = Target.of(subject, tool, lambda path: False)
    return compile_rule(parse_rule(rule, "test"), place.scope, wide=wide).matches(target)


def command(text: str) -> Subject:
    return Subject(SubjectKind.COMMAND, text)


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("Bash(git status)", "git status", True),
        ("Bash(git status)", "git status -s", False),
        ("Bash(git *)", "git log", True),
        ("Bash(git *)", "git", False),
        ("Bash(git *)", "gitx log", False),
        ("Bash(git   *)", "git log", True),
        ("Bash(git push --force*)", "git push --force", True),
        ("Bash(git push --force*)", "git push --force-with-lease origin x", True),
        ("Bash(git push --force*)", "git push origin", False),
        ("Bash(npm run build.prod)", "npm run buildXprod", False),
        ("Bash(* --help)", "git push --help", True),
        ("Bash(git * main)", "git push origin main", True),
        ("Bash(git * main)", "git main", False),
        ("Bash(a*a)", "a", False),
        ("Bash(a*b*c)", "a-b-b-c", True),
        ("Bash(a*b*c)", "a-c-b", False),
        ("Bash(*)", "anything at all", True),
        ("Bash", "anything at all", True),
        ("Bash(git status)", "git\nstatus", False),
        ("Bash(echo [a])", "echo a", False),
        ("Bash(echo [a])", "echo [a]", True),
        ("Bash(git:*)", "git log", False),
    ],
)
def test_commands(place: Any, rule: str, text: str, expected: bool) -> None:
    assert covers(place, rule, command(text), "Bash") is expected


def test_a_wide_rule_reads_a_colon_and_star_as_a_prefix(place: Any) -> None:
    rules = [covers(place, "Bash(rm:*)", command(t), "Bash", wide=True) for t in ("rm", "rm -r x")]
    assert rules == [True, True]
    assert not covers(place, "Bash(rm:*)", command("rmdir x"), "Bash", wide=True)


def test_blanks_that_a_tool_left_alone_are_folded_for_wide_rules_only(place: Any) -> None:
    subject = command('rm  "a  b"')
    assert covers(place, 'Bash(rm "a b")', subject, "Bash", wide=True)
    assert not covers(place, 'Bash(rm "a b")', subject, "Bash")
    assert not covers(place, "Bash(rm *)", command("rmx"), "Bash", wide=True)


def test_wide_rules_see_every_form_and_narrow_ones_only_the_first(place: Any) -> None:
    subject = Subject(SubjectKind.COMMAND, "sudo rm -r x", wide=("rm -r x",))
    assert covers(place, "Bash(rm *)", subject, "Bash", wide=True)
    assert not covers(place, "Bash(rm *)", subject, "Bash")


@pytest.mark.parametrize(
    ("rule", "path", "expected"),
    [
        ("Edit(src/**)", "src/a.py", True),
        ("Edit(src/**)", "src/deep/er/a.py", True),
        ("Edit(src/)", "src/deep/a.py", True),
        ("Edit(./src/**)", "src/a.py", True),
        ("Edit(src/**)", "lib/src/a.py", False),
        ("Edit(src/**)", "src-evil/a.py", False),
        ("Edit(src/**)", "../proj-evil/src/a.py", False),
        ("Edit(src/*)", "src/a.py", True),
        ("Edit(src/*)", "src/pkg/a.py", False),
        ("Edit(src/*)", "src/.hidden", True),
        ("Edit(*)", "a.py", True),
        ("Edit(*)", "src/a.py", False),
        ("Edit(**)", "src/a.py", True),
        ("Edit(**)", "../outside/a.py", False),
        ("Edit(**/*.md)", "docs/guide.md", True),
        ("Edit(**/*.md)", "guide.md", True),
        ("Edit(**/*.md)", "../outside/guide.md", False),
        ("Edit(src/**/test_*.py)", "src/test_a.py", True),
        ("Edit(src/**/test_*.py)", "src/x/y/test_a.py", True),
        ("Edit(src/**/test_*.py)", "src/x/y/a_test.py", False),
        ("Edit(src/**/b/**/c)", "src/b/x/b/c", True),
        ("Edit(a?.py)", "ab.py", True),
        ("Edit(a?.py)", "a/.py", False),
        ("Edit(~/notes/**)", "../home/dev/notes/a.md", True),
        ("Edit(~/notes/**)", "notes/a.md", False),
        ("Edit(../outside/**)", "../outside/a.md", True),
        ("Edit(/**)", "../outside/a.md", True),
        ("Edit(app/[slug]/page.tsx)", "app/[slug]/page.tsx", True),
        ("Edit(app/[slug]/page.tsx)", "app/s/page.tsx", False),
        ("Edit(x.{ts,js})", "x.ts", False),
        ("Edit", "../outside/a.md", True),
    ],
)
def test_allow_rules_for_paths(place: Any, rule: str, path: str, expected: bool) -> None:
    assert covers(place, rule, place.write(path), "Edit") is expected


@pytest.mark.parametrize(
    ("rule", "path", "expected"),
    [
        ("Read(**/.env)", ".env", True),
        ("Read(**/.env)", "../outside/deep/.env", True),
        ("Read(**/.env)", ".env.example", False),
        ("Read(**/.env)", "x.env", False),
        ("Read(.env)", "svc/.env", False),
        ("Read(secret)", "secret/deep/a", True),
        ("Read(secret/**)", "secret", True),
        ("Read(secret/**)", "secrets/a", False),
        ("Read(*)", "src/deep/a", True),
        ("Read(**)", "../outside/a", True),
        ("Read(**/key[12].txt)", "a/key1.txt", True),
        ("Read(**/key[12].txt)", "a/key[12].txt", True),
        ("Read(**/key[!12].txt)", "a/key1.txt", False),
        ("Read(**/key[!12].txt)", "a/key3.txt", True),
        ("Read(**/key[z-a].txt)", "a/key[z-a].txt", True),
        ("Read(**/*.{pem,key})", "a/b.key", True),
        ("Read(**/*.{pem,key})", "a/b.kex", False),
        ("Read(**/{a,b/c})", "x/b/c", True),
        ("Read(x{1}.txt)", "x{1}.txt", True),
    ],
)
def test_deny_rules_for_paths(place: Any, rule: str, path: str, expected: bool) -> None:
    assert covers(place, rule, place.read(path), "Read", wide=True) is expected


def test_rules_given_by_absolute_path(place: Any) -> None:
    rule = f"Edit({place.top}/outside/**)"
    assert covers(place, rule, place.write("../outside/a"), "Edit")
    assert not covers(place, rule, place.write("../outside-evil/a"), "Edit")


def test_links_in_a_pattern_are_followed_outside_the_project(place: Any) -> None:
    place.file("outside/notes/a.md")
    place.link("home/dev/notes", place.top / "outside/notes")
    assert covers(place, "Edit(~/notes/**)", place.write("~/notes/a.md"), "Edit")


def test_a_link_of_the_project_does_not_widen_an_allow_rule(place: Any) -> None:
    place.file("outside/a.py")
    place.link("proj/src", place.top / "outside")
    assert not covers(place, "Edit(src/**)", place.write("src/a.py"), "Edit")
    assert not covers(place, f"Edit({place.root}/src/**)", place.write("src/a.py"), "Edit")


def test_a_deny_rule_by_a_link_binds_its_target(place: Any) -> None:
    place.file("outside/secret/a")
    place.link("proj/secret", place.top / "outside/secret")
    for path in ("secret/a", "../outside/secret/a"):
        assert covers(place, "Read(secret/**)", place.read(path), "Read", wide=True)


def test_case_counts_only_where_the_file_system_says_so(place: Any) -> None:
    subject = place.read("Secret/É.TXT")
    deny = compile_rule(parse_rule("Read(secret/é.txt)", "test"), place.scope, wide=True)
    allow = compile_rule(parse_rule("Read(secret/e\u0301.t?t)", "test"), place.scope, wide=False)
    for rule in (deny, allow):
        assert not rule.matches(Target.of(subject, "Read", lambda path: False))
    assert deny.matches(Target.of(subject, "Read", lambda path: True))


@pytest.mark.parametrize(
    ("rule", "tool", "kind", "allow", "deny"),
    [
        ("Read", "Grep", SubjectKind.READ, True, True),
        ("Grep", "Grep", SubjectKind.READ, True, True),
        ("Grep", "Read", SubjectKind.READ, False, False),
        ("Edit", "Write", SubjectKind.WRITE, True, True),
        ("Write", "Write", SubjectKind.WRITE, True, True),
        ("Write", "Edit", SubjectKind.WRITE, False, True),
        ("Write", "Bash", SubjectKind.WRITE, False, True),
        ("Edit", "Edit", SubjectKind.READ, True, True),
        ("Edit", "Read", SubjectKind.READ, False, False),
        ("Bash", "Bash", SubjectKind.WRITE, False, True),
        ("Bash(*)", "Bash", SubjectKind.WRITE, False, False),
        ("Bash", "Shell", SubjectKind.COMMAND, True, True),
        ("Read", "Read\u200b", SubjectKind.TOOL, False, False),
        ("Task", "Task", SubjectKind.TOOL, True, True),
        ("Task", "TodoWrite", SubjectKind.TOOL, False, False),
        ("mcp__docs", "Read", SubjectKind.READ, False, False),
    ],
)
def test_the_name_of_a_rule(
    place: Any, rule: str, tool: str, kind: SubjectKind, allow: bool, deny: bool
) -> None:
    subject = Subject(kind, "/x" if kind in (SubjectKind.READ, SubjectKind.WRITE) else tool)
    found = tuple(covers(place, rule, subject, tool, wide=wide) for wide in (False, True))
    assert found == (allow, deny)


@pytest.mark.parametrize(
    ("rule", "name", "expected"),
    [
        ("mcp__docs__search", "docs__search", True),
        ("mcp__docs__search", "docs__search_all", False),
        ("mcp__docs__search", "docs__delete_all", False),
        ("mcp__docs", "docs__search", True),
        ("mcp__docs__*", "docs__search", True),
        ("mcp__docs__*", "docs_evil__run", False),
        ("mcp__docs", "docs_evil__run", False),
        ("mcp__docs__get_*", "docs__get_page", True),
        ("mcp__docs__get_*", "docs__set_page", False),
        ("mcp__*", "docs__search", True),
        ("Read", "docs__search", False),
    ],
)
def test_mcp(place: Any, rule: str, name: str, expected: bool) -> None:
    for wide in (False, True):
        subject = Subject(SubjectKind.MCP, name)
        assert covers(place, rule, subject, f"mcp__{name}", wide=wide) is expected
        itself = Subject(SubjectKind.TOOL, f"mcp__{name}")
        assert covers(place, rule, itself, f"mcp__{name}", wide=wide) is expected


def test_search(place: Any) -> None:
    subject = Subject(SubjectKind.SEARCH, "python glob")
    assert covers(place, "WebSearch", subject, "WebSearch")
    assert covers(place, "WebSearch(python *)", subject, "WebSearch")
    assert not covers(place, "WebSearch(rust *)", subject, "WebSearch")
