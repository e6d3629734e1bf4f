"""`tl demo`, run as its users run it."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from importlib.metadata import distributions
from pathlib import Path

import pytest

from turnloop_core.log.reader import read_log
from turnloop_core.log.view import fold
from turnloop_core.testing.cli import run_tl
from turnloop_core.testing.project import bare_environment
from turnloop_core.types.facts import RanCommand, ReadRange, WroteFile
from turnloop_mock.demo import EDITED, TEST_ARGUMENTS, next_steps, shell_command
from turnloop_mock.demo_files import copy_project, script_text, source_files
from turnloop_mock.script import read_script

# The demo's script reads, edits and runs; with core alone there is nothing to do that with.
OTHERS = {"turnloop-files", "turnloop-shell"}
needs_its_tools = pytest.mark.skipif(
    not OTHERS.issubset(found.metadata["Name"] for found in distributions()),
    reason=f"the demo calls tools of {' and '.join(sorted(OTHERS))}",
)


def is_repaired(project: Path) -> bool:
    done = subprocess.run([sys.executable, *TEST_ARGUMENTS], cwd=project, capture_output=True)
    return done.returncode == 0


def test_the_bundled_project_is_whole_and_its_test_fails(tmp_path: Path) -> None:
    copy_project(tmp_path / "p")
    assert sorted(source_files()) == [
        "README.md",
        "pyproject.toml",
        "tally/__init__.py",
        "tally/durations.py",
        "tests/__init__.py",
        "tests/test_durations.py",
    ]
    assert not is_repaired(tmp_path / "p")


@pytest.mark.parametrize(
    "interpreter", ["/usr/bin/python3", "/a b/it's: {odd} #/python", 'C:\\"x"']
)
def test_the_command_gets_into_the_script_as_it_is(tmp_path: Path, interpreter: str) -> None:
    path = tmp_path / "s.yaml"
    command = shell_command(interpreter)
    path.write_text(script_text(command))
    (call,) = read_script(path).turns[0].calls
    assert json.loads(call.arguments) == {"command": command}


@needs_its_tools
def test_the_demo_repairs_the_project(tmp_path: Path) -> None:
    folder, home = tmp_path / "demo", tmp_path / "home"
    home.mkdir()
    done = run_tl("demo", "--into", folder, home=home)
    assert done.returncode == 0, done.stdout + done.stderr
    for words in ("minutes = seconds % 3600 // 60", "Ran 2 tests", "OK", "tl doctor", "5 turns"):
        assert words in done.stdout
    assert f"> Edit({EDITED})" in done.stderr
    assert is_repaired(folder / "project")
    assert list(home.iterdir()) == []  # nothing outside of its folder was touched
    (path,) = (folder / "home/.turnloop/sessions").glob("*/*.jsonl")
    assert str(path) in done.stdout
    log = read_log(path)
    assert log.damage == ()
    view = fold(log.records).view()
    assert [len(turn.results) for turn in view.turns] == [1, 2, 1, 1, 0]
    facts = [type(fact) for fact in view.facts]
    assert facts == [RanCommand, ReadRange, ReadRange, WroteFile, RanCommand]
    codes = [fact.exit_code for fact in view.facts if isinstance(fact, RanCommand)]
    assert codes == [1, 0]


@pytest.mark.parametrize(
    ("depth", "called"), [("1", "    uv run tl doctor\n"), ("", "    tl doctor\n")]
)
def test_what_comes_next_is_said_as_one_has_to_type_it(
    monkeypatch: pytest.MonkeyPatch, depth: str, called: str
) -> None:
    monkeypatch.setenv("UV_RUN_RECURSION_DEPTH", depth)
    assert called in next_steps()


@needs_its_tools
def test_only_the_one_bundled_line_changes(tmp_path: Path) -> None:
    done = run_tl("demo", "--into", tmp_path / "demo", home=tmp_path)
    assert done.returncode == 0, done.stderr
    changed = {
        name
        for name, content in source_files().items()
        if (tmp_path / "demo/project" / name).read_bytes() != content
    }
    assert changed == {EDITED}


def test_a_folder_that_is_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = run_tl("demo", "--into", tmp_path, home=tmp_path)
    assert done.returncode == 2
    assert "is not empty" in done.stderr
    assert [p.name for p in tmp_path.iterdir() if p.name != ".turnloop"] == ["mine.txt"]


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run_tl("demo", "--into", tmp_path / "file" / "x", home=tmp_path)
    assert done.returncode == 1
    assert "the demo cannot be written" in done.stderr
    assert "tl demo --into DIR" in done.stderr


def test_without_its_tools_it_says_what_is_missing(tmp_path: Path) -> None:
    done = run_tl("-x", "shell", "demo", "--into", tmp_path / "demo", home=tmp_path)
    assert done.returncode != 0
    assert "turn 1 of the script does not fit: these tools are not offered: Bash" in done.stderr
    assert "Traceback" not in done.stderr


@needs_its_tools
def test_the_users_own_settings_play_no_part(tmp_path: Path) -> None:
    settings = tmp_path / ".turnloop" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"provider": "nobody", "permissions": {"deny": ["Bash", "Edit"]}}')
    env = {"TURNLOOP_PERMISSION_MODE": "plan", "TURNLOOP_PROVIDER": "nobody"}
    done = run_tl("demo", "--into", tmp_path / "demo", home=tmp_path, env=env)
    assert done.returncode == 0, done.stderr


@needs_its_tools
def test_an_interpreter_and_a_folder_with_blanks(tmp_path: Path) -> None:
    place = tmp_path / "my python (3)"
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", place], check=True, capture_output=True
    )
    paths = {"base": str(place), "platbase": str(place)}
    packages = Path(sysconfig.get_path("purelib", vars=paths))
    (packages / "ours.pth").write_text(
        f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    )
    interpreter = place / "bin" / "python"
    done = subprocess.run(
        [interpreter, "-m", "turnloop_core", "demo", "--into", tmp_path / "größe & more"],
        env=bare_environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"$ '{interpreter}' -m unittest" in done.stdout
