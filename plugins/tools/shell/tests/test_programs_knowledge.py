"""Who is asked about a command, and which variables steer one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st
from program_lines import codes, forms, reads, started, use, words

from turnloop_shell.programs.knowledge import HANDLERS, use_of
from turnloop_shell.programs.runners import DIRECT, RUNNERS
from turnloop_shell.programs.use import Command, Effect, Use
from turnloop_shell.programs.variables import harmless, steers
from turnloop_shell.syntax.words import Literal, Unknown, Variable, Word, plain


@pytest.mark.parametrize(
    "line", ["$X a", '"$X" a', "${X:-rm} a", "$(x) a", "r* a", "r$X a", '""$X']
)
def test_a_command_word_that_is_not_known(line: str) -> None:
    assert use(line).dynamic


def test_of_other_programs_nothing_is_known() -> None:
    found = use("frobnicate x")
    assert replace(found, forms=()) == Use(doubt="it is not known what `frobnicate` does")


@pytest.mark.parametrize(
    "path", ["./x.sh", "src/run", "../x", "/proj/x", "~/bin/x", "/usr/bin/../../x/y"]
)
def test_a_program_that_is_a_file_of_the_project(path: str) -> None:
    found = use(f"{path} a")
    assert (found.effect, reads(found), found.dynamic, found.doubt) == (
        Effect.PROJECT,
        [path],
        "",
        "",
    )


@pytest.mark.parametrize(
    "folder", ["/bin", "/usr/bin", "/usr/local/bin", "/usr/../bin", "//bin", "/bin/."]
)
def test_a_program_in_a_system_folder_is_known_by_its_name(folder: str) -> None:
    assert use(f"{folder}/git status").effect is Effect.READS
    assert started(use(f"{folder}/env rm x")) == ["rm x"]


def test_a_file_that_is_called_like_a_program_is_still_looked_into() -> None:
    found = use("./env rm x")
    assert (started(found), found.effect, found.runs[0].plain) == (["rm x"], Effect.PROJECT, False)
    assert codes(use("./sh -c 'rm x'")) == ["rm x"]
    assert use("./git log").effect is Effect.PROJECT
    assert use(".venv/bin/pip install x").effect is Effect.NETWORK
    assert use(".venv/bin/python -c x").opaque


def test_a_file_is_no_builtin() -> None:
    for line in ("./cd x", "/usr/bin/cd x", "./export A=1", "/bin/source x"):
        found = use(line)
        assert (found.folder, found.assigns, found.inert, found.code) == (None, (), False, ()), line
    assert not use("/bin/true").inert
    assert use("/bin/true").effect is Effect.READS


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("gsed -i s/a/b/ x", Effect.CHANGES),
        ("gawk 1 x", Effect.READS),
        ("gfind . -delete", Effect.CHANGES),
        ("genv", Effect.READS),
        ("python3.13 x.py", Effect.PROJECT),
        ("ls -la", Effect.READS),
        ("npm test", Effect.PROJECT),
        ("uv sync", Effect.NETWORK),
        ("cargo build", Effect.PROJECT),
    ],
)
def test_other_names_and_tables(line: str, effect: Effect) -> None:
    assert use(line).effect is effect


HARMLESS = (
    "CI LANG LC_ALL LC_CTYPE TZ NO_COLOR FORCE_COLOR CLICOLOR COLUMNS LINES VERBOSE "
    "DEBIAN_FRONTEND PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONHASHSEED RUST_BACKTRACE "
    "RUST_LOG GIT_TERMINAL_PROMPT CARGO_TERM_COLOR"
)
STEERING = (
    "PATH LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES BASH_ENV ENV IFS PYTHONPATH "
    "PYTHONSTARTUP PYTHONHOME PYTHONWARNINGS PYTHONBREAKPOINT NODE_OPTIONS NODE_PATH PERL5LIB "
    "PERL5OPT RUBYOPT RUBYLIB GIT_DIR GIT_PAGER GIT_EDITOR GIT_SSH_COMMAND GIT_EXTERNAL_DIFF "
    "GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_EXEC_PATH GIT_WORK_TREE GIT_PROXY_COMMAND "
    "GIT_ASKPASS SSH_ASKPASS SSH_AUTH_SOCK http_proxy HTTPS_PROXY ALL_PROXY "
    "npm_config_script_shell NPM_CONFIG_REGISTRY PAGER EDITOR VISUAL LESSOPEN LESS MANPAGER "
    "CDPATH PROMPT_COMMAND PS4 SHELLOPTS BASHOPTS HOME XDG_CONFIG_HOME TMPDIR MAKEFLAGS CC CXX "
    "RUSTC_WRAPPER RUSTFLAGS CARGO_HOME GOFLAGS GOPROXY JAVA_TOOL_OPTIONS CLASSPATH DOCKER_HOST "
    "KUBECONFIG AWS_PROFILE AWS_ENDPOINT_URL PIP_INDEX_URL UV_INDEX_URL VIRTUAL_ENV "
    "PYTEST_ADDOPTS PYTEST_PLUGINS BROWSER TAR_OPTIONS RSYNC_RSH AWKPATH GREP_OPTIONS "
    "RIPGREP_CONFIG_PATH INPUTRC GLOBIGNORE TERMINFO SHELL BASH_FUNC_x%% GNUPGHOME MYSQL_HOME "
    "PGSERVICEFILE PSQLRC OLDPWD GIT_TRACE PYTHONINSPECT NODE_EXTRA_CA_CERTS RAILS_ROOT GOPATH"
)


@pytest.mark.parametrize("name", HARMLESS.split())
def test_variables_without_harm(name: str) -> None:
    assert (harmless(name), steers(name)) == (True, False)


@pytest.mark.parametrize("name", STEERING.split())
def test_variables_that_steer(name: str) -> None:
    assert (harmless(name), steers(name)) == (False, True)


TELLING = (
    "FOO DEBUG MY_FLAG X CI2 LANGX PATHS _ NODE_ENV RAILS_ENV APP_ENV LOG_LEVEL PORT HOST TERM "
    "FLASK_DEBUG GOOS GOARCH CGO_ENABLED GIT_AUTHOR_NAME GIT_COMMITTER_DATE PYTHONOPTIMIZE MIX_ENV "
    "VITE_API_URL UV_OFFLINE CARGO_BUILD_JOBS LS_COLORS"
)


@pytest.mark.parametrize("name", TELLING.split())
def test_variables_of_which_nothing_is_known(name: str) -> None:
    assert (harmless(name), steers(name)) == (False, False)


_NAMES = sorted({*HANDLERS, *RUNNERS, *DIRECT, "ls", "rm", "frob", "./x", "git-log"})
_PARTS = st.one_of(
    st.builds(Literal, st.text(alphabet="-abcxeio=/.~!{};'\"$ \n0", max_size=6), st.booleans()),
    st.builds(Variable, st.just("X"), st.just("$X"), st.booleans()),
    st.builds(Unknown, st.just("$(x)"), st.booleans()),
)
_WORDS = st.builds(lambda parts: Word(tuple(parts), "w"), st.lists(_PARTS, max_size=3))


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(_NAMES),
    st.lists(_WORDS, max_size=6),
    st.one_of(st.none(), st.sampled_from(["pipe", "file"]), st.builds(plain, st.text(max_size=5))),
)
def test_any_words_are_answered(name: str, row: list[Word], stdin: Word | str | None) -> None:
    found = use_of(Command((plain(name), *row), stdin))
    assert not (found.inert and (found.runs or found.code or found.dynamic or found.opaque))
    assert all(run.words for run in found.runs)
    if found.effect in (Effect.NETWORK, Effect.UNKNOWN):
        assert (
            found.doubt
            or found.dynamic
            or found.opaque
            or found.folder
            or found.assigns
            or ("git" in name)
        )


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "env",
                "nice -n 5",
                "timeout 3",
                "command",
                "sudo -u x",
                "stdbuf -oL",
                "env A=1",
                "setsid",
                "nohup",
                "busybox",
                "xargs",
                "ionice -c2",
                "npx",
                "uv run",
                "exec",
                "flock l",
                "find . -exec",
            ]
        ),
        min_size=1,
        max_size=6,
    )
)
def test_stacked_wrappers_lead_to_the_program(row: list[str]) -> None:
    command = Command(words(" ".join([*row, "rm -rf build"])))
    for _ in range(len(row)):
        found = use_of(command)
        assert found.runs
        command = Command(found.runs[0].words)
    assert [word.text for word in command.words] == ["rm", "-rf", "build"]


def test_forms_hold_the_words_of_a_part_of_git() -> None:
    assert forms(use("git-status"))[0] == "git status"
