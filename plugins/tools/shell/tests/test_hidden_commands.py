"""No way of writing a denied command makes it an allowed one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pytest
from disguise import Hidden
from harmless import Harmless
from harmless_words import FILES
from hiding import DENIED, Hider, spliced

from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import DEFAULT_DENY, Rule, Rules, parse_rule
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.types.subjects import PermissionMode, Verdict
from turnloop_shell.analysis.subjects import subjects_of

LINES = int(os.environ.get("TURNLOOP_HIDDEN_LINES", "20000"))
DEEPEST = 5
ALLOW = ("Bash(*)", "Read(**)", "Edit(**)")
DENY = ("Bash(rm *)", "Bash(git push *)", "Bash(curl *)", "Read(**/.env)")
SHOWN = 20


def rules(*texts: str) -> tuple[Rule, ...]:
    return tuple(parse_rule(text, "the test") for text in texts)


@dataclass(frozen=True, slots=True)
class Judge:
    """What is said of a line in a project with a secret in it."""

    engine: Engine
    project: Project

    def verdict(self, line: str) -> Verdict:
        subjects = subjects_of(line, self.project.scope)
        return self.engine.decide("Bash", subjects, read_only=False).verdict

    def allowed(self, lines: Iterable[tuple[int, Hidden]]) -> list[str]:
        """Those that are allowed, the shortest first, each with the seed that makes it again."""
        found = [
            (seed, hidden) for seed, hidden in lines if self.verdict(hidden.text) is Verdict.ALLOW
        ]
        found.sort(key=lambda pair: (len(pair[1].trail), len(pair[1].text)))
        return [f"seed {seed} ({' > '.join(h.trail)}): {h.text!r}" for seed, h in found]


@pytest.fixture(scope="module")
def project() -> Iterator[Project]:
    with temporary_project(FILES) as made:
        yield made


def judge(
    project: Project,
    mode: PermissionMode = PermissionMode.DEFAULT,
    allow: Sequence[str] = ALLOW,
    deny: Sequence[str] = DENY,
) -> Judge:
    made = Rules(rules(*allow), (*DEFAULT_DENY, *rules(*deny)), ())
    return Judge(Engine(made, mode, project.scope), project)


def hidden_lines(seeds: Iterable[int]) -> Iterator[tuple[int, Hidden]]:
    """A line for each seed: one way deep, two, ... and again."""
    for seed in seeds:
        hider = Hider(seed)
        depth = 1 + seed % DEEPEST
        if hider.random.random() < 0.2:
            yield seed, hider.deeper(hider.reading(), depth - 1)
        else:
            yield seed, hider.hide(hider.random.choice(DENIED), depth)


def spliced_lines(seeds: Iterable[int]) -> Iterator[tuple[int, Hidden]]:
    """A harmless line with a denied command in it for each seed."""
    for seed in seeds:
        hider = Hider(seed)
        found = hider.hide(hider.random.choice(DENIED), seed % 2)
        yield seed, spliced(hider, Harmless(seed).line().text, found)


def check(found: list[str]) -> None:
    assert not found, f"{len(found)} are allowed:\n" + "\n".join(found[:SHOWN])


@pytest.mark.parametrize("part", range(4))
def test_what_is_denied_is_never_allowed_however_it_is_hidden(project, part):
    check(judge(project).allowed(hidden_lines(range(part, LINES * 17 // 20, 4))))


@pytest.mark.parametrize("mode", [PermissionMode.BYPASS, PermissionMode.AUTO, PermissionMode.PLAN])
def test_nor_in_another_mode(project, mode):
    begin = LINES * 10 + 1000 * len(mode)
    check(judge(project, mode).allowed(hidden_lines(range(begin, begin + LINES // 40))))


def test_nor_in_auto_mode_without_any_rule_of_the_users(project):
    begin = LINES * 20
    lines = hidden_lines(range(begin, begin + LINES // 40))
    check(judge(project, PermissionMode.AUTO, allow=()).allowed(lines))


def test_nor_within_a_harmless_line(project):
    begin = LINES * 30
    check(judge(project).allowed(spliced_lines(range(begin, begin + LINES // 20))))


def test_the_plain_commands_are_denied_and_their_neighbours_are_not(project):
    judged = judge(project)
    lines = [" ".join(words) for words in DENIED] + ["cat .env"]
    assert [judged.verdict(line) for line in lines] == [Verdict.DENY] * 4
    others = ["rmdir build", "git status", "echo rm -rf build", "cat .env.example", "ls 'curl x'"]
    assert [judged.verdict(line) for line in others] == [Verdict.ALLOW] * 5


def test_the_same_seed_makes_the_same_line():
    first, again = (list(hidden_lines(range(50))) for _ in range(2))
    assert first == again
    assert len({hidden.text for _, hidden in first}) > 45


def test_every_way_is_used():
    trails = [hidden.trail for _, hidden in hidden_lines(range(2_000))]
    used = {name for trail in trails for name in trail}
    wanted = {"in_shell", "in_wrapper", "piped", "evaluated", "substituted", "compound", "listed"}
    assert wanted | {"prefixed", "by_git", "by_program", "reading"} <= used
    assert max(len(trail) for trail in trails) > DEEPEST
