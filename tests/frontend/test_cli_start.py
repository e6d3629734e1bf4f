"""Start-up: what is imported, what is printed, and how each kind of mistake ends."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from turnloop_core import __version__
from turnloop_core.frontend.main import main

FULL = Path("/dev/full")
HEAVY = {
    *("httpx", "httpcore", "h11", "ssl", "http", "email", "socket", "asyncio", "anyio"),
    *("pydantic", "pydantic_core", "rich", "pygments", "prompt_toolkit", "yaml", "json"),
    *("importlib.metadata", "subprocess", "logging", "psutil", "tree_sitter", "pathspec"),
}
LIGHT = {"plugin", "presets"}  # of a plugin's own modules, those that may be imported to register

PROBE = """
import atexit, sys
from pathlib import Path
modules = set(sys.modules)
atexit.register(lambda: Path(sys.argv[-1]).write_text("\\n".join(set(sys.modules) - modules)))
from turnloop_core.frontend.main import main
sys.exit(main(sys.argv[1:-1]))
"""


def imported(tl, *arguments):
    report = tl.home / "modules"
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments, str(report)],
        cwd=tl.cwd,
        env=tl.variables(),
        capture_output=True,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    return set(report.read_text().split())


def test_the_version_alone_imports_next_to_nothing(tl):
    modules = imported(tl, "--version")
    ours = {m for m in modules if m.startswith("turnloop")}
    assert ours == {"turnloop_core", "turnloop_core.frontend", "turnloop_core.frontend.main"}
    assert not modules & (HEAVY | {"click", "pluggy", "dataclasses", "typing"})


def test_help_imports_nothing_heavy(tl):
    modules = imported(tl, "--help")
    assert not modules & HEAVY
    commands = {m for m in modules if m.startswith("turnloop_core.frontend.commands.")}
    assert commands == set()
    assert "turnloop_core.app" not in modules
    assert "turnloop_core.config.layers" not in modules  # no settings file speaks of plugins
    theirs = {m for m in modules if m.startswith("turnloop_") and "." in m}
    theirs -= {m for m in theirs if m.startswith("turnloop_core.")}
    assert theirs
    assert {m.partition(".")[2] for m in theirs} <= LIGHT


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--version", "--json"], ["-x", "files", "--version"]]
)
def test_version(tl, arguments):
    ran = tl(*arguments)
    assert (ran.status, ran.out, ran.err) == (0, f"turnloop {__version__}\n", "")


def test_help_names_options_and_commands(tl):
    ran = tl("--help")
    assert (ran.status, ran.err) == (0, "")
    for word in ("--print", "--resume", "--permission-mode", "plugins", "doctor", "Exit status"):
        assert word in ran.out
    assert tl("-h") == ran


def test_help_lists_commands_of_plugins_without_importing_them(tl):
    tl.plugin(
        "extra",
        "from turnloop_core.api import CommandEntry, hookimpl\n"
        "@hookimpl\n"
        "def register_commands(registrar):\n"
        "    registrar.add(CommandEntry('extra', 'Does more.', 'no_such_module:command'))\n",
    )
    ran = tl("--help")
    assert ran.status == 0
    assert "extra" in ran.out
    assert "Does more." in ran.out
    assert "Does more." not in tl("-x", "extra", "--help").out
    assert "Does more." not in tl("--help", "-xextra").out
    called = tl("extra")
    assert called.status == 1
    assert called.err.splitlines()[0].startswith("tl: plugin extra: cannot load no_such_module")


def test_a_plugin_switched_off_in_settings_is_not_in_help(tl):
    tl.plugin(
        "extra",
        "from turnloop_core.api import CommandEntry, hookimpl\n"
        "@hookimpl\n"
        "def register_commands(registrar):\n"
        "    registrar.add(CommandEntry('extra', 'Does more.', 'm:c'))\n",
    )
    tl.settings({"plugins": {"disabled": ["extra"]}})
    ran = tl("--help")
    assert ran.status == 0
    assert "Does more." not in ran.out


@pytest.mark.parametrize(
    "source",
    ["raise RuntimeError('no')", "import sys; sys.exit(3)", "import nothing_of_that_name", "x = ("],
)
def test_a_broken_plugin_never_breaks_help(tl, source):
    tl.plugin("broken", source)
    ran = tl("--help")
    assert (ran.status, ran.err) == (0, "")
    assert re.search(r"^Did not load: .*\bbroken\b.*See: tl plugins$", ran.out, re.M)


def test_a_plugin_cannot_take_a_command_of_core(tl):
    tl.plugin(
        "grabby",
        "from turnloop_core.api import CommandEntry, hookimpl\n"
        "@hookimpl\n"
        "def register_commands(registrar):\n"
        "    registrar.add(CommandEntry('plugins', 'Mine now.', 'm:c'))\n",
    )
    assert "Mine now." not in tl("--help").out
    ran = tl("plugins")
    assert ran.status == 0
    assert "grabby: command 'plugins' is core's own: the plugin's is not used" in ran.out


def test_a_command_of_a_plugin_runs_with_its_own_status(tl):
    tl.plugin(
        "extra",
        "from turnloop_core.api import CommandEntry, hookimpl\n"
        "@hookimpl\n"
        "def register_commands(registrar):\n"
        "    registrar.add(CommandEntry('extra', 'Does more.', 'extra_plugin:command'))\n"
        "def __getattr__(name):\n"
        "    if name != 'command':\n"
        "        raise AttributeError(name)\n"
        "    import click\n"
        "    @click.command()\n"
        "    @click.argument('status', type=int)\n"
        "    def command(status):\n"
        "        click.echo('more')\n"
        "        return status\n"
        "    return command\n",
    )
    ran = tl("extra", "3")
    assert (ran.status, ran.out, ran.err) == (3, "more\n", "")


MISTAKES = [
    (["--provder", "x"], "tl has no option --provder", "did you mean --provider"),
    (["--zzzz"], "tl has no option --zzzz", "see tl --help"),
    (["plugin"], "no command is called 'plugin'", "did you mean plugins?"),
    (["fix the test"], "no command is called 'fix the test'", 'tl -p "fix the test"'),
    (["-p", "fix", "the", "test"], "no command is called 'the'", 'tl -p "fix the test"'),
    (["-p", "fix", "plugins"], "a prompt does not go with the command plugins", "in quotes"),
    (["-p"], "option '-p' requires an argument", "see tl --help"),
    (["-p", "x", "--max-iterations", "0"], "invalid value for '--max-iterations'", "tl --help"),
    (["-p", "x", "--max-iterations", "many"], "invalid value for '--max-iterations'", "tl --help"),
    (["-p", "x", "--permission-mode", "yolo"], "invalid value for '--permission-mode'", "--help"),
    (["-p", "x", "--cwd", "/no/such"], "--cwd: there is no folder /no/such", ""),
    (["-p", "x", "--cwd", __file__], "is not a folder", ""),
    (["-p", "  "], "the prompt is empty", "tl -p"),
    (["plugins", "--jsn"], "tl plugins has no option --jsn", "did you mean --json?"),
    (["--foo"], "tl has no option --foo", "see tl --help"),
    (
        ["-p", "--json"],
        "the prompt is missing: --json stands in its place",
        'put it right after -p: tl -p "..." --json',
    ),
    (["doctor", "-p", "x"], "tl doctor has no option -p", "see tl doctor --help"),
    (
        ["config", "--deny", "Bash"],
        "tl config has no option --deny",
        "put it before the command: tl --deny RULE config",
    ),
    (["--json"], "there is no prompt", "tl -p"),
]


@pytest.mark.parametrize(("arguments", "message", "hint"), MISTAKES)
def test_a_mistake_is_one_line_with_the_next_step(tl, arguments, message, hint):
    ran = tl(*arguments)
    first, *rest = ran.err.splitlines()
    assert ran.status == 2
    assert first.startswith("tl: ")
    assert message in first
    assert hint in "\n".join(rest)
    assert all(line.startswith("    ") for line in rest)
    assert "Traceback" not in ran.err


def test_with_json_an_error_is_an_event_too(tl):
    ran = tl("-p", "x", "--json", "--cwd", "/no/such")
    assert ran.status == 2
    assert ran.events == [
        {
            "v": 1,
            "event": "error",
            "error": "UsageError",
            "message": "--cwd: there is no folder /no/such",
            "hint": "",
            "exit_code": 2,
        }
    ]
    assert ran.err == "tl: --cwd: there is no folder /no/such\n"


@pytest.mark.parametrize("arguments", [["--help"], ["plugins"], ["sessions"], ["--version"]])
def test_output_that_nobody_can_take(tl, arguments):
    """A reader that left, a closed descriptor: no traceback, no complaint."""
    reading, writing = os.pipe()
    os.close(reading)
    started = tl.start(*arguments, stdout=writing)
    os.close(writing)
    _, err = started.communicate(timeout=30)
    assert (started.returncode, err) == (0, b"")
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *tl.command, *arguments],
        cwd=tl.cwd,
        env=tl.variables(),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=30,
    )
    assert (closed.returncode, closed.stderr) == (0, b"")


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is full")
def test_a_full_disk_is_a_failure(tl):
    with FULL.open("wb") as full:
        started = tl.start("plugins", stdout=full)
        _, err = started.communicate(timeout=30)
    assert started.returncode == 1
    assert b"Traceback" not in err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_console_that_knows_few_characters(tl, encoding):
    folder = tl.cwd / "Ωmega-日本"
    (folder / ".turnloop").mkdir(parents=True)
    ran = tl(
        "--cwd", str(folder), "sessions", env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    )
    assert (ran.status, ran.err) == (0, "")
    assert "?mega-??" in ran.out


def test_a_bug_is_one_line_and_a_file(tl):
    tl.plugin(
        "buggy",
        "import click\n"
        "from turnloop_core.api import CommandEntry, hookimpl\n"
        "@hookimpl\n"
        "def register_commands(registrar):\n"
        "    registrar.add(CommandEntry('buggy', 'Breaks.', 'buggy_plugin:command'))\n"
        "@click.command()\n"
        "def command():\n"
        "    raise KeyError('gone')\n",
    )
    ran = tl("buggy")
    (kept,) = (tl.home / ".turnloop").glob("bug-*.txt")
    assert ran.status == 1
    assert ran.err == (f"tl: this is a bug: KeyError: 'gone'\n    please report it, with {kept}\n")
    assert "raise KeyError('gone')" in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0
    shown = tl("--debug", "buggy")
    assert shown.status == 1
    assert "Traceback (most recent call last)" in shown.err
    assert list((tl.home / ".turnloop").glob("bug-*.txt")) == [kept]


def test_a_bug_in_a_home_that_cannot_be_written(tl):
    tl.plugin(
        "buggy",
        "import click\n"
        "from turnloop_core.api import CommandEntry, hookimpl\n"
        "@hookimpl\n"
        "def register_commands(registrar):\n"
        "    registrar.add(CommandEntry('buggy', 'Breaks.', 'buggy_plugin:command'))\n"
        "@click.command()\n"
        "def command():\n"
        "    raise KeyError('gone')\n",
    )
    (tl.home / ".turnloop").write_text("a file where a folder should be")
    ran = tl("buggy")
    assert ran.status == 1
    assert "run it again with --debug" in ran.err


def test_main_can_be_called(capfd):
    assert main(["--version"]) == 0
    assert capfd.readouterr().out == f"turnloop {__version__}\n"
