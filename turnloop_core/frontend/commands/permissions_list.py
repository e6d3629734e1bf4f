"""The mode and the rules that hold here, and where each stands."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from turnloop_core.frontend.commands.output import table, write
from turnloop_core.frontend.commands.permissions_setup import builder_for, engine_for, options_for
from turnloop_core.frontend.options import Top
from turnloop_core.permissions.rules import Rule
from turnloop_core.permissions.table import TABLE, Column
from turnloop_core.registry import did_you_mean
from turnloop_core.types.subjects import PUBLIC_NAMES, PermissionMode

KINDS = ("deny", "allow", "ask")  # in the order in which they speak
OF_CORE = frozenset({*PUBLIC_NAMES.values(), "Write"})


def listed(top: Top) -> dict[str, Any]:
    """What `list` shows, as JSON values."""
    builder = builder_for(options_for(top))
    loaded = builder.environment.loaded
    engine = engine_for(builder)
    tools = builder.environment.plugins.registries.tools.names
    origin = loaded.origin("permission_mode")
    return {
        "mode": engine.mode.value,
        "mode_from": str(origin) if origin else "default",
        "root": str(loaded.root.path),
        "trusted": loaded.trusted,
        "rules": [
            {
                "kind": kind,
                "rule": rule.text,
                "from": rule.source,
                "binds_nothing": binds_nothing(rule, tools),
            }
            for kind in KINDS
            for rule in getattr(engine.rules, kind)
        ],
        "checks": [check.name for check in engine.checks],
        "ignored": [asdict(entry) for entry in loaded.ignored],
        "modes": {
            mode.value: {column.value: row[column].value for column in Column}
            for mode, row in TABLE.items()
        },
    }


def binds_nothing(rule: Rule, tools: tuple[str, ...]) -> str:
    """Why a rule binds nothing, "" when it does bind something."""
    known = sorted({*OF_CORE, *tools})
    if rule.name in known or rule.name.startswith("mcp__"):
        return ""
    return f"binds nothing: no tool is called {rule.name}; {did_you_mean(rule.name, known)}"


def show(found: dict[str, Any]) -> None:
    """The same for people."""
    trusted = "trusted" if found["trusted"] else "not trusted"
    write(f"mode {found['mode']} ({found['mode_from']}), project {found['root']}, {trusted}\n")
    rows = []
    for entry in found["rules"]:
        note = f"  ({entry['binds_nothing']})" if entry["binds_nothing"] else ""
        rows.append((entry["kind"], entry["from"], entry["rule"] + note))
    table(("KIND", "FROM", "RULE"), rows)
    if found["checks"]:
        write(f"\nPlugins check besides, and may only tighten: {', '.join(found['checks'])}")
    for entry in found["ignored"]:
        where = f"{entry['file']}:{entry['line']}" if entry["line"] else entry["file"]
        write(f"\n{where}: {entry['key']} is ignored: {entry['why']}")
    if found["ignored"]:
        write("To let this project's settings count: tl trust")
    write("\nWhere no rule speaks, the mode does:\n")
    _show_modes(PermissionMode(found["mode"]))
    write("\nOrder, and what a rule means: tl permissions explain [RULE]")


def _show_modes(now: PermissionMode) -> None:
    heads = [f"{mode.value}*" if mode is now else mode.value for mode in TABLE]
    rows = [(column.value, *(row[column].value for row in TABLE.values())) for column in Column]
    table(("", *heads), rows)
