"""`tl plugins`: what is installed, and what happened to each."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import click

from turnloop_core.errors import UsageError
from turnloop_core.frontend.cli import CORE_COMMANDS
from turnloop_core.frontend.commands.output import say_json, table, write
from turnloop_core.frontend.complain import say
from turnloop_core.frontend.options import Top
from turnloop_core.frontend.places import load_quietly, switches_in_settings
from turnloop_core.plugins import PluginRecord, Plugins


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("-v", "--verbose", is_flag=True, help="Show the traceback of what failed.")
@click.pass_obj
def plugins(top: Top, as_json: bool, verbose: bool) -> int:
    """List plugins, and what happened to each."""
    loaded = load_quietly(top.disabled, top.cwd)
    records = [with_core_clashes(record, loaded) for record in loaded.records]
    missing = _missing(top, records)
    if as_json or top.json:
        say_json(plugins=[_as_json(record) for record in records], missing=missing)
        return 0
    rows = []
    for record in records:
        provides = ", ".join(record.provides) if record.status == "loaded" else record.reason
        rows.append((record.found.name, record.found.version, record.status, provides))
    table(("PLUGIN", "VERSION", "STATUS", "PROVIDES, OR WHY NOT"), rows)
    for record in records:
        for problem in record.problems:
            write(f"{record.found.name}: {problem}")
        if verbose and record.traceback:
            write(f"\n{record.found.name}:\n{record.traceback}")
    for name in missing:
        say(f"plugin {name} is required by settings and is not installed", f"install {name}")
    if not verbose and any(record.traceback for record in records):
        write("\nWith tracebacks: tl plugins --verbose")
    return 0


def with_core_clashes(record: PluginRecord, plugins: Plugins) -> PluginRecord:
    """The record, with the commands that the plugin cannot have because core has them."""
    taken = tuple(
        f"command {entry.name!r} is core's own: the plugin's is not used"
        for entry in CORE_COMMANDS
        if plugins.registries.commands.owner(entry.name) == record.found.name
    )
    return replace(record, problems=record.problems + taken)


def _missing(top: Top, records: list[PluginRecord]) -> list[str]:
    try:
        _, required = switches_in_settings(top.cwd)
    except UsageError as error:
        say(str(error), error.hint)
        return []
    return sorted(set(required) - {record.found.name for record in records})


def _as_json(record: PluginRecord) -> dict[str, Any]:
    values = asdict(record)
    return {**values.pop("found"), **values}
