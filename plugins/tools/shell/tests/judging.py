"""Command lines, judged as a session would judge them, in a project that has a few files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from turnloop_core.api import Decision, PermissionMode, Scope, Subject
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import DEFAULT_DENY, Rule, Rules, parse_rule
from turnloop_core.testing.project import Project, temporary_project
from turnloop_shell.analysis.subjects import subjects_of

FILES = {
    ".env": "KEY=1\n",
    ".git/HEAD": "ref: refs/heads/main\n",
    "notes.txt": "a\n",
    "src/a.py": "x = 1\n",
    "src/b.py": "x = 2\n",
    "tests/test_a.py": "",
    "vendor/pack.git/HEAD": "",
    "vendor/pack.git/objects/x": "",
    "vendor/pack.git/refs/x": "",
    "vendor/module/.git/HEAD": "",
}


@dataclass(frozen=True)
class Court:
    """Judges lines."""

    project: Project
    names: frozenset[str] = frozenset({"PATH", "HOME", "PAGER"})

    @property
    def scope(self) -> Scope:
        return self.project.scope

    def subjects(self, line: str) -> tuple[Subject, ...]:
        return subjects_of(line, self.scope, self.names)

    def engine(
        self,
        mode: str = "default",
        allow: Sequence[str] = (),
        deny: Sequence[str] = (),
        ask: Sequence[str] = (),
    ) -> Engine:
        def rules(texts: Sequence[str]) -> tuple[Rule, ...]:
            return tuple(parse_rule(text, "test") for text in texts)

        lists = Rules(rules(allow), (*DEFAULT_DENY, *rules(deny)), rules(ask))
        return Engine(lists, PermissionMode(mode), self.scope, folds=lambda path: False)

    def decide(self, line: str, mode: str = "default", **rules: Sequence[str]) -> Decision:
        engine = self.engine(mode, **rules)
        return engine.decide("Bash", self.subjects(line), read_only=False)


@contextmanager
def court() -> Iterator[Court]:
    with temporary_project(FILES) as project:
        yield Court(project)


def cases(text: str) -> list[tuple[str, str]]:
    """A verdict and a line in each row; escapes in the line are meant."""
    rows = (row.split(maxsplit=1) for row in text.strip().split("\n"))
    return [(verdict, line.encode().decode("unicode_escape")) for verdict, line in rows]
