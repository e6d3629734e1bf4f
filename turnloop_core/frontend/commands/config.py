"""`tl config`: the settings, and where each comes from."""

from __future__ import annotations

from dataclasses import asdict

import click

from turnloop_core.config.explain import Row, explain, explain_secrets
from turnloop_core.errors import UnknownNameError
from turnloop_core.frontend.commands.output import say_json, table, write
from turnloop_core.frontend.console import one_line
from turnloop_core.frontend.options import Top
from turnloop_core.frontend.start import session_options
from turnloop_core.nearest import best


@click.command()
@click.argument("key", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--all", "everything", is_flag=True, help="Values that a stronger layer hides, too.")
@click.pass_obj
def config(top: Top, key: str | None, as_json: bool, everything: bool) -> int:
    """Show the settings, and where each comes from.

    With KEY, only that setting and what lies under it.
    """
    from turnloop_core.environment import load_environment

    environment = load_environment(session_options(top))
    loaded, secrets = environment.loaded, environment.secrets
    rows = _under(key, explain(loaded))
    keys = () if key else explain_secrets(secrets)
    ignored = (*loaded.ignored, *secrets.ignored)
    if as_json or top.json:
        say_json(
            root=str(loaded.root.path),
            trusted=loaded.trusted,
            settings=[asdict(row) for row in rows],
            keys=[asdict(row) for row in keys],
            ignored=[asdict(entry) for entry in ignored],
            notes=[asdict(entry) for entry in loaded.notes],
        )
        return 0
    shown = [row for row in rows if everything or not row.shadowed]
    table(("SETTING", "VALUE", "FROM"), [_cells(row) for row in shown])
    if keys:
        write()
        table(("KEY", "STATE", "FROM"), [(row.key, row.value, row.where) for row in keys])
    for entry in (*ignored, *loaded.notes):
        write(f"\n{entry}")
    if ignored:
        write("\nTo let this project's settings count: tl trust")
    return 0


def _under(key: str | None, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """The rows of a setting and of what lies under it."""
    if key is None:
        return rows
    found = tuple(row for row in rows if row.key == key or row.key.startswith(f"{key}."))
    if not found:
        near = best(key, sorted({row.key for row in rows}))
        hint = f"did you mean {near}?" if near else "tl config lists them all"
        raise UnknownNameError(f"no setting is called {key}", hint=hint)
    return found


def _cells(row: Row) -> tuple[str, str, str]:
    origin = f"{row.layer} {row.where}".strip()
    return row.key, one_line(row.value, 100), f"{origin} (hidden)" if row.shadowed else origin
