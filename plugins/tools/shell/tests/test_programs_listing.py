"""Which names a command hands on, and what it reads of that which lies below a folder."""

from __future__ import annotations

import pytest
from judging import court
from program_lines import use, words

from turnloop_shell.programs.knowledge import use_of
from turnloop_shell.programs.listing import passes_on, refined
from turnloop_shell.programs.use import Command, Touch


def seen(touches: tuple[Touch, ...]) -> list[str]:
    """`path` with `/*` (less hidden names) or `/...`, and the globs for names."""
    marks = {"": "", "visible": "/*", "all": "/..."}
    return [t.word.text + marks[t.depth] + "".join(f" {glob}" for glob in t.only) for t in touches]


def lists(line: str) -> list[str]:
    return seen(refined(Command(words(line)), use(line)).lists)


def reads(line: str) -> list[str]:
    return seen(refined(Command(words(line)), use(line)).touches)


LISTS = {
    "find src": ["src/..."],
    "find . -name '*.py' -print0": [". ".replace(" ", "/...") + " *.py"],
    "find . -iname '*.PY' -exec cat {} +": ["./... *.PY"],
    "find . -exec cat {} + -name '*.py'": ["./..."],
    "find . -exec foo -name '*.py' {} +": ["./..."],
    "find . -print -name '*.py'": ["./..."],
    "find . -printf '%p\\n'": ["./..."],
    "find . -printf /etc/passwd": [],
    "find . -printf '%f\\n'": [],
    "find . -ls": [],
    "fd x src": ["src/*"],
    "fd -H x src": ["src/..."],
    "fd --hid x": ["./..."],
    "fd --format /etc/passwd x": [],
    "fd --base-directory src x": ["src/*", "./*"],
    "ls": ["./*"],
    "ls -A": ["./..."],
    "ls src": ["src/*", "./*"],
    "ls -l": [],
    "ls -1 --time-style=+/etc/passwd": [],
    "stat -c /etc/passwd x": [],
    "du --time-style=+/etc/passwd --time x": [],
    "tree -H /etc/passwd": [],
    "rg -l foo": ["./*"],
    "rg --files src": ["src/*"],
    "rg -l foo .": ["./*"],
    "rg --files --hidden src": ["src/..."],
    "find . -name *.py": ["./... *.py"],
    "find . -name $X": [],
    "find $X -name '*.py'": [],
    "rg -l --json foo": [],
    "rg -l --hidden foo": ["./..."],
    "grep -rl foo src": ["src/..."],
    "grep -rn foo src": [],
    "grep -rl --label=/etc/passwd foo - src": [],
    "git ls-files": ["./*"],
    "git ls-files -o": ["./..."],
    "git ls-files --format=/etc/passwd": [],
    "git ls-files ..": [],
    "git -C src ls-files": [],
    "git grep -l foo": ["./*"],
    "git grep -l --untracked foo": ["./..."],
    "git diff --name-only HEAD": ["./*"],
    "git diff --name-only --line-prefix=/etc/x": [],
    "git log -l1 --format=/etc/passwd": [],
    "git branch -l": [],
    "cat -l x": [],
}


@pytest.mark.parametrize(("line", "expected"), LISTS.items())
def test_what_is_handed_on(line: str, expected: list[str]) -> None:
    assert lists(line) == expected


READS = {
    "rg foo": ["./*"],
    "rg -. foo": ["./..."],
    "rg -uu foo": ["./..."],
    "rg -g '*.py' foo": ["./... *.py"],
    "rg -g'.env' foo": ["./... .env"],
    "rg -g '!*.lock' foo": ["./*"],
    "rg -t py foo src": ["src/*"],
    "rg -t x --type-add 'x:.env' foo": ["./..."],
    "rg -e -u foo": ["foo/*"],
    "rg -tsh foo": ["./..."],
    "ag foo": ["./*"],
    "ag --hidden foo": ["./..."],
    "ack foo": ["./..."],
    "grep -r --include='*.py' foo .": ["./... *.py"],
    "grep -r foo --inc '*.c' src": ["src/... *.c"],
    "find . -delete -name '*.py'": ["./..."],
    "find . -name '*.py' -delete": ["./... *.py"],
    "git grep K": ["./*"],
    "git grep --no-index K": ["./..."],
    "git grep --no-ind K src": ["src/..."],
    "git grep --untracked K": ["./..."],
    "git grep --untr K src": ["src/..."],
}


@pytest.mark.parametrize(("line", "expected"), READS.items())
def test_what_is_read_below(line: str, expected: list[str]) -> None:
    assert reads(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("head -3", True),
        ("head -n 3", True),
        ("tail -n +2", True),
        ("sort -u", True),
        ("grep -v test", True),
        ("grep -vE 'a|b'", True),
        ("cat", True),
        ("tail -c 12", False),
        ("sort --files0-from=x", False),
        ("grep -o /etc/passwd", False),
        ("grep x y", False),
        ("grep --label=/x -l y", False),
        ("uniq -c", False),
        ("sed p", False),
        ("cat x", False),
        ('head "$X"', False),
    ],
)
def test_lines_that_are_passed_on(line: str, expected: bool) -> None:
    assert passes_on(Command(words(line))) is expected


@pytest.mark.parametrize(
    "pattern", ["test_*", "*.py", "./*", "src/*", "*_test.go", "[a-z]*.py", "*.PY", "*'.p'y"]
)
def test_an_unquoted_pattern_that_is_no_part_of_the_expression(pattern: str) -> None:
    assert not use(f"find . -name {pattern}").dynamic
    assert not use(f"find . -iname {pattern} -print").dynamic


@pytest.mark.parametrize(
    "pattern", ["*", "-*", "*e", "?", "*delete", "*[e]", "??????t", "*EXEC", "$X", "*$X.py"]
)
def test_an_unquoted_pattern_that_may_be_one(pattern: str) -> None:
    assert use(f"find . -name {pattern}").dynamic


def test_a_search_prints_names_though_it_has_an_input() -> None:
    for line, expected in {"rg -l foo": ["./*"], "rg --files": ["./*"], "rg foo": []}.items():
        command = Command(words(line), "pipe")
        assert seen(refined(command, use_of(command)).lists) == expected


LINES = r"""
allow find . -name *.py | xargs wc -l
allow find src -exec wc -l {} + | sort
allow rg --files | head -5 | xargs wc -l
allow git diff --name-only | xargs wc -l
ask   find src -maxdepth 0 -exec echo /etc/passwd \; | xargs cat
ask   find src -exec cat {} + | xargs cat
ask   find . -maxdepth 0 -printf /etc/passwd | xargs cat
ask   git log -l1 --format=/etc/passwd | xargs cat
ask   ls -l --time-style=+/etc/passwd | xargs cat
ask   stat -c /etc/passwd src | xargs cat
ask   grep -rl --label=/etc/passwd x - src | xargs cat
ask   find src -name '*.py' | tail -c 5 | xargs cat
ask   find . -exec cat {} + -name '*.py'
ask   find . -delete -name '*.pyc'
ask   rg -g '.*' KEY
ask   rg -t x --type-add 'x:.env' KEY
ask   git grep --no-index K
"""


@pytest.mark.parametrize("row", [row for row in LINES.split("\n") if row])
def test_whole_lines_in_auto_mode(row: str) -> None:
    verdict, line = row.split(maxsplit=1)
    with court() as judge:
        assert judge.decide(line, "auto").verdict.value == verdict
