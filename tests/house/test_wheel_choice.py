"""Which members are tried: those that changed, and all of them when that cannot be told."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from check_wheels import changed
from wheels import WheelsError

WORKSPACE = """\
[project]
name = "turnloop-core"
version = "1"
[tool.uv.workspace]
members = ["plugins/tools/one", "plugins/tools/two"]
"""
MEMBER = '[project]\nname = "turnloop-{name}"\nversion = "1"\n'
ONE, TWO = "turnloop-one", "turnloop-two"


class Repository:
    """A workspace of two members."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("pyproject.toml", WORKSPACE)
        for name in ("one", "two"):
            self.write(f"plugins/tools/{name}/pyproject.toml", MEMBER.format(name=name))

    def write(self, name: str, text: str = "x") -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *arguments: str) -> None:
        who = ("-c", "user.name=Test", "-c", "user.email=test@example.invalid")
        places = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(
            ("git", *who, *arguments),
            cwd=self.root,
            env={**os.environ, **places},
            check=True,
            capture_output=True,
        )

    def commit(self, *names: str) -> None:
        for name in names:
            self.write(name)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "Change")

    def chosen(self, *, everything: bool = False, since: str = "") -> list[str]:
        return [member.name for member in changed(everything, since, self.root)[0]]


@pytest.fixture
def made(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


@pytest.fixture
def repository(made: Repository) -> Repository:
    """With two commits, so that there is one to compare with."""
    made.git("init", "--quiet", "--initial-branch=main")
    made.commit()
    made.commit("docs/a.md")
    return made


def test_without_an_older_commit_all_are_tried(made: Repository) -> None:
    made.write(".git", "no repository around this folder counts")
    assert made.chosen() == [ONE, TWO]
    (made.root / ".git").unlink()
    made.git("init", "--quiet", "--initial-branch=main")
    assert made.chosen() == [ONE, TWO]
    made.commit()
    assert made.chosen() == [ONE, TWO]


def test_what_touches_no_member_tries_none(repository: Repository) -> None:
    assert repository.chosen() == []
    assert repository.chosen(everything=True) == [ONE, TWO]


def test_a_change_counts_before_it_is_committed(repository: Repository) -> None:
    repository.write("plugins/tools/two/src/new.py")
    assert repository.chosen() == [TWO]
    repository.write("plugins/tools/one/pyproject.toml", MEMBER.format(name="one") + "\n")
    assert repository.chosen() == [ONE, TWO]


@pytest.mark.parametrize("name", ["turnloop_core/a.py", "conftest.py", "scripts/a.py", ".ci/run"])
def test_what_all_depend_on_tries_all(repository: Repository, name: str) -> None:
    repository.commit(name)
    assert repository.chosen() == [ONE, TWO]


def test_on_a_branch_all_of_its_commits_count(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "work")
    repository.commit("plugins/tools/one/a.py")
    repository.commit("docs/b.md")
    assert repository.chosen() == [ONE]
    assert repository.chosen(since="HEAD~1") == []


def test_an_unknown_commit_is_said(repository: Repository) -> None:
    with pytest.raises(WheelsError, match="revision"):
        repository.chosen(since="no-such-commit")
