"""`tl demo`: a real run on a small real project, in which only the model is scripted."""

from __future__ import annotations

import difflib
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnloop_core.api import TurnloopError, UsageError
from turnloop_mock.demo_files import copy_project, script_text, source_files

if TYPE_CHECKING:
    from turnloop_core.api import SessionOptions

EXIT_DONE = 0
PROMPT = "The tests fail. Find out why, fix it, and show that they pass."
EDITED = "tally/durations.py"
TURNS = 5  # of the script
TEST_ARGUMENTS = ("-m", "unittest")
TEST_LIMIT_S = 60.0
DELAY_S = 0.01  # between two pieces of a reply: as fast as one can read along

NEXT = """\
Next, with a real model:

    {tl} doctor
        what is set up, and what each provider needs
    {tl} --provider NAME -p "what you want done"
        one run, in the folder where you are
    {{"provider": "NAME"}}
        in ~/.turnloop/settings.json: from now on"""


@dataclass(frozen=True, slots=True)
class Folders:
    """Where the demo works. Nothing outside of `base` is touched."""

    base: Path

    @property
    def project(self) -> Path:
        return self.base / "project"

    @property
    def home(self) -> Path:
        """Settings and log of the demo, so that your own play no part in it."""
        return self.base / "home"

    @property
    def script(self) -> Path:
        return self.base / "script.yaml"


@click.command(name="demo")
@click.option(
    "--into",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Work in this folder, which must be new or empty; by default in a temporary one.",
)
@click.pass_context
def command(ctx: click.Context, into: Path | None) -> int:
    """Repair a small bundled project with a scripted model.

    The loop is the ordinary one: files are really read and edited, and the tests really run. Only
    the model is scripted, so it needs no key and no network. The folder is kept, to look at.
    """
    folders = _prepare(into)
    click.echo(f"A small project whose tests fail, in {folders.project}")
    click.echo("Only the model is scripted: all it reads, edits and runs is real.\n")
    click.echo(f'$ tl -p "{PROMPT}"')
    status = _run(folders, tuple(getattr(ctx.obj, "disabled", ())))
    if status != EXIT_DONE:
        _show_log(folders)
        return status
    _show_change(folders)
    repaired = _run_tests(folders)
    recorded = _show_log(folders)
    if not (repaired and recorded):
        raise TurnloopError(
            "the run ended well, and its outcome is not what it should be",
            hint=f"look into {folders.base}, and report it",
        )
    click.echo(f"\n{next_steps()}")
    return EXIT_DONE


def _prepare(into: Path | None) -> Folders:
    try:
        if into is None:
            base = Path(tempfile.mkdtemp(prefix="turnloop-demo-"))
        else:
            base = into.expanduser()
            base.mkdir(parents=True, exist_ok=True)
        folders = Folders(base.resolve())
        if any(folders.base.iterdir()):
            raise UsageError(f"{into} is not empty", hint="give a new or an empty folder to --into")
        copy_project(folders.project)
        (folders.project / ".turnloop").mkdir()  # the project ends here, whatever is above it
        folders.home.mkdir()
        folders.script.write_text(script_text(shell_command()), encoding="utf-8")
    except OSError as error:
        raise TurnloopError(
            f"the demo cannot be written: {error}", hint="give another folder: tl demo --into DIR"
        ) from error
    return folders


def shell_command(interpreter: str = "") -> str:
    """The command that runs the tests, as the model writes it."""
    return shlex.join((interpreter or sys.executable, *TEST_ARGUMENTS))


def _options(folders: Folders, disabled: tuple[str, ...]) -> SessionOptions:
    from turnloop_core.api import SessionOptions

    provider = {
        "kind": "mock",
        "mode": "scripted",
        "script": str(folders.script),
        "delay_s": DELAY_S,
    }
    return SessionOptions(
        cwd=folders.project,
        home=folders.home,
        environment=_environment(os.environ),
        provider="demo",
        settings={"providers": {"demo": provider}},
        extra_rules={"allow": (f"Bash({shell_command()})", f"Edit({EDITED})")},
        disabled_plugins=disabled,
    )


def _environment(own: Mapping[str, str]) -> dict[str, str]:
    """Without settings that are meant for real work. The switch for plugins holds here too."""
    return {
        name: value
        for name, value in own.items()
        if not name.startswith("TURNLOOP_") or name == "TURNLOOP_PLUGINS"
    }


def _run(folders: Folders, disabled: tuple[str, ...]) -> int:
    from turnloop_core.api import run_headless

    sys.stdout.flush()
    return run_headless(_options(folders, disabled), PROMPT)


def _show_change(folders: Folders) -> None:
    click.echo(f"\nThe change:\n\n{_diff(folders.project) or '(none)'}")


def _run_tests(folders: Folders) -> bool:
    """Run the tests outside of the loop; whether they pass."""
    click.echo(f"The tests once more, outside of the loop:\n\n$ {shell_command()}")
    try:
        tests = subprocess.run(
            (sys.executable, *TEST_ARGUMENTS),
            cwd=folders.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=TEST_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        click.echo(str(error))
        return False
    click.echo((tests.stdout + tests.stderr).strip())
    return tests.returncode == 0


def next_steps() -> str:
    """What to do next, as one has to type it: under `uv run`, `tl` is on nobody's path but ours."""
    return NEXT.format(tl="uv run tl" if os.environ.get("UV_RUN_RECURSION_DEPTH") else "tl")


def _diff(project: Path) -> str:
    lines: list[str] = []
    for name, before in source_files().items():
        path = project / name
        after = path.read_bytes() if path.is_file() else b""
        lines += difflib.unified_diff(
            before.decode().splitlines(keepends=True),
            after.decode(errors="replace").splitlines(keepends=True),
            f"a/{name}",
            f"b/{name}",
        )
    return "".join(lines)


def _show_log(folders: Folders) -> bool:
    """Say where the log is; whether what was done can be read from it."""
    from turnloop_core.api import SessionStore, fold, read_log

    path = SessionStore(folders.home / ".turnloop" / "sessions").latest(folders.project)
    if path is None:
        click.echo("\nThere is no log: the run did not begin.")
        return False
    log = read_log(path)
    turns = list(fold(log.records).view().turns)
    calls = sum(len(turn.results) for turn in turns)
    click.echo(f"\nThe log, {len(turns)} turns with {calls} calls: {path}")
    return not log.damage and len(turns) == TURNS
