"""Two passes, and what is never a root."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from turnloop_core.config.root import MARKERS, ProjectRoot, find_root

CASES: dict[str, tuple[list[str], str, str, str]] = {
    # name: (what there is, working folder, root, marker)
    "declared": (["home/p/.turnloop/", "home/p/a/"], "home/p/a", "home/p", ".turnloop"),
    "declared beats nearer manifest": (
        ["home/p/.turnloop/", "home/p/a/pyproject.toml", "home/p/a/.git/"],
        "home/p/a",
        "home/p",
        ".turnloop",
    ),
    "nearest declared": (
        ["home/p/.turnloop/", "home/p/a/.turnloop/"],
        "home/p/a",
        "home/p/a",
        ".turnloop",
    ),
    "a file of that name declares nothing": (
        ["home/p/.turnloop", "home/p/Cargo.toml", "home/p/a/"],
        "home/p/a",
        "home/p",
        "Cargo.toml",
    ),
    "nearest manifest": (
        ["home/p/.git/", "home/p/a/go.mod", "home/p/a/b/"],
        "home/p/a/b",
        "home/p/a",
        "go.mod",
    ),
    "manifest is the reason, not the repository": (
        ["home/p/.git/", "home/p/package.json"],
        "home/p",
        "home/p",
        "package.json",
    ),
    "a worktree's .git is a file": (["home/p/.git", "home/p/a/"], "home/p/a", "home/p", ".git"),
    "nothing": (["home/p/a/"], "home/p/a", "home/p/a", ""),
    "settings of the user make no project": (
        ["home/.turnloop/", "home/p/a/"],
        "home/p/a",
        "home/p/a",
        "",
    ),
    "a repository of dotfiles makes no project": (
        ["home/.git/", "home/p/"],
        "home/p",
        "home/p",
        "",
    ),
    "nothing above home": (["pyproject.toml", "home/p/"], "home/p", "home/p", ""),
    "home itself": (["home/.turnloop/"], "home", "home", ""),
    "outside home": (["work/p/Makefile", "work/p/a/"], "work/p/a", "work/p", "Makefile"),
}


@pytest.mark.parametrize("case", CASES)
def test_finds_the_root(tmp_path: Path, case: str) -> None:
    there, cwd, root, marker = CASES[case]
    (tmp_path / "home").mkdir()
    for name in there:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.touch()
    found = find_root(tmp_path / cwd, tmp_path / "home")
    assert found == ProjectRoot((tmp_path / root).resolve(), marker)


def test_the_root_of_a_drive_is_never_a_project(tmp_path: Path) -> None:
    drive = Path(tmp_path.anchor)
    assert find_root(drive, tmp_path) == ProjectRoot(drive)


@pytest.mark.skipif(os.name == "nt", reason="mode bits")
def test_a_folder_where_anybody_may_write_is_no_project_of_others(tmp_path: Path) -> None:
    (tmp_path / "shared" / ".turnloop").mkdir(parents=True)
    (tmp_path / "shared" / "mine").mkdir()
    (tmp_path / "shared").chmod(0o1777)
    mine = (tmp_path / "shared" / "mine").resolve()
    assert find_root(mine, tmp_path / "home") == ProjectRoot(mine)


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
def test_links_are_resolved(tmp_path: Path) -> None:
    (tmp_path / "p" / "a").mkdir(parents=True)
    (tmp_path / "p" / "setup.py").touch()
    (tmp_path / "link").symlink_to(tmp_path / "p" / "a")
    assert find_root(tmp_path / "link", tmp_path / "home").path == (tmp_path / "p").resolve()


def test_repositories_come_last() -> None:
    assert MARKERS[-1] == ".git"
    assert set(MARKERS[-4:]) == {".hg", ".svn", ".jj", ".git"}
