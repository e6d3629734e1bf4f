"""Programs that start the program that their words name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from program_lines import codes, reads, started, text, use, words, writes

from turnloop_shell.programs.scan import scan
from turnloop_shell.programs.use import Effect

PLAIN = [
    "env",
    "env -i",
    "env -",
    "env -u HOME -u USER",
    "env -uHOME",
    "env --unset=HOME",
    "env --uns HOME",
    "env -i A=1 B=2",
    "env -- A=1",
    "nice",
    "nice -n 10",
    "nice -n10",
    "nice -10",
    "nice --adjustment=3",
    "nice --adj 3",
    "nohup",
    "nohup --",
    "timeout 5",
    "timeout -k 1 5s",
    "timeout -k1 -sKILL 5",
    "timeout --signal KILL 5",
    "timeout --sig=KILL --foreground 5",
    "timeout -v --preserve-status 0.5m",
    "/usr/bin/time",
    "/usr/bin/time -v",
    "/usr/bin/time -f %e",
    "stdbuf -oL",
    "stdbuf -o L -e0",
    "stdbuf --output=L",
    "ionice -c 3",
    "ionice -c3 -n 7 -t",
    "setsid",
    "setsid -wf",
    "chrt -r 10",
    "chrt --idle 0",
    "taskset 0x1",
    "taskset -c 0,1",
    "numactl -N 0 -m 0",
    "command",
    "command -p",
    "command --",
    "builtin",
    "exec",
    "exec -a ls",
    "exec -cl",
    "xargs -I{}",
    "xargs -I {} -P 4",
]


@pytest.mark.parametrize("wrapper", PLAIN)
def test_a_plain_wrapper_only_starts_its_program(wrapper: str) -> None:
    found = use(f"{wrapper} rm -rf build")
    assert (started(found), found.dynamic, found.doubt, found.effect) == (
        ["rm -rf build"],
        "",
        "",
        Effect.READS,
    )
    assert found.runs[0].plain


RUNS = [
    "sudo",
    "sudo -u root",
    "sudo -nu root -g wheel",
    "sudo --user=root -E",
    "sudo --preserve-env=A -- ",
    "sudo A=1",
    "doas -u root",
    "pkexec --user bob",
    "runuser -u bob --",
    "chroot / ",
    "chroot --userspec=1:1 /",
    "unshare -rm",
    "nsenter -t 1 -m",
    "setpriv --reuid 1",
    "strace -f -e trace=file",
    "strace -fo log",
    "ltrace -c",
    "valgrind -q --leak-check=full",
    "setarch x86_64 -R",
    "linux32",
    "busybox",
    "toybox",
    "watch -x",
    "watch -n 2 --exec",
    "flock /tmp/l",
    "flock -n -w 3 /tmp/l",
    "script -q /dev/null",
    "entr -r",
    "gdb --args",
    "lldb --",
    "perf stat -e cycles",
    "systemd-run --user -q",
    "npx",
    "npx -y",
    "npx --yes --",
    "npm exec",
    "npm exec --",
    "npm x --",
    "npm --prefix sub exec --",
    "pnpm dlx",
    "pnpm exec",
    "yarn dlx",
    "yarn exec",
    "bunx",
    "bun x",
    "uvx",
    "uvx --from pkg",
    "uv run",
    "uv run --frozen --group dev",
    "uv --directory sub run",
    "poetry run",
    "poetry -C sub run",
    "pdm run",
    "pipenv run",
    "hatch run",
    "pipx run",
    "conda run -n base",
    "bundle exec",
    "mise exec node@20 --",
    "mise x --",
    "direnv exec .",
    "dotenv -f .env run",
    "aws-vault exec dev --",
    "find . -exec",
    "find . -execdir",
    "find . -ok",
    "find . -name x -okdir",
    "fd -x",
    "fd -H x -X",
    "git bisect run",
    "git submodule foreach",
    "jobs -x",
    "parallel",
    "cross-env A=1",
]


@pytest.mark.parametrize("wrapper", RUNS)
def test_the_program_behind_a_wrapper_is_seen(wrapper: str) -> None:
    found = use(f"{wrapper} rm -rf build")
    assert "rm -rf build" in started(found)


CODE = [
    "env -S '{}'",
    "env -S'{}'",
    "env -vS '{}'",
    "env --split-string='{}'",
    "env --split '{}'",
    "env -S '-i A=1 {}'",
    "env -S 'env -S \"{}\"'",
]


@pytest.mark.parametrize("line", CODE)
def test_env_splits_a_text(line: str) -> None:
    found = use(line.format("rm -rf build"))
    assert started(found) in (["rm -rf build"], ["env -S rm -rf build"])


def test_what_env_splits_comes_before_the_other_words() -> None:
    found = use("env -S 'A=1 rm -rf' build")
    assert (started(found), [name for name, _ in found.runs[0].assigns]) == (
        ["rm -rf build"],
        ["A"],
    )


@pytest.mark.parametrize(
    "line", ["env -S '${X} y'", r"env -S 'rm\_x'", 'env -S "$X"', "env -S 'a \"b'"]
)
def test_a_text_that_env_expands_is_not_known(line: str) -> None:
    assert use(line).dynamic


SHELL_CODE = [
    "watch '{}'",
    "watch -n 1 {}",
    "watch -dn1 '{}'",
    "flock /tmp/l -c '{}'",
    "flock -n /tmp/l --command '{}'",
    "script -qc '{}' /dev/null",
    "script -c'{}'",
    "script --command='{}' out",
    "script out -c '{}'",
    "su -c '{}'",
    "su - bob -c '{}'",
    "su --command='{}' bob",
    "runuser -l bob -c '{}'",
    "npx -c '{}'",
    "npm exec --call='{}'",
    "entr -s '{}'",
    "hyperfine '{}'",
    "hyperfine -p '{}' ls",
    "hyperfine --prepare='{}' ls",
    "parallel '{}' ::: a",
    "nix-shell --run '{}'",
    "mise exec -c '{}'",
]


@pytest.mark.parametrize("line", SHELL_CODE)
def test_the_code_in_an_option_is_seen(line: str) -> None:
    assert "rm -rf build" in codes(use(line.format("rm -rf build")))


UNSURE = [
    "timeout --frob 5 rm x",
    "timeout $T rm x",
    'timeout "$T" rm x',
    "nice $N rm x",
    "nice -n $N rm x",
    "nice -z 3 rm x",
    "env -P /x rm y",
    "env $X rm y",
    "env A=$X rm y",
    "sudo -Z x rm y",
    "sudo -i",
    "sudo -s",
    "sudo -e x",
    "doas -s",
    "su",
    "su bob",
    "su -s x -c y",
    "script",
    "script out",
    "strace -u bob ls",
    "xargs -Q rm",
    "xargs -I $X rm",
    "unshare -r",
    "parallel rm ::: a",
    "watchexec ls",
    "xvfb-run -s x y",
    "command -x ls",
    "exec -z ls",
    "busybox $X y",
    "at now",
    "crontab x",
    "npm $X y",
]


@pytest.mark.parametrize("line", UNSURE)
def test_where_the_program_stands_is_never_guessed(line: str) -> None:
    assert use(line).dynamic


def test_a_quoted_value_of_an_option_is_one_word() -> None:
    assert started(use('nice -n "$N" rm x')) == ["rm x"]
    assert started(use('timeout -k "$K" 5 rm x')) == ["rm x"]


@pytest.mark.parametrize("line", ['nice -n "$@" rm x', 'nice -n "${A[@]}" rm x', "nice -n $N rm x"])
def test_what_may_be_many_words_is_not_one(line: str) -> None:
    assert use(line).dynamic


def test_assignments_and_folder_of_env() -> None:
    found = use("env -C sub PATH=./bin git status").runs[0]
    assert [(name, value.text) for name, value in found.assigns] == [("PATH", "./bin")]
    assert found.folder is not None
    assert found.folder.text == "sub"


def test_standard_input_reaches_the_program() -> None:
    found = use("timeout 5 bash", "rm x").runs[0]
    assert found.stdin is not None
    assert not isinstance(found.stdin, str)
    assert found.stdin.text == "rm x"


def test_xargs_adds_words_that_nobody_knows() -> None:
    found = use("xargs -n 1 rm -f")
    assert (started(found), found.runs[0].more, found.dynamic) == (["rm -f"], True, "")


def test_xargs_replaces_in_the_words() -> None:
    found = use("xargs -I % sh -c 'rm %'")
    assert [word.known for word in found.runs[0].words] == [True, True, False]
    assert not use("xargs -I % rm x").runs[0].more


@pytest.mark.parametrize(
    ("line", "read", "written"),
    [
        ("xargs -a list rm", ["list"], []),
        ("xargs --arg-file=list rm", ["list"], []),
        ("flock lock ls", [], ["lock"]),
        ("script -c ls out", [], ["out"]),
        ("script -c ls -T times out", [], ["times", "out"]),
        ("strace -o log ls", [], ["log"]),
        ("strace --output=log ls", [], ["log"]),
        ("/usr/bin/time -o out ls", [], ["out"]),
        ("valgrind --log-file=out ls", [], ["out"]),
        ("perf record -o data ls", [], ["data"]),
    ],
)
def test_files_of_wrappers(line: str, read: list[str], written: list[str]) -> None:
    assert (reads(use(line)), writes(use(line))) == (read, written)


@pytest.mark.parametrize(
    "line", ["env", "timeout --help", "command -v git", "nice", "command -V x"]
)
def test_a_wrapper_without_a_program_only_prints(line: str) -> None:
    found = use(line)
    assert (found.effect, found.runs, found.dynamic, found.doubt) == (Effect.READS, (), "", "")


@pytest.mark.parametrize("line", ["ionice -p 12", "taskset -p 12", "chrt -p 12", "strace -p 12"])
def test_other_processes_are_beyond_the_project(line: str) -> None:
    found = use(line)
    assert found.effect is Effect.UNKNOWN
    assert found.doubt


def test_python_under_uv() -> None:
    assert started(use("uv run x.py a")) == ["python x.py a"]
    assert started(use("uv run -m pytest -q")) == ["python -m pytest -q"]
    assert started(use("uv run -")) == ["python -"]


def test_what_is_fetched_talks_to_the_network() -> None:
    for line in ("npx jest", "uvx ruff", "bunx x", "uv run --with x y", "pipx run x"):
        assert use(line).effect is Effect.NETWORK, line
    for line in ("uv run pytest", "poetry run pytest", "bundle exec rspec", "npx --no jest"):
        assert use(line).effect is Effect.PROJECT, line


_OPTIONS = st.lists(
    st.sampled_from(["-i", "-v", "-uX", "-u X", "--unset=X", "--uns X", "-C sub", "--debug"]),
    max_size=4,
)


@settings(max_examples=100, deadline=None)
@given(_OPTIONS, st.lists(st.sampled_from(["A=1", "B='x y'"]), max_size=2))
def test_any_options_of_env_lead_to_its_program(options: list[str], assigns: list[str]) -> None:
    line = " ".join(["env", *options, *assigns, "rm -rf build"])
    assert started(use(line)) == ["rm -rf build"]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet="-abf=x", max_size=4), max_size=5))
def test_a_scan_loses_no_word(row: list[str]) -> None:
    given_words = tuple(words("x " + " ".join(f"'{word}'" for word in row))[1:])
    found = scan(given_words, "ab:f?", "bar foo:")
    if not found.problem:
        values = [option.value for option in found.options if option.value is not None]
        kept = text((*values, *found.rest))
        operands = [word.text for word in given_words if not word.text.startswith("-")]
        assert all(operand in kept for operand in operands)
