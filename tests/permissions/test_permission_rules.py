"""The grammar of rules, the errors in it, the rules that are shipped."""

from __future__ import annotations

from typing import Any

import pytest

from turnloop_core.errors import SettingsError
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import DEFAULT_DENY, SHIPPED, Rule, Rules, parse_rule
from turnloop_core.types.subjects import PermissionMode, Verdict


@pytest.mark.parametrize(
    ("text", "name", "pattern"),
    [
        ("Read", "Read", None),
        ("Read(**/.env)", "Read", "**/.env"),
        (" Edit( src/** ) ", "Edit", "src/**"),
        ("Edit(app/(group)/page.tsx)", "Edit", "app/(group)/page.tsx"),
        ("Edit(a).py)", "Edit", "a).py"),
        ("Bash(git log --format='%h (%an)')", "Bash", "git log --format='%h (%an)'"),
        ("Bash(*)", "Bash", "*"),
        ("Bash(ls */../x)", "Bash", "ls */../x"),
        ("Edit(../sibling/**)", "Edit", "../sibling/**"),
        ("WebFetch(https://docs.example.com/*)", "WebFetch", "https://docs.example.com/*"),
        ("WebFetch(*)", "WebFetch", "*"),
        ("WebSearch", "WebSearch", None),
        ("TodoWrite", "TodoWrite", None),
        ("Skill(release)", "Skill", "release"),
        ("mcp__docs", "mcp__docs", None),
        ("mcp__docs__*", "mcp__docs__*", None),
        ("mcp__docs__get_*", "mcp__docs__get_*", None),
        ("mcp__my-docs_2__search", "mcp__my-docs_2__search", None),
        ("mcp__*", "mcp__*", None),
    ],
)
def test_a_rule_is_read(text: str, name: str, pattern: str | None) -> None:
    assert parse_rule(text, "here") == Rule(name, pattern, text.strip(), "here")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "Tool(pattern)"),
        ("(x)", "Tool(pattern)"),
        ("*", "Tool(pattern)"),
        ("Read(", "Read(pattern)"),
        ("Read(x", "Read(pattern)"),
        ("Read(x) and more", "Read(pattern)"),
        ("Read()", "write Read to mean all"),
        ("Read( )", "write Read to mean all"),
        ("Read write", "Tool(pattern)"),
        ("read(**/.env)", "write Read"),
        ("bash(rm *)", "write Bash"),
        ("write(x)", "write Write"),
        ("Read(a\0b)", "leave it out"),
        ("Read(**/../x)", "without .."),
        ("Grep(src/*/..)", "without .."),
        ("Edit(a{b,*/..})", "without .."),
        ("mcp__", "mcp__server"),
        ("mcp__docs__", "mcp__server"),
        ("mcp__docs__search(x)", "write mcp__docs__search"),
        ("WebFetch(docs.example.com)", "https://"),
        ("WebFetch(domain:docs.example.com)", "https://"),
        ("WebFetch(https://docs.example.com)", "https://"),
        ("WebFetch(https://*/x)", "https://"),
        ("WebFetch(https://docs.*.com/x)", "https://"),
        ("WebFetch(https://user@docs.example.com/*)", "https://"),
        ("WebFetch(https://docs.example.com:99999/*)", "https://"),
        ("WebFetch(ftp://docs.example.com/*)", "https://"),
        ("Read(" + "{a,b}" * 9 + ")", "several rules"),
        (7, "write for example"),
        (None, "write for example"),
    ],
)
def test_what_is_no_rule_says_where_and_what_would_be_right(text: Any, hint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_rule(text, ".turnloop/settings.json")
    shown = repr(text if isinstance(text, str) else repr(text))
    assert str(caught.value).startswith(f".turnloop/settings.json: permission rule {shown}: ")
    assert "\n" not in str(caught.value)
    assert hint in caught.value.hint


def test_ten_rules_are_shipped() -> None:
    assert len(DEFAULT_DENY) == 10
    assert len({rule.text for rule in DEFAULT_DENY}) == 10
    assert {rule.source for rule in DEFAULT_DENY} == {SHIPPED}
    assert DEFAULT_DENY[0].text == "Read(**/.env)"


@pytest.mark.parametrize(
    "path",
    [
        "proj/.env",
        "proj/svc/.env",
        "outside/.env",
        "proj/.env.local",
        "proj/.env.production",
        "proj/svc/.env.staging.local",
        "home/dev/.ssh/id_ed25519",
        "home/dev/.ssh/work",
        "proj/deploy/id_rsa",
        "proj/certs/server.pem",
        "proj/certs/server.key",
        "proj/release.jks",
        "home/dev/.aws/credentials",
        "home/dev/.config/gcloud/application_default_credentials.json",
        "home/dev/.config/gh/hosts.yml",
        "home/dev/.kube/config",
        "home/dev/.docker/config.json",
        "home/dev/.gnupg/secring.gpg",
        "home/dev/.netrc",
        "home/dev/.git-credentials",
        "home/dev/.pypirc",
        "home/dev/.npmrc",
    ],
)
def test_the_shipped_rules_deny_secrets_in_every_mode(place: Any, path: str) -> None:
    place.file(path)
    for mode in PermissionMode:
        engine = Engine(Rules(deny=DEFAULT_DENY), mode, place.scope)
        assert place.verdict(engine, "Read", place.read(place.top / path)) is Verdict.DENY


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        ".env.sample",
        ".env.template",
        ".env.test",
        ".envrc",
        "src/env.py",
        "docs/dotenv/environment.md",
        "src/keyboard.py",
        "src/key",
        "monkey.keys",
        "id_rsa.py",
        ".npmrc",
        "netrc",
        "src/ssh/config",
    ],
)
def test_the_shipped_rules_leave_the_rest_alone(place: Any, path: str) -> None:
    place.file(f"proj/{path}")
    engine = Engine(Rules(deny=DEFAULT_DENY), PermissionMode.DEFAULT, place.scope)
    assert place.verdict(engine, "Read", place.read(path)) is Verdict.ALLOW
