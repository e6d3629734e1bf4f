"""All programs that a table describes, and what a command of theirs does."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs import (
    tables_archives,
    tables_build,
    tables_checks,
    tables_compare,
    tables_files,
    tables_go,
    tables_languages,
    tables_looks,
    tables_network,
    tables_packages,
    tables_packing,
    tables_search,
    tables_system,
    tables_text,
    tables_web,
)
from turnloop_shell.programs.groups import use_by_group
from turnloop_shell.programs.meaning import narrowed, use_by_spec
from turnloop_shell.programs.options import Given, Spec, Subcommands
from turnloop_shell.programs.use import Command, Use

_TABLES = (
    tables_archives.SPECS,
    tables_build.SPECS,
    tables_checks.SPECS,
    tables_compare.SPECS,
    tables_files.SPECS,
    tables_go.SPECS,
    tables_languages.SPECS,
    tables_looks.SPECS,
    tables_network.SPECS,
    tables_packages.SPECS,
    tables_packing.SPECS,
    tables_search.SPECS,
    tables_system.SPECS,
    tables_text.SPECS,
    tables_web.SPECS,
)

SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {name: entry for table in _TABLES for name, entry in table.items()}
)


def use_by_table(command: Command) -> Use | None:
    """What a command does; None for a program that no table describes."""
    entry = SPECS.get(command.name)
    if entry is None:
        return None
    if isinstance(entry, Subcommands):
        return use_by_group(command, entry)
    return use_by_spec(command, entry)


def given_by_table(command: Command) -> Given | None:
    """The options and operands of a command; None for a program without a table of its own."""
    entry = SPECS.get(command.name)
    return narrowed(command.words[1:], entry)[1] if isinstance(entry, Spec) else None
