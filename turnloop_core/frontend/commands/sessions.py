"""`tl sessions`: what was recorded."""

from __future__ import annotations

import time
from typing import Any

import click

from turnloop_core.config.root import find_root
from turnloop_core.frontend.commands.output import say_json, table, write
from turnloop_core.frontend.console import one_line
from turnloop_core.frontend.options import Top
from turnloop_core.frontend.places import home, working_folder
from turnloop_core.log.store import SessionInfo, SessionStore


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--all", "everywhere", is_flag=True, help="Of all projects, not only of this one.")
@click.pass_obj
def sessions(top: Top, as_json: bool, everywhere: bool) -> int:
    """List recorded sessions, newest first."""
    root = find_root(working_folder(top.cwd), home()).path
    found = SessionStore(home() / ".turnloop" / "sessions").list(None if everywhere else root)
    if as_json or top.json:
        say_json(sessions=[_as_json(info) for info in found])
        return 0
    if not found:
        where = "anywhere" if everywhere else f"for {root}"
        write(f"There is no session {where}. Start one: tl -p PROMPT")
        return 0
    head = ["ID", "LAST WRITTEN", "SIZE", *(["PROJECT"] if everywhere else []), "TITLE"]
    table(head, [_row(info, everywhere) for info in found])
    write("\nGo on with one: tl --resume ID")
    return 0


def _row(info: SessionInfo, everywhere: bool) -> list[str]:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(info.updated))
    project = [info.root or "?"] if everywhere else []
    return [info.id, when, size(info.size), *project, one_line(info.title, 80)]


def size(count: int) -> str:
    """Bytes, in the unit that fits."""
    if count < 1_000:
        return f"{count} B"
    for unit in ("kB", "MB", "GB"):
        value = count / 1_000
        if value < 1_000 or unit == "GB":
            break
        count //= 1_000
    return f"{value:.1f} {unit}"


def _as_json(info: SessionInfo) -> dict[str, Any]:
    return {
        "id": info.id,
        "log": str(info.path),
        "root": info.root,
        "started": info.started,
        "updated": info.updated,
        "title": info.title,
        "size": info.size,
        "model": info.model,
    }
