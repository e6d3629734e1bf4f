"""`tl permissions explain`: rules and decisions in words."""

from __future__ import annotations

import pytest


def explained(tl, *words):
    ran = tl("permissions", "explain", *words)
    assert ran.status == 0, ran.err
    return ran.out


def test_the_order_in_words(tl):
    said = explained(tl)
    stages = ["deny rule", "plan mode", "bypass mode", "allow rule", "ask rule", "the mode"]
    places = [said.index(f"  {number}. ") for number in range(1, 7)]
    assert places == sorted(places)
    for number, stage in enumerate(stages, 1):
        assert stage in said.split(f"  {number}. ")[1].split("\n")[0]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Bash(git push*)", "without a blank before `*` it also covers `git pushx`"),
        ("Bash(cat *)", "it does not cover `cat` alone; add Bash(cat)"),
        ("Bash(npm run:*)", "in allow the colon is a colon; write Bash(npm run *)"),
        ("Bash(*)", "commands that cannot be known are still asked"),
        ("Bash(* --version)", "says nothing of the program"),
        ("Bash(cd x && ls)", "matched one by one"),
        ("Write(src/**)", "in allow only of the tool Write"),
        ("Edit(src/**)", "below the project, "),
        ("Edit(~/x)", "below the home folder"),
        ("Read(/etc/*)", "from the root of the file system"),
        ("Read(**/.env)", "at any depth"),
        ("Grep(src/**)", "it binds Grep alone; to bind every tool, write Read(src/**)"),
        ("Read(src/[ab].py)", "in allow they are plain characters"),
        ("Spade(x)", "it binds nothing: no tool is called Spade"),
        ("WebFetch", "private networks"),
        ("WebFetch(https://*.example.com/*)", "private networks"),
        ("mcp__docs__search", "tools of MCP servers"),
        ("WebSearch(x*)", "compared with the question"),
    ],
)
def test_what_is_odd_about_a_rule(tl, rule, said):
    assert said in explained(tl, rule)


@pytest.mark.parametrize("rule", ["Bash(git status)", "Edit(src/a.py)", "Read(~/notes/**)"])
def test_plain_rules_are_not_found_odd(tl, rule):
    assert "  ! " not in explained(tl, rule)


def test_examples_say_what_the_rule_comes_to_here(tl):
    tl.settings({"permissions": {"deny": ["Edit(src/**)"], "allow": ["Edit(docs/**)"]}})
    silenced = explained(tl, "Edit(src/a.py)").splitlines()[-1]
    assert silenced.split()[:5] == ["src/a.py", "deny", "deny", "deny", "deny"]
    assert "in allow it changes nothing: Edit(src/**) comes first" in silenced
    shadowed = explained(tl, "Edit(docs/guide.md)").splitlines()[-1]
    assert shadowed.split()[:5] == ["docs/guide.md", "allow", "allow", "deny", "allow"]
    assert "an allow rule covers it already, and silences one in ask" in shadowed


def test_what_is_no_rule_is_said_with_what_would_be_right(tl):
    ran = tl("permissions", "explain", "bash(ls)")
    assert ran.status == 2
    assert "write Bash" in ran.err


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("Read", '{"file_path": ".env"}', "A deny rule decided."),
        ("Read", '{"file_path": "a"}', "No rule speaks of it: default mode decided."),
        ("Reed", "{}", "It would not run as it stands"),
    ],
)
def test_how_a_call_is_decided(tl, tool, arguments, said):
    assert said in explained(tl, tool, arguments)
