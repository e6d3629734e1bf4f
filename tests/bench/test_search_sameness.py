"""Glob and Grep find what ripgrep finds, on 2,000 files of all sorts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    shutil.which("rg") is None, reason="ripgrep is not installed: nothing to compare with"
)


@pytest.fixture
def search(monkeypatch):
    """The benchmark's module; the folder above is where it is found."""
    monkeypatch.syspath_prepend(str(ROOT))
    from bench import search_bench

    return search_bench


def test_the_same_files_and_lines(search):
    with search.planted(2_000) as (project, ground):
        files = ground.files()
        assert search.differences(ground) == []
        # It would mean nothing on a folder with nothing to be told apart.
        everything = [path for path in project.root.rglob("*") if path.is_file()]
        assert 1_000 < len(files) < len(everything) - 300
        lines = ground.lines("MARK", files, by_rg=False)
        assert len(lines) > 100
        assert {name.rpartition("/")[2].partition("-")[0] for name in lines} > {"a b", "ünï"}


def test_a_difference_is_seen(search, monkeypatch):
    with search.planted(200) as (_, ground):
        names = ground.files()
        missing = next(name for name in names if ground.lines("a", [name], by_rg=False))
        monkeypatch.setattr(type(ground), "files", lambda self: [n for n in names if n != missing])
        (files, *lines) = search.differences(ground)
        assert files.startswith(f"files: only ours [], only theirs [{missing!r}]")
        assert not lines or all(missing in text for text in lines)


def test_the_folder_is_the_same_each_time(search):
    with search.planted(300) as (one, _), search.planted(300) as (other, _):
        seen = [
            {
                str(path.relative_to(project.root)): path.read_bytes()
                for path in project.root.rglob("*")
                if path.is_file() and not path.is_symlink()
            }
            for project in (one, other)
        ]
        assert seen[0] == seen[1]
