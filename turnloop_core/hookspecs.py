"""The hook specifications. Hooks only register: each is called once at start, in no fixed order.

A hook function is synchronous, imports nothing heavy and opens nothing. It gets one registrar and
calls `registrar.add(entry)`; the entry names what is to be imported when it is needed. A hook that
raises is recorded against its plugin and adds nothing; the other plugins go on.
"""

from __future__ import annotations

import pluggy

from turnloop_core.registry import (
    CommandEntry,
    DoctorEntry,
    FactoryEntry,
    ProviderEntry,
    Registrar,
    SectionEntry,
    SettingsEntry,
    SlashEntry,
    SpecsEntry,
    ToolEntry,
)

PROJECT = "turnloop"
API_VERSION = 1

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def register_hookspecs(registrar: Registrar[SpecsEntry]) -> None:
    """Add hook specifications of your own. Called before all other hooks.

    Args:
        registrar: takes `SpecsEntry(name, load)`; `load` names a module of `@hookspec` functions.
            Their owner walks them with `context.collect(hook, registry)`.
    """


@hookspec
def register_providers(registrar: Registrar[ProviderEntry]) -> None:
    """Offer kinds of providers, and presets that use them.

    Args:
        registrar: takes `ProviderEntry(name, load, options, presets)`; `load` names
            `create(context: FactoryContext) -> Provider`, `options` the type of its settings.
    """


@hookspec
def register_tools(registrar: Registrar[ToolEntry]) -> None:
    """Offer tools.

    Args:
        registrar: takes `ToolEntry(name, load, read_only, parallel_safe, bulk_args, remembered,
            in_plan)`; `load` names `create(context: FactoryContext) -> Tool`.
    """


@hookspec
def register_tool_sources(registrar: Registrar[FactoryEntry]) -> None:
    """Offer sources of tools that must be opened and closed, servers for example.

    Args:
        registrar: takes `FactoryEntry(name, load)`; `load` names
            `create(context: FactoryContext) -> ToolSource`.
    """


@hookspec
def register_compactors(registrar: Registrar[FactoryEntry]) -> None:
    """Offer compaction strategies; settings name the one to use (`compaction.strategy`).

    Args:
        registrar: takes `FactoryEntry(name, load)`; `load` names
            `create(context: FactoryContext) -> Compactor`.
    """


@hookspec
def register_judges(registrar: Registrar[FactoryEntry]) -> None:
    """Offer judges. All are asked after each attempt; Halt > Nudge > Done > Go.

    Args:
        registrar: takes `FactoryEntry(name, load)`; `load` names
            `create(context: FactoryContext) -> Judge`.
    """


@hookspec
def register_permission_checks(registrar: Registrar[FactoryEntry]) -> None:
    """Offer checks that tighten decisions. They cannot allow what the rules do not.

    Args:
        registrar: takes `FactoryEntry(name, load)`; `load` names
            `create(context: FactoryContext) -> PermissionCheck`. One that cannot be made stops
            the run: a gate that is missing must not be an open one.
    """


@hookspec
def register_interceptors(registrar: Registrar[FactoryEntry]) -> None:
    """Offer interceptors, which stand before and after prompts, calls, compaction and the end.

    Args:
        registrar: takes `FactoryEntry(name, load)`; `load` names
            `create(context: FactoryContext) -> Interceptor`.
    """


@hookspec
def register_graders(registrar: Registrar[FactoryEntry]) -> None:
    """Offer graders for experiments.

    Args:
        registrar: takes `FactoryEntry(name, load)`; `load` names
            `create(context: FactoryContext) -> Grader`.
    """


@hookspec
def register_observers(registrar: Registrar[FactoryEntry]) -> None:
    """Offer observers, which see every event and change nothing.

    Args:
        registrar: takes `FactoryEntry(name, load)`; `load` names
            `create(context: FactoryContext) -> Observer`.
    """


@hookspec
def register_prompt_sections(registrar: Registrar[SectionEntry]) -> None:
    """Offer sections of the system prompt.

    Args:
        registrar: takes `SectionEntry(name, order, load, text, variants)`; `load` names
            `render(context: SectionContext) -> str`.
    """


@hookspec
def register_commands(registrar: Registrar[CommandEntry]) -> None:
    """Offer subcommands of `tl`.

    Args:
        registrar: takes `CommandEntry(name, help, load)`; `load` names a click command, imported
            only when it is called or its own help is asked for.
    """


@hookspec
def register_slash_commands(registrar: Registrar[SlashEntry]) -> None:
    """Offer commands of the REPL.

    Args:
        registrar: takes `SlashEntry(name, help, load)`; the name has no slash; `load` names
            `async run(arguments: str, session: Session) -> None`.
    """


@hookspec
def register_settings(registrar: Registrar[SettingsEntry]) -> None:
    """Offer a settings section of your own, and defaults for any setting.

    Args:
        registrar: takes `SettingsEntry(name, load, defaults)`; `load` names the section's type.
            Defaults are the lowest layer.
    """


@hookspec
def register_doctor_checks(registrar: Registrar[DoctorEntry]) -> None:
    """Offer checks of `tl doctor`.

    Args:
        registrar: takes `DoctorEntry(name, load)`; `load` names
            `check(context: FactoryContext) -> Sequence[DoctorLine]`.
    """
