"""Programs that a rule forbids, wherever else than in front of a command they are named."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from program_lines import codes, forms, started, use

from turnloop_shell.programs.dialects import bash_only
from turnloop_shell.programs.use import Effect


def names(line: str) -> set[str]:
    """All that a rule for a command may match."""
    found = use(line)
    return {*started(found), *(code for code in codes(found) if code), *forms(found)}


WRAPPERS = """
frobnicate | frobnicate -x | frobnicate --y=1 z | ./run.sh | ../x -q | /opt/x/bin/frob -- | cargo2 a
firejail | firejail --quiet --net=none -- | bwrap --bind / / | bwrap --ro-bind / / --dev /dev --
bwrap --unshare-all --setenv A b --chdir x | bwrap --frob x | firejail -x y
choom -n 0 -- | runcon -t x | runcon a:b:c | chpst -u dev | chpst -C sub -e env | setuidgid dev
envdir env | envuidgid dev | softlimit -m 99 | with-contenv | faketime yesterday | faketime -f @1
cpulimit -l 50 -- | trickle -s -d 5 | rustup run stable | rustup -q run --install nightly
start-stop-daemon --start --exec | start-stop-daemon -S -b -x | systemd-inhibit --what=sleep
proot -r x | setlock -n x | s6-setuidgid dev | ssh-agent | cgexec -g a:b | torify | kcov out
""".replace("\n", "|")


@pytest.mark.parametrize("wrapper", [w.strip() for w in WRAPPERS.split("|") if w.strip()])
def test_the_program_of_a_wrapper_is_named(wrapper: str) -> None:
    assert "rm -rf build" in names(f"{wrapper} rm -rf build")


@pytest.mark.parametrize(
    "line",
    [
        "sg dev -c 'rm -rf build'",
        "sg - dev -c 'rm -rf build'",
        "sg dev 'rm -rf build'",
        "newgrp dev -c 'rm -rf build'",
        "runuser dev -c 'rm -rf build'",
        "su - dev -- -c 'rm -rf build'",
        "su dev -s /bin/sh -c 'rm -rf build'",
        "strace -o '|rm -rf build' ls",
        "strace -fo'!rm -rf build' ls",
        "strace --output='|rm -rf build' ls",
        "ltrace -o '!rm -rf build' ls",
        "/usr/bin/time -o '|rm -rf build' ls",
        "psql -o '|rm -rf build'",
        "psql -c '\\o |rm -rf build'",
        "psql -c \"copy x to program 'rm -rf build'\"",
        "foo -c 'rm -rf build'",
        "foo --run='rm -rf build'",
        "foo 'true; rm -rf build'",
        "foo --out='|rm -rf build'",
        "make RM='rm -rf build'",
        "gmake HOSTCC='rm -rf build'",
        "make SHELL='rm -rf build'",
        "yarn run rm -rf build",
        "yarn rm -rf build",
        "yarn --silent run rm -rf build",
        "npm run rm -- -rf build",
        "pnpm run rm -rf build",
        "bun run rm -rf build",
    ],
)
def test_a_program_in_another_place_is_named(line: str) -> None:
    found = {name.replace(" -- ", " ") for name in names(line)}
    assert any(" ".join(name.split()) in ("rm -rf build", "rm build", "rm") for name in found)


def test_capsh_runs_a_shell() -> None:
    assert started(use("capsh --drop=all -- -c 'rm -rf build'")) == ["bash -c rm -rf build"]
    assert use("capsh --shell=/x -- -c y").dynamic
    assert use("capsh ==").dynamic


@pytest.mark.parametrize("line", ["echo rm -rf x", "ls 'rm x'", "git log rm x", "printf 'rm x'"])
def test_words_of_a_known_program_are_no_program(line: str) -> None:
    assert not any(name.startswith("rm") for name in names(line))


def test_options_are_no_programs() -> None:
    assert forms(use("foo -x rm -rf build")) == ["rm -rf build", "build"]
    assert forms(use("foo")) == []


@given(st.lists(st.sampled_from(["a", "-b", "c=1", "rm", "x y", ""]), min_size=1, max_size=400))
@settings(deadline=None, max_examples=60)
def test_a_program_is_named_however_many_words_stand_in_front(row: list[str]) -> None:
    line = " ".join(["foo", *(f"'{word}'" for word in row), "rm -rf build"])
    found = forms(use(line))
    assert any(form.startswith("rm -rf build") or "rm -rf build" in form for form in found)
    assert sum(map(len, found)) < 60_000


@pytest.mark.parametrize("line", ["make CC=clang", "make PYTHON=.venv/bin/python3 V=1", "make -j4"])
def test_building_with_another_program_stays_work_of_the_project(line: str) -> None:
    found = use(line)
    assert (found.effect, found.dynamic, found.doubt) == (Effect.PROJECT, "", "")


def test_interpreters_of_a_build_get_words_that_nobody_knows() -> None:
    assert (started(use("make PYTHON=python3")), forms(use("make PYTHON=python3"))) == (
        [],
        ["python3", "python3 …"],
    )
    assert started(use("make CC='ccache gcc' PREFIX=build CFLAGS=-O2")) == ["ccache gcc"]


BASH_ONLY = [
    "{rm,-rf,build}",
    "echo a{1..3}",
    "echo $'\\'; rm x #'",
    "((rm x))",
    "true; ((rm x))",
    "diff <(a) <(b)",
    "[[ a || rm x ]]",
    "[[ a > b ]]",
    "echo $[ 1; rm x ]",
    "eval \"\\$'a'\"",
    'echo "$(echo {a,b})"',
    "cat <<E\nit's\nE\n((rm x))",
]
PLAIN = [
    "rm -rf build",
    "echo '{a,b}'",
    'echo "{a,b}"',
    "awk '{print $1,$2}' x",
    "find . -exec x {} +",
    "echo $((1+2))",
    "f() { a; b; }; f",
    "[[ -f x ]] && make",
    "echo a, b",
    "x && { a; }",
    "# {a,b}",
    "true # ((",
]


@pytest.mark.parametrize("text", BASH_ONLY)
def test_code_with_two_readings(text: str) -> None:
    assert bash_only(text)
    for shell in ("sh", "dash", "ash", "/bin/sh"):
        quoted = text.replace("'", "'\\''")
        found = use(f"{shell} -c '{quoted}'")
        assert (found.dynamic != "", codes(found)[0]) == (True, text)
    assert not use("bash -c '{}'".format(text.replace("'", "'\\''"))).dynamic


@pytest.mark.parametrize("text", [text for text in PLAIN if text[0] != "#"])
def test_code_with_one_reading(text: str) -> None:
    assert not bash_only(text)
    assert not use("sh -c '{}'".format(text.replace("'", "'\\''"))).dynamic


def test_what_watch_runs_has_two_readings() -> None:
    found = use("watch bash -c '{rm,-rf,build}'")
    assert found.dynamic
    assert codes(found) == ["bash -c {rm,-rf,build}", "bash -c '{rm,-rf,build}'"]
    assert use("sh", stdin="{rm,x}").dynamic
    assert not use("bash", stdin="{rm,x}").dynamic


def test_fish_has_quotes_of_its_own() -> None:
    assert use("fish -c 'echo (rm x)'").dynamic
    assert not use("fish -c 'ls'").dynamic
