"""`tl trust`: let a project's own settings count."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnloop_core.config.root import find_root
from turnloop_core.config.trust_store import TrustStore
from turnloop_core.errors import UsageError
from turnloop_core.frontend.commands.output import write
from turnloop_core.frontend.console import is_terminal
from turnloop_core.frontend.options import Top
from turnloop_core.frontend.places import home, working_folder
from turnloop_core.frontend.start import session_options
from turnloop_core.frontend.trusting import approve, wanted
from turnloop_core.permissions.text import printable

if TYPE_CHECKING:
    from turnloop_core.environment import Environment

_BACK = "Take it back: tl trust --forget"


@click.command()
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--forget", is_flag=True, help="Trust this folder no longer, nor what you saved.")
@click.option("--list", "show", is_flag=True, help="List the folders that you trust or saved to.")
@click.pass_obj
def trust(top: Top, yes: bool, forget: bool, show: bool) -> int:
    """Trust this project's settings as they are now: what they say is shown first.

    What is added or changed there later does not count until it is trusted, too.
    """
    known = TrustStore(home())
    if show:
        _list(known)
        return 0
    root = find_root(working_folder(top.cwd), home()).path
    if forget:
        _forget(known, root)
        return 0
    environment = _environment(top)
    trusted = environment.loaded.trusted
    lines = wanted(environment)
    if trusted and not lines:
        approve(environment)  # a folder from before single settings were looked at is settled now
        write(f"{root} is trusted, with all that its settings say. {_BACK}")
        return 0
    _show(lines, trusted)
    # The whole path: what is cut, or loses a blank, is the name of another folder.
    if not yes and not _consent("Let them count?" if trusted else f"Trust {printable(str(root))}?"):
        write("Nothing was changed.")
        return 1
    approve(environment)
    write(f"{root} is trusted. {_BACK}")
    return 0


def _list(known: TrustStore) -> None:
    for folder in known.folders:
        write(str(folder))
    for folder in known.with_saved:
        write(f"{folder}  (not trusted; what you saved there counts)")


def _forget(known: TrustStore, root: Path) -> None:
    trusted = known.of(root).trusted
    if not known.forget(root):
        write(f"{root} was not trusted.")
    elif trusted:
        write(f"{root} is trusted no longer.")
    else:
        write(f"{root} was not trusted; what you saved there counts no longer.")


def _environment(top: Top) -> Environment:
    from dataclasses import replace

    from turnloop_core.environment import load_environment

    # For one start everything may count; what is approved for good is looked at all the same.
    return load_environment(replace(session_options(top), trust_project=False))


def _show(lines: tuple[str, ...], trusted: bool) -> None:
    if not lines:
        write("Nothing in this project's settings is ignored now; what is added later will be.")
        return
    if trusted:
        write("These settings do not count, since you have not looked at them as they are now:")
    else:
        write("With trust, these settings would count:")
    for line in lines:
        write(f"  {line}")


def _consent(question: str) -> bool:
    if not is_terminal(sys.stdin):
        raise UsageError("there is no terminal to ask on", hint="tl trust --yes")
    sys.stdout.write(f"{question} [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
