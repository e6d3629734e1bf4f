"""`tl trust`: let a project's own settings count."""

from __future__ import annotations

import sys

import click

from turnloop_core.config.root import find_root
from turnloop_core.config.trust import TrustStore
from turnloop_core.errors import UsageError
from turnloop_core.frontend.commands.output import write
from turnloop_core.frontend.console import is_terminal
from turnloop_core.frontend.options import Top
from turnloop_core.frontend.places import home, working_folder
from turnloop_core.frontend.start import session_options


@click.command()
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--forget", is_flag=True, help="Trust this folder no longer.")
@click.option("--list", "show", is_flag=True, help="List the folders that are trusted.")
@click.pass_obj
def trust(top: Top, yes: bool, forget: bool, show: bool) -> int:
    """Trust this project's settings: what they may then do is shown first."""
    known = TrustStore(home())
    if show:
        for folder in known.folders:
            write(str(folder))
        return 0
    root = find_root(working_folder(top.cwd), home()).path
    if forget:
        forgotten = known.forget(root)
        write(f"{root} is trusted no longer." if forgotten else f"{root} was not trusted.")
        return 0
    if known.is_trusted(root):
        write(f"{root} is trusted. Take it back: tl trust --forget")
        return 0
    _show_what_it_enables(top)
    if not yes and not _consent(str(root)):
        write("Nothing was changed.")
        return 1
    known.trust(root)
    write(f"{root} is trusted. Take it back: tl trust --forget")
    return 0


def _show_what_it_enables(top: Top) -> None:
    from turnloop_core.environment import load_environment

    environment = load_environment(session_options(top))
    ignored = (*environment.loaded.ignored, *environment.secrets.ignored)
    if not ignored:
        write("Nothing in this project's settings is ignored now; what is added later will count.")
        return
    write("With trust, these would count:")
    for entry in ignored:
        write(f"  {entry.key}  ({entry.file}:{entry.line})")


def _consent(root: str) -> bool:
    if not is_terminal(sys.stdin):
        raise UsageError("there is no terminal to ask on", hint="tl trust --yes")
    sys.stdout.write(f"Trust {root}? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
