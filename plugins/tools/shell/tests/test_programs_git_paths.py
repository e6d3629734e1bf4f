"""Files that git takes out of commits, patches and the index, or shows out of them."""

from __future__ import annotations

import pytest
from program_lines import use, words
from table_lines import touched

from turnloop_shell.programs.knowledge import use_of
from turnloop_shell.programs.use import Command, Effect

TOUCHING = {
    "git checkout x a b": {"a!/...", "b!/..."},
    "git checkout x -- a": {"a!/..."},
    "git checkout .a": {".a!/..."},
    "git checkout a/.b": {"a/.b!/..."},
    "git checkout main": set(),
    "git checkout feature/x": set(),
    "git checkout -b x origin/main": set(),
    "git checkout --pathspec-from-file=l x": {"l", ".!/..."},
    "git checkout x -- '.a*'": {".!/..."},
    "git restore --source=x a": {"a!/..."},
    "git restore --pathspec-from-file l": {"l", ".!/..."},
    "git apply p": {"p", ".!/..."},
    "git apply": {".!/..."},
    "git apply --stat --apply p": {"p", ".!/..."},
    "git apply --check p": {"p"},
    "git apply --cached p": {"p"},
    "git am p": {"p", ".!/..."},
    "git am --continue": {".!/..."},
    "git am --abort": set(),
    "git read-tree -m x": set(),
    "git read-tree --prefix=a/ -u x": {".!/..."},
    "git read-tree --index-output=a x": {"a!"},
    "git index-pack -o a b": {"a!", "b~"},
    "git checkout-index a": {"a~"},
    "git checkout-index --temp a": {"a~"},
    "git checkout-index -a --prefix=b/": {".!/...", "b/!/..."},
    "git checkout-index --stdin": {".!/..."},
    "git init --separate-git-dir=a": {"a!/..."},
    "git archive HEAD a": {"a/*"},
    "git archive HEAD:a": {"a"},
    "git log -L1,5:a": {"a"},
    "git log -L :f:a": {"a"},
    "git log -L '/x:y/,+3:a'": {"a"},
    "git blame -L1,5 a": {"a"},
    "git config --blob :a -l": {"a"},
    "git config --blob=HEAD:a --get x": {"a"},
    "git fast-export HEAD -- a": {"HEAD", "a"},
    "git format-patch x -- a": {"x", "a"},
    "git rev-parse HEAD:a": {"a"},
    "git rev-parse HEAD": set(),
    "git ls-tree x a": {"x", "a"},
    "git unpack-file x:a": {"a"},
    "git commit-tree -F a x": {"a"},
    "git fmt-merge-msg -F a": {"a"},
    "git diff -- ':(icase)a'": {"a"},
    "git diff -- :/a": {"a"},
    "git diff -- ':!a'": set(),
    "git diff -- ':(exclude)a'": set(),
    "git diff -- 'a/*.py'": {"a/..."},
    "git stash show -p": set(),
    "git stash show -p -u": {"./..."},
    "git stash show -p --incl": {"./..."},
    "git show stash@{0}^3": {"./...", "stash@{0}^3"},
    "git cat-file -p x:a": {"a"},
}


@pytest.mark.parametrize("line", TOUCHING)
def test_paths(line: str) -> None:
    assert touched(use(line)) == TOUCHING[line]


def test_a_pattern_keeps_to_the_names_that_it_means() -> None:
    assert [t.only for t in use("git diff -- '*.py'").touches] == [("*.py",)]


EFFECTS = {
    "git init --separate-git-dir x": Effect.UNKNOWN,
    "git init": Effect.CHANGES,
    "git am x": Effect.UNKNOWN,
    "git am --abort": Effect.CHANGES,
    "git read-tree -u x": Effect.UNKNOWN,
    "git read-tree -m x": Effect.CHANGES,
    "git restore :/a": Effect.UNKNOWN,
    "git checkout x -- ':(top)a'": Effect.UNKNOWN,
    "git checkout x -- a": Effect.CHANGES,
    "git stash pop": Effect.CHANGES,
    "git cherry-pick x": Effect.CHANGES,
    "git reset --hard": Effect.CHANGES,
}


@pytest.mark.parametrize("line", EFFECTS)
def test_effects(line: str) -> None:
    assert use(line).effect is EFFECTS[line]


def test_objects_that_are_named_on_standard_input() -> None:
    found = use("git cat-file --batch", stdin="HEAD:a\ncontents HEAD:b c\n")
    assert {"a", "b", "c"} <= touched(found)
    assert found.dynamic == ""
    for line in ("git cat-file --batch", "git cat-file --batch=x", "git cat-file --batch-c"):
        assert use_of(Command(words(line), "pipe")).dynamic
    assert use("git cat-file --batch --batch-all-objects", stdin="x").dynamic
    assert use_of(Command(words("git cat-file --batch-check"), "pipe")).dynamic == ""
