"""Ignore rules: as git reads them, and never slow."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings, strategies as st

from turnloop_core.testing.project import bare_environment
from turnloop_core.worktree.ignore import Level
from turnloop_core.worktree.rule import parse_rule, parse_rules
from turnloop_core.worktree.scan import scan

GIT = shutil.which("git")


def ignored(text: str, path: str, *, folder: bool = False) -> bool:
    return Level(parse_rules(text)).ignores(path, folder=folder)


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ("*.log", "a/b.log", True),
        ("*.log\n!keep.log", "a/keep.log", False),
        ("!keep.log\n*.log", "keep.log", True),
        ("/a.py", "a.py", True),
        ("/a.py", "b/a.py", False),
        ("a/b", "c/a/b", False),
        ("**/a/b", "c/a/b", True),
        ("***/a", "a", True),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**", "a", False),
        ("a/**", "a/b", True),
        ("# comment", "# comment", False),
        (r"\# name", "# name", True),
        (r"\!name", "!name", True),
        ("name  ", "name", True),
        ("name\\ ", "name ", True),
        ("name\r", "name", True),
        ("\ufeffname", "name", True),
        ("[a-c].py", "b.py", True),
        ("[!a-c].py", "b.py", False),
        ("[]x].py", "].py", True),
        ("[[:digit:]]", "7", True),
        ("[[:nonsense:]]", "7", False),
        ("a[", "a[", False),
        ("a\\", "a\\", False),
        ("[z-a]", "z", False),
        ("[!z-a]", "z", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("a*c", "a/c", False),
        (".*", ".env", True),
        ("a.b", "axb", False),
        ("", "a", False),
        ("/", "a", False),
        ("!", "a", False),
    ],
)
def test_a_rule(rules: str, path: str, expected: bool) -> None:
    assert ignored(rules, path) is expected


def test_a_slash_at_the_end_means_folders() -> None:
    assert ignored("out/", "a/out", folder=True)
    assert not ignored("out/", "a/out")


def test_deeper_rules_come_first_and_are_matched_from_their_folder() -> None:
    top = Level(parse_rules("*.txt\n/only-here"))
    deep = Level(parse_rules("!b.txt\n/c"), top, skip=len("x/"))
    paths = ("x/a.txt", "x/b.txt", "x/c", "x/y/c", "x/only-here")
    assert [deep.ignores(path) for path in paths] == [True, False, True, False, False]


def test_rules_of_folders_above_the_root() -> None:
    level = Level(parse_rules("/proj/a\nb"), above=("proj",))
    assert [level.ignores(path) for path in ("a", "x/a", "x/b")] == [True, False, True]


def test_a_hostile_rule_takes_no_time() -> None:
    name = "a" * 250
    rule = parse_rule("*a" * 40 + "b")
    deep = parse_rule("**/a*a*b/" * 20 + "x")
    assert rule is not None
    assert deep is not None
    before = time.process_time()
    assert not rule.matches([name], folder=False)
    assert not deep.matches([name] * 200, folder=False)
    assert time.process_time() - before < 2  # backtracking would take longer than anybody waits


# Names and rules from few letters, so that they often meet.
NAME = st.text("ab.", min_size=1, max_size=3).filter(lambda name: name.strip("."))
PATH = st.lists(NAME, min_size=1, max_size=4).map("/".join)
PIECE = st.sampled_from(
    [
        "a",
        "b",
        ".",
        "*",
        "?",
        "**",
        "/",
        "/**/",
        "[ab]",
        "[!a]",
        "[a-b]",
        "\\a",
        "!",
        "#",
        " ",
        "ab",
    ]
)
# Against its own manual, git takes `ab**/c` for `ab` and then `**/c`.
ODD = re.compile(r".[^/*]\*\*|[^/*!]\*\*")
LINE = (
    st.lists(PIECE, min_size=1, max_size=5).map("".join).filter(lambda line: not ODD.search(line))
)
RULES = st.lists(LINE, min_size=1, max_size=5).map("\n".join)


def _git(root: Path, *arguments: str) -> bytes:
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ("git", *arguments),
        cwd=root,
        env=bare_environment(root) | quiet,
        check=True,
        capture_output=True,
        timeout=60,
    )
    return done.stdout


@contextmanager
def _tree(paths: set[str], rules: dict[str, str]) -> Iterator[Path]:
    """A repository with these files; a path that is both file and folder is a folder."""
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for path in sorted(paths, key=len, reverse=True):
            if not (root / path).exists():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                if not (root / path).is_dir():
                    (root / path).write_text("")
        for where, text in rules.items():
            if (root / where).is_dir():
                (root / where / ".gitignore").write_text(text)
        _git(root, "init", "--quiet")
        yield root


@pytest.mark.skipif(GIT is None, reason="git says what is right, and is not here")
@settings(max_examples=120, deadline=None)
@example(paths={"a/b/a", "a/b/b"}, rules={"": "*\n!*/\n!a"}, forced=set())
@example(paths={"a/b", "a/a"}, rules={"": "a/*\n!a/b"}, forced=set())
@example(paths={"a/b/a", "a/a"}, rules={"": "a/"}, forced={"a/b/a"})
@given(
    paths=st.sets(PATH, min_size=1, max_size=12),
    rules=st.dictionaries(st.one_of(st.just(""), PATH), RULES, min_size=1, max_size=3),
    forced=st.sets(PATH, max_size=2),
)
def test_the_files_that_count_are_those_that_git_sees(
    paths: set[str], rules: dict[str, str], forced: set[str]
) -> None:
    with _tree(paths | forced, rules) as root:
        for path in forced:
            if (root / path).is_file():
                _git(root, "add", "--force", "--", f":(literal){path}")
        seen = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        look = scan(root)
        counting = {path for path in look.files if not look.rules.ignore(path)}
        assert counting == {os.fsdecode(name) for name in seen.split(b"\0") if name}
