"""Shells, `eval`, `source`, `trap`, and the builtins that change the shell."""

from __future__ import annotations

import pytest
from program_lines import codes, reads, started, use

from turnloop_shell.programs.use import Effect


@pytest.mark.parametrize(
    "line",
    [
        "sh -c '{}'",
        "bash -c '{}'",
        "bash -lc '{}'",
        "bash -l -c '{}'",
        "bash -ec '{}' a b",
        "bash -c -e '{}'",
        "bash -euo pipefail -c '{}'",
        "bash -o pipefail -c '{}'",
        "bash +e -c '{}'",
        "bash --norc --noprofile -c '{}'",
        "bash --posix -c '{}'",
        "bash -c -- '{}'",
        "zsh -fc '{}'",
        "dash -c '{}'",
        "ksh -c '{}'",
        "fish -c '{}'",
        "fish --command '{}'",
        "/bin/sh -c '{}'",
        "bash5.2 -c '{}'",
        "eval '{}'",
        "eval -- '{}'",
        "eval {}",
        "trap '{}' EXIT",
        "trap -- '{}' INT TERM",
    ],
)
def test_literal_code_is_looked_into(line: str) -> None:
    found = use(line.format("rm -rf build"))
    assert (codes(found), found.dynamic) == (["rm -rf build"], "")


@pytest.mark.parametrize(
    "line",
    [
        "bash --rcfile f -c '{}'",
        "bash --init-file f -c '{}'",
        "bash -O extglob -c '{}'",
        "bash -o history -c '{}'",
        "bash --frob -c '{}'",
        "fish -C '{}'",
        "fish --init-command '{}'",
        "pwsh -c '{}'",
        "tcsh -c '{}'",
        "alias ls='{}'",
        "mapfile -C '{}' x",
    ],
)
def test_odd_options_are_dynamic_but_deny_rules_see_the_code(line: str) -> None:
    found = use(line.format("rm -rf build"))
    assert found.dynamic
    assert "rm -rf build" in codes(found)


@pytest.mark.parametrize(
    "line",
    [
        'bash -c "$S"',
        "bash -c $S",
        'sh -c "rm $X"',
        'eval "$X"',
        "eval rm $X",
        "eval rm *",
        'trap "$X" EXIT',
        "sh -c ~/x",
        "bash -c",
    ],
)
def test_unknown_code(line: str) -> None:
    found = use(line)
    assert found.dynamic or codes(found) == [None]


@pytest.mark.parametrize(
    "shell", ["bash", "sh -s", "bash -s a b", "bash -", "bash /dev/stdin", "sh -e"]
)
def test_the_text_of_a_heredoc_is_code(shell: str) -> None:
    assert codes(use(shell, "rm -rf build")) == ["rm -rf build"]
    assert use(shell).dynamic


@pytest.mark.parametrize("line", ["source /dev/stdin", ". /dev/stdin", ". -- /dev/fd/0"])
def test_source_of_literal_text_runs_here(line: str) -> None:
    found = use(line, "rm -rf build")
    assert [(code.text, code.here) for code in found.code] == [("rm -rf build", True)]
    assert use(line).dynamic


@pytest.mark.parametrize(
    "line", ["source ./env.sh", ". x a", "source <(x)", '. "$X"', "source -p a b", "."]
)
def test_source_of_a_file_is_dynamic(line: str) -> None:
    assert use(line).dynamic


@pytest.mark.parametrize("line", ["bash x.sh", "bash -x x.sh a", "sh -e -- x.sh", "zsh x.sh"])
def test_a_script_of_the_project(line: str) -> None:
    found = use(line)
    assert (found.effect, reads(found), found.dynamic) == (Effect.PROJECT, ["x.sh"], "")


@pytest.mark.parametrize(
    "line", ["bash <(x)", 'bash "$X"', "bash *.sh", "bash /dev/fd/3", "bash $X -c y"]
)
def test_a_script_that_is_not_known(line: str) -> None:
    assert use(line).dynamic


def test_eval_and_trap_run_here() -> None:
    for line in ("eval 'cd x'", "trap 'cd x' EXIT"):
        assert use(line).code[0].here, line
    assert not use("bash -c 'cd x'").code[0].here


INERT = [
    ":",
    "true",
    "false x",
    "exit 1",
    "return",
    "break 2",
    "shift",
    "wait",
    "wait %1",
    "test -f x",
    '[ -n "$X" ]',
    "[ -v NAME ]",
    "[ $? -eq 0 ]",
    "[ $# -gt 1 ]",
    '[ "$a" = "$b" ]',
    '[ "$a" = b -a "$c" != d ]',
    '[ -z "$a" -o -z "$b" ]',
    '[ ! -e "$a" ]',
    "cd src",
    "cd",
    "cd -P src",
    "cd -- src",
    "set -e",
    "set -euxo pipefail",
    "set +e",
    "set -- a b",
    "shopt -s nullglob",
    "exec",
    "trap - EXIT",
    "trap '' INT",
    "trap INT",
]


@pytest.mark.parametrize("line", INERT)
def test_what_changes_only_the_shell_is_inert(line: str) -> None:
    found = use(line)
    assert (found.inert, found.effect, found.dynamic) == (True, Effect.READS, "")


DYNAMIC = [
    "test -v 'a[x]'",
    "[ -v 'a[x]' ]",
    "[ 1 -a -v 'a[x]' ]",
    "[ -R 'a[x]' ]",
    '[ -v "$X" ]',
    "[ $X = y ]",
    "[ $X ]",
    "[ \"$X\" 'a[x]' ]",
    '[ "$X" "$Y" ]',
    "let i++",
    "let 'a[x]'",
    'let "$X"',
    "declare -i n=1",
    "declare -i n='b[x]'",
    "declare -ri n",
    "typeset -n r=x",
    "local -n r",
    "declare 'a[$(x)]=1'",
    "declare -a 'a=($(x))'",
    'export "$X"',
    "export -f fn",
    "declare -fx fn",
    "declare -z x",
    "declare $X y",
    "read 'a[x]'",
    'read "$X"',
    "read -z x",
    "printf -v 'a[x]' y",
    "printf -v'a[x]' y",
    'printf -v "$X" y',
    'printf "$X" y',
    "unset 'a[x]'",
    'unset "$X"',
    "wait -n -p 'a[x]'",
    "getopts a 'b[x]'",
    "mapfile 'a[x]'",
    "set -a",
    "set -ea",
    "set -o allexport",
    "set -o posix",
    "set -k",
    "set $X",
    "shopt -s expand_aliases",
    "shopt -s extglob",
    "shopt -s lastpipe",
    "shopt -so posix",
    "shopt -s $X",
    "alias ls=x",
    "hash -p ./x git",
    "hash -rp ./x git",
    "enable -f x y",
    "enable -n test",
    "bind -x x",
    "complete -C x y",
    "complete -F x y",
    "compgen -W x",
    "compgen -C x",
    "compgen -F x",
    "fc -s",
    "fc",
    "fc -e x",
    "zmodload x",
    "setopt x",
]


@pytest.mark.parametrize("line", DYNAMIC)
def test_what_may_evaluate_text_is_dynamic(line: str) -> None:
    found = use(line)
    assert found.dynamic
    assert not found.inert


@pytest.mark.parametrize(
    "line",
    [
        "alias",
        "alias ls",
        "unalias -a",
        "hash",
        "hash -r",
        "enable",
        "enable -a",
        "history",
        "history 5",
        "fc -l",
        "compgen -c",
        "complete -p",
        "shopt",
        "shopt -s",
        "set",
        "declare -p",
        "declare -f x",
        "export",
        "unset -f x",
        "let 1+2",
        "type git",
        "pwd",
        "jobs",
        "kill -l",
        "ulimit -n",
        "umask 022",
        "command -v x",
        "dirs",
        "times",
    ],
)
def test_looking_at_the_shell_only_reads(line: str) -> None:
    found = use(line)
    assert (found.effect, found.dynamic, found.doubt) == (Effect.READS, "", "")


@pytest.mark.parametrize(
    ("line", "names", "exports"),
    [
        ("export PATH=./bin", [("PATH", "./bin")], True),
        ("export A B=1", [("A", None), ("B", "1")], True),
        ("export PATH=$X:y", [("PATH", "$X:y")], True),
        ("export A+=x", [("A", None)], True),
        ("export -- A=1", [("A", "1")], True),
        ("export -n A", [("A", None)], True),
        ("declare A=1", [("A", "1")], False),
        ("declare -x A=1", [("A", "1")], True),
        ("typeset -gx A=1", [("A", "1")], True),
        ("declare -u A=b", [("A", None)], False),
        ("readonly A=1", [("A", "1")], False),
        ("local a b=2", [("a", None), ("b", "2")], False),
        ("read -r PATH", [("PATH", None)], False),
        ("read", [("REPLY", None)], False),
        ("read -rp 'x: ' -t 5 a b", [("a", None), ("b", None)], False),
        ("read -a arr x", [("arr", None), ("x", None)], False),
        ("printf -v PATH x", [("PATH", None)], False),
        ("printf -vPATH x", [("PATH", None)], False),
        ("mapfile -t arr", [("arr", None)], False),
        ("readarray", [("MAPFILE", None)], False),
        ("getopts ab o", [("o", None), ("OPTARG", None), ("OPTIND", None)], False),
        ("wait -n -p PATH", [("PATH", None)], False),
        ("wait -pPATH", [("PATH", None)], False),
        ("unset PATH", [("PATH", None)], False),
        ("builtin export A=1", [("A", "1")], True),
        ("command read PATH", [("PATH", None)], False),
    ],
)
def test_variables_that_are_set(
    line: str, names: list[tuple[str, str | None]], exports: bool
) -> None:
    found = use(line)
    pairs = [(name, None if value is None else value.text) for name, value in found.assigns]
    assert (pairs, found.exports, found.inert) == (names, exports, False)


@pytest.mark.parametrize(
    ("line", "folder", "unknown"),
    [
        ("cd src", "src", False),
        ("cd", "~", False),
        ("cd ~/x", "~/x", False),
        ("cd -L -- /tmp", "/tmp", False),
        ("cd -", None, True),
        ('cd "$X"', None, True),
        ("cd $(x)", None, True),
        ("cd a b", None, True),
        ("cd -z x", None, True),
        ("cd x*", None, True),
        ("pushd x", "x", False),
        ("pushd +1", None, True),
        ("pushd", None, True),
        ("popd", None, True),
        ("builtin cd x", "x", False),
        ("command cd -", None, True),
    ],
)
def test_folders(line: str, folder: str | None, unknown: bool) -> None:
    found = use(line)
    assert (found.folder.text if found.folder else None, found.folder_unknown) == (folder, unknown)


def test_wrappers_among_the_builtins() -> None:
    assert started(use("command -p rm x")) == ["rm x"]
    assert started(use("builtin eval 'rm x'")) == ["eval rm x"]
    assert started(use("exec -a ls rm x")) == ["rm x"]
    assert started(use("jobs -x rm x")) == ["rm x"]


@pytest.mark.parametrize("line", ["kill 12", "kill -9 $X", "suspend", "history -c", "history -w x"])
def test_beyond_the_shell(line: str) -> None:
    found = use(line)
    assert (found.effect, bool(found.doubt)) == (Effect.UNKNOWN, True)
