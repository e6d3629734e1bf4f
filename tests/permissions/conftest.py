"""A project, a home and an outside, all in one temporary folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.paths import path_subject
from turnloop_core.permissions.rules import Rule, Rules, parse_rule
from turnloop_core.ports.permission_check import PermissionCheck
from turnloop_core.ports.tool import Scope
from turnloop_core.types.subjects import Decision, PermissionMode, Subject, SubjectKind, Verdict


@dataclass(frozen=True)
class Place:
    """Where the tests of this folder act."""

    top: Path
    scope: Scope

    @property
    def root(self) -> Path:
        return self.scope.root

    @property
    def home(self) -> Path:
        return self.scope.home

    def file(self, path: str, text: str = "x") -> Path:
        """Make a file below the top folder."""
        made = self.top / path
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(text, encoding="utf-8")
        return made

    def link(self, path: str, target: str | Path) -> Path:
        made = self.top / path
        made.parent.mkdir(parents=True, exist_ok=True)
        made.symlink_to(target)
        return made

    def read(self, path: str | Path) -> Subject:
        return path_subject(str(path), self.scope, SubjectKind.READ)

    def write(self, path: str | Path) -> Subject:
        return path_subject(str(path), self.scope, SubjectKind.WRITE)

    def engine(
        self,
        mode: str = "default",
        *,
        allow: Sequence[str] = (),
        deny: Sequence[str] = (),
        ask: Sequence[str] = (),
        checks: Sequence[PermissionCheck] = (),
        folds: Callable[[str], bool] = lambda path: False,
    ) -> Engine:
        def rules(texts: Sequence[str]) -> tuple[Rule, ...]:
            return tuple(parse_rule(text, "test") for text in texts)

        lists = Rules(rules(allow), rules(deny), rules(ask))
        return Engine(lists, PermissionMode(mode), self.scope, tuple(checks), folds=folds)

    def decide(self, engine: Engine, tool: str, *subjects: Subject) -> Decision:
        read_only = all(s.kind in (SubjectKind.READ, SubjectKind.SEARCH) for s in subjects)
        return engine.decide(tool, subjects, read_only=read_only and bool(subjects))

    def verdict(self, engine: Engine, tool: str, *subjects: Subject) -> Verdict:
        return self.decide(engine, tool, *subjects).verdict


def make_place(top: Path) -> Place:
    top = top.resolve()
    for name in ("proj", "home/dev", "outside"):
        (top / name).mkdir(parents=True)
    return Place(top, Scope(top / "proj", top / "proj", top / "home/dev"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)
