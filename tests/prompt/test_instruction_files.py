"""Which instruction files are found, and what becomes of odd ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from turnloop_core.prompt.instructions import (
    MAX_BYTES,
    InstructionFile,
    find_instructions,
    render_instructions,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "p" / "a" / "b").mkdir(parents=True)
    (tmp_path / "home" / ".turnloop").mkdir(parents=True)
    return (tmp_path / "p").resolve()


def labels(files: tuple[InstructionFile, ...]) -> list[tuple[str, str]]:
    return [(file.label, file.text or file.problem) for file in files]


def test_from_the_users_own_down_to_the_working_folder(root: Path) -> None:
    home = root.parent / "home"
    (home / ".turnloop" / "TURNLOOP.md").write_text("user")
    (root.parent / "AGENTS.md").write_text("above the root")
    for name in ("AGENTS.md", "CLAUDE.md", "TURNLOOP.md"):
        (root / name).write_text(f"root {name}")
    (root / "a" / "CLAUDE.md").write_text("a")
    (root / "a" / "b" / "AGENTS.md").write_text("b")
    found = find_instructions(root, root / "a" / "b", home)
    assert labels(found) == [
        ("~/.turnloop/TURNLOOP.md", "user"),
        ("TURNLOOP.md", "root TURNLOOP.md"),
        ("CLAUDE.md", "root CLAUDE.md"),
        ("AGENTS.md", "root AGENTS.md"),
        (str(Path("a/CLAUDE.md")), "a"),
        (str(Path("a/b/AGENTS.md")), "b"),
    ]
    assert labels(find_instructions(root, root)) == labels(found)[1:4]
    assert labels(find_instructions(root, home)) == labels(found)[1:4]


def test_none_is_nothing(root: Path) -> None:
    assert find_instructions(root, root / "a", root.parent / "home") == ()
    assert render_instructions(()) == ""


def test_the_same_content_counts_once(root: Path) -> None:
    (root / "AGENTS.md").write_bytes(b"same\r\n")
    (root / "CLAUDE.md").write_text("same\n\n")
    (root / "a" / "AGENTS.md").write_text("same")
    assert labels(find_instructions(root, root / "a")) == [("CLAUDE.md", "same")]


def test_only_exact_names_count(root: Path) -> None:
    for name in ("agents.md", "Claude.md", "TURNLOOP.MD", "AGENTS.txt"):
        (root / name).write_text(name)
    assert find_instructions(root, root) == ()


def test_empty_files_say_nothing(root: Path) -> None:
    (root / "AGENTS.md").write_text(" \n")
    assert find_instructions(root, root) == ()


def test_a_long_file_is_cut_visibly(root: Path) -> None:
    (root / "AGENTS.md").write_text("é" * MAX_BYTES, encoding="utf-8")
    (file,) = find_instructions(root, root)
    assert file.truncated
    cut = "\n[cut here: only the first 32 KB of AGENTS.md are shown]"
    assert file.text == "é" * (MAX_BYTES // 2) + cut


def test_the_cut_leaves_no_half_character(root: Path) -> None:
    (root / "AGENTS.md").write_text("x" + "é" * MAX_BYTES, encoding="utf-8")
    (file,) = find_instructions(root, root)
    assert file.text.split("\n")[0] == "x" + "é" * (MAX_BYTES // 2 - 1)


def test_exactly_the_limit_is_whole(root: Path) -> None:
    (root / "AGENTS.md").write_text("x" * MAX_BYTES)
    (file,) = find_instructions(root, root)
    assert (file.truncated, len(file.text)) == (False, MAX_BYTES)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"caf\xe9 \xff", "caf\ufffd \ufffd"),
        (b"\xef\xbb\xbfmark", "mark"),
        ("wide".encode("utf-16"), "wide"),
        (b"a\x00b\x1b[31m\tc", "a\ufffdb\ufffd[31m\tc"),
        (b"a\rb\r\nc", "a\nb\nc"),
    ],
)
def test_whatever_the_bytes_are_they_become_text(root: Path, data: bytes, text: str) -> None:
    (root / "AGENTS.md").write_bytes(data)
    assert labels(find_instructions(root, root)) == [("AGENTS.md", text)]


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
def test_a_link_out_of_the_project_is_not_followed(root: Path) -> None:
    (root.parent / "secret").write_text("key")
    (root / "AGENTS.md").symlink_to(root.parent / "secret")
    (root / "a" / "AGENTS.md").symlink_to("../inside.md")
    (root / "inside.md").write_text("inside")
    (root / "CLAUDE.md").symlink_to("nowhere")
    assert labels(find_instructions(root, root / "a")) == [
        ("CLAUDE.md", "cannot be read: No such file or directory"),
        ("AGENTS.md", "a link out of the project"),
        (str(Path("a/AGENTS.md")), "inside"),
    ]


@pytest.mark.skipif(os.name == "nt", reason="POSIX files")
def test_what_is_no_file_does_not_hold_up_the_start(root: Path) -> None:
    os.mkfifo(root / "AGENTS.md")
    (root / "CLAUDE.md").mkdir()
    assert labels(find_instructions(root, root)) == [
        ("CLAUDE.md", "not a regular file"),
        ("AGENTS.md", "not a regular file"),
    ]


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
def test_the_users_own_file_may_be_a_link(root: Path) -> None:
    home = root.parent / "home"
    (root.parent / "dotfile").write_text("mine")
    (home / ".turnloop" / "TURNLOOP.md").symlink_to(root.parent / "dotfile")
    assert labels(find_instructions(root, root, home)) == [("~/.turnloop/TURNLOOP.md", "mine")]
