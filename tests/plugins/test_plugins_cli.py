"""Broken plugins at the command line: shown with their reasons, and nothing else breaks."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from turnloop_core.testing.cli import run_tl

TOOL = '@hookimpl\ndef register_tools(registrar):\n    registrar.add(ToolEntry("Dig", "x:y"))\n'
COMMAND = """
@hookimpl
def register_commands(registrar):
    registrar.add(CommandEntry("dig", "Digs.", "outside_dig_command:command"))
"""


@pytest.fixture
def outside(make_plugin) -> dict[str, str]:
    """Plugins of every sort of wrong, and two that are right; the variables to find them."""
    make_plugin("broken", "raise RuntimeError('no luck')")
    make_plugin("leaving", "import sys; sys.exit('bye')")
    make_plugin("typo", "@hookimpl\ndef register_tool(registrar): pass")
    make_plugin("one", TOOL)
    make_plugin("two", TOOL)
    make_plugin("newer", "turnloop_api = 99")
    make_plugin("command", COMMAND)
    return {"PYTHONPATH": os.environ["PYTHONPATH"]}


def test_tl_plugins_shows_each_with_its_reason(outside, tmp_path: Path) -> None:
    done = run_tl("plugins", "--json", home=tmp_path, env=outside)
    assert done.returncode == 0, done.stderr
    told = json.dumps(json.loads(done.stdout))
    for words in (
        "RuntimeError: no luck",
        "it called sys.exit('bye') while it was imported",
        "no hook is called register_tool; did you mean register_tools?",
        "tool 'Dig' is offered by one and by two",
        "made for plugin API 99; this is 1",
    ):
        assert words in told, f"{words} is not in {told}"


def test_help_and_an_unrelated_run_work(outside, tmp_path: Path) -> None:
    helped = run_tl("--help", home=tmp_path, env=outside)
    assert helped.returncode == 0, helped.stderr
    assert "Digs." in helped.stdout
    ran = run_tl("-p", "hello", home=tmp_path, env=outside)
    assert (ran.returncode, ran.stdout.splitlines()[0]) == (0, "hello"), ran.stderr


def test_a_command_that_cannot_be_imported_names_its_plugin(outside, tmp_path: Path) -> None:
    done = run_tl("dig", home=tmp_path, env=outside)
    assert done.returncode == 1
    assert "plugin command: cannot load outside_dig_command:command" in done.stderr
    assert "Traceback" not in done.stderr


def test_switches_reach_the_loader(outside, tmp_path: Path) -> None:
    def statuses(*arguments: str, **env: str) -> dict[str, str]:
        done = run_tl(*arguments, "plugins", "--json", home=tmp_path, env=outside | env)
        assert done.returncode == 0, done.stderr
        return {p["name"]: p["status"] for p in json.loads(done.stdout)["plugins"]}

    assert statuses("-x", "one", "-x", "broken")["one"] == "disabled"
    assert set(statuses(TURNLOOP_PLUGINS="").values()) == {"disabled"}
    only = statuses(TURNLOOP_PLUGINS="two,mock")
    assert {name for name, status in only.items() if status == "loaded"} == {"two", "mock"}
