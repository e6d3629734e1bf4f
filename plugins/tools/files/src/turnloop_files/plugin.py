"""Offers Read, Write and Edit."""

from __future__ import annotations

from turnloop_core.api import Registrar, ToolEntry, hookimpl


@hookimpl
def register_tools(registrar: Registrar[ToolEntry]) -> None:
    registrar.add(
        ToolEntry(
            "Read",
            "turnloop_files.read:create",
            read_only=True,
            parallel_safe=True,
            remembered=True,
        )
    )
    registrar.add(
        ToolEntry("Write", "turnloop_files.write:create", bulk_args=("content",), remembered=True)
    )
    registrar.add(
        ToolEntry(
            "Edit",
            "turnloop_files.edit:create",
            # Not `edits`: only an argument that is a text can be trimmed.
            bulk_args=("old_string", "new_string"),
            remembered=True,
        )
    )
