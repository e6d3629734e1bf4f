"""Find plugins, filter them, load them one by one, and record what happened to each.

Entry-point metadata is read first and filtered before anything is imported. Each plugin is
imported, checked and asked for its entries by itself; what it raises is recorded and shown by
`tl plugins`, and the others go on.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from importlib import import_module
from inspect import iscoroutine, signature
from types import ModuleType
from typing import Any, Literal

import pluggy

from turnloop_core import hookspecs
from turnloop_core.errors import PluginError
from turnloop_core.installed import entry_points
from turnloop_core.nearest import best
from turnloop_core.registry import (
    CommandEntry,
    DoctorEntry,
    FactoryEntry,
    ProviderEntry,
    Registrar,
    Registry,
    SectionEntry,
    SettingsEntry,
    SlashEntry,
    SpecsEntry,
    ToolEntry,
)
from turnloop_core.values import dataclass

GROUP = "turnloop"
Status = Literal["loaded", "disabled", "failed", "incompatible"]


@dataclass(frozen=True, slots=True)
class Found:
    """A plugin as its metadata describes it: nothing imported yet."""

    name: str
    module: str
    distribution: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class PluginRecord:
    """What happened to a plugin.

    Attributes:
        found: where it came from.
        status: `loaded`, `disabled` by a switch, `failed`, or `incompatible`.
        reason: one line, "" when there is nothing to say.
        traceback: of the exception, "" when there was none.
        problems: what is wrong although it loaded (a misspelt hook, a clash).
        provides: what it registered, as `kind name`.
    """

    found: Found
    status: Status
    reason: str = ""
    traceback: str = ""
    problems: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Switches:
    """Which plugins are wanted.

    Attributes:
        disabled: switched off, by name.
        required: their absence is an error.
        only: an allow-list; None allows all, an empty one none.
    """

    disabled: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()
    only: frozenset[str] | None = None

    @classmethod
    def make(
        cls,
        disabled: Iterable[str] = (),
        required: Iterable[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Switches:
        """Combine switches with `TURNLOOP_PLUGINS` (comma-separated; empty means none)."""
        raw = (environment or {}).get("TURNLOOP_PLUGINS")
        only = None if raw is None else frozenset(n.strip() for n in raw.split(",") if n.strip())
        return cls(frozenset(disabled), frozenset(required), only)

    def refusal(self, name: str) -> str:
        """Why a plugin is not wanted, "" when it is."""
        if name in self.disabled:
            return "switched off"
        if self.only is not None and name not in self.only:
            return "not named in TURNLOOP_PLUGINS"
        return ""


@dataclass(frozen=True, slots=True)
class Registries:
    """All registries of core."""

    hookspecs: Registry[SpecsEntry] = field(
        default_factory=lambda: Registry("hook module", SpecsEntry)
    )
    providers: Registry[ProviderEntry] = field(
        default_factory=lambda: Registry("provider kind", ProviderEntry)
    )
    tools: Registry[ToolEntry] = field(default_factory=lambda: Registry("tool", ToolEntry))
    tool_sources: Registry[FactoryEntry] = field(
        default_factory=lambda: Registry("tool source", FactoryEntry)
    )
    compactors: Registry[FactoryEntry] = field(
        default_factory=lambda: Registry("compactor", FactoryEntry)
    )
    judges: Registry[FactoryEntry] = field(default_factory=lambda: Registry("judge", FactoryEntry))
    permission_checks: Registry[FactoryEntry] = field(
        default_factory=lambda: Registry("permission check", FactoryEntry)
    )
    interceptors: Registry[FactoryEntry] = field(
        default_factory=lambda: Registry("interceptor", FactoryEntry)
    )
    graders: Registry[FactoryEntry] = field(
        default_factory=lambda: Registry("grader", FactoryEntry)
    )
    observers: Registry[FactoryEntry] = field(
        default_factory=lambda: Registry("observer", FactoryEntry)
    )
    prompt_sections: Registry[SectionEntry] = field(
        default_factory=lambda: Registry("prompt section", SectionEntry)
    )
    commands: Registry[CommandEntry] = field(
        default_factory=lambda: Registry("command", CommandEntry)
    )
    slash_commands: Registry[SlashEntry] = field(
        default_factory=lambda: Registry("slash command", SlashEntry)
    )
    settings: Registry[SettingsEntry] = field(
        default_factory=lambda: Registry("settings section", SettingsEntry)
    )
    doctor_checks: Registry[DoctorEntry] = field(
        default_factory=lambda: Registry("doctor check", DoctorEntry)
    )

    def all(self) -> Sequence[tuple[str, Registry[Any]]]:
        """Pairs of hook name and registry; `register_hookspecs` first."""
        return [(f"register_{name}", getattr(self, name)) for name in self.__slots__]


class Plugins:
    """The plugins of this process, and the registries that they filled."""

    def __init__(self, switches: Switches) -> None:
        self.switches = switches
        self.registries = Registries()
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self._records: dict[str, PluginRecord] = {}

    @property
    def records(self) -> tuple[PluginRecord, ...]:
        """One record per plugin, with the clashes that it takes part in."""
        clashes = [c for _, registry in self.registries.all() for c in registry.clashes]
        return tuple(
            replace(
                record,
                problems=record.problems
                + tuple(str(c) for c in clashes if record.found.name in c.owners),
            )
            for record in self._records.values()
        )

    def collect(self, hook: str, registry: Registry[Any]) -> None:
        """Walk the implementations of a hook one by one; what one raises is recorded against it."""
        caller = getattr(self._manager.hook, hook, None)
        for implementation in caller.get_hookimpls() if caller is not None else ():
            name = implementation.plugin_name
            if self._records[name].status != "loaded":
                continue
            registrar = Registrar[Any](registry, name)
            arguments = (registrar,) if implementation.argnames else ()
            try:
                returned = implementation.function(*arguments)
            except (Exception, SystemExit) as error:  # a foreign hook may raise anything
                self._fail(name, f"{hook} raised {type(error).__name__}: {error}")
                continue
            if iscoroutine(returned):
                returned.close()
                self._fail(name, f"{hook} is async; hooks only register", "")
                continue
            self._note(name, provides=registrar.commit())

    def load(self, found: Sequence[Found]) -> None:
        """Load what the switches let through, then fill the registries.

        Raises:
            PluginError: a required plugin is missing or did not load.
        """
        twice = {f.name for f in found if sum(g.name == f.name for g in found) > 1}
        for plugin in found:
            refusal = self.switches.refusal(plugin.name)
            if refusal:
                self._records[plugin.name] = PluginRecord(plugin, "disabled", refusal)
            elif plugin.name in twice and plugin.name in self._records:
                self._note(plugin.name, problems=(f"{plugin.distribution} offers the same plugin",))
            else:
                self._load_one(plugin)
        self.collect("register_hookspecs", self.registries.hookspecs)
        self._add_foreign_specs()
        for record in list(self._records.values()):
            if record.status == "loaded":
                self._check_hooks(record.found.name)
        for hook, registry in self.registries.all()[1:]:
            self.collect(hook, registry)
        self._check_required()

    def _load_one(self, plugin: Found) -> None:
        self._records[plugin.name] = PluginRecord(plugin, "loaded")
        try:
            module = import_module(plugin.module)
            wanted = getattr(module, "turnloop_api", hookspecs.API_VERSION)
            if wanted != hookspecs.API_VERSION:
                reason = f"made for plugin API {wanted}; this is {hookspecs.API_VERSION}"
                self._records[plugin.name] = PluginRecord(plugin, "incompatible", reason)
                return
            self._manager.register(module, name=plugin.name)
        except Exception as error:  # whatever a foreign module raises at import
            self._fail(plugin.name, f"{type(error).__name__}: {error}")
        except SystemExit as error:
            self._fail(plugin.name, f"it called sys.exit({error.code!r}) while it was imported")

    def _add_foreign_specs(self) -> None:
        for entry in self.registries.hookspecs:
            owner = self.registries.hookspecs.owner(entry.name)
            try:
                module = import_module(entry.load)
                self._drop_misfits(module)
                self._manager.add_hookspecs(module)
            except (Exception, SystemExit) as error:  # foreign module again
                self._fail(owner, f"hook specifications {entry.load}: {error}")

    def _drop_misfits(self, specs: ModuleType) -> None:
        """Fail the plugins whose hooks do not fit new specifications: not those who specify."""
        for hook in dir(specs):
            caller = getattr(self._manager.hook, hook, None)
            if caller is None or self._manager.parse_hookspec_opts(specs, hook) is None:
                continue
            known = signature(getattr(specs, hook)).parameters
            for implementation in caller.get_hookimpls():
                strange = set(implementation.argnames) - set(known)
                if strange:
                    name = implementation.plugin_name
                    self._fail(name, f"{hook} has no argument {', '.join(sorted(strange))}", "")
                    self._manager.unregister(name=name)

    def _check_hooks(self, name: str) -> None:
        module = self._manager.get_plugin(name)
        if module is None:
            return
        known = [n for n in vars(self._manager.hook) if n.startswith("register_")]
        specified = [n for n in known if getattr(self._manager.hook, n).spec is not None]
        for attribute in dir(module):
            marked = self._manager.parse_hookimpl_opts(module, attribute) is not None
            if attribute in specified:
                if not marked:
                    self._note(name, problems=(f"{attribute} is not marked with @hookimpl",))
                continue
            if not marked:
                continue
            near = best(attribute, specified, cutoff=0.75)
            if near:
                self._fail(name, f"no hook is called {attribute}; did you mean {near}?", "")

    def _check_required(self) -> None:
        for name in sorted(self.switches.required):
            record = self._records.get(name)
            if record is None:
                raise PluginError(
                    f"plugin {name} is required by settings and is not installed",
                    hint=f"install it, or take {name} out of plugins.required",
                )
            if record.status != "loaded":
                raise PluginError(
                    f"plugin {name} is required by settings and is {record.status}: "
                    f"{record.reason}",
                    hint="run: tl plugins",
                )

    def _fail(self, name: str, reason: str, trace: str | None = None) -> None:
        """Record a failure, and take back what the plugin had offered: all of it or nothing."""
        record = self._records[name]
        trace = traceback.format_exc() if trace is None else trace
        for _, registry in self.registries.all():
            registry.withdraw(name)
        reason = " ".join(reason.split())  # what a foreign error says may have many lines
        self._records[name] = replace(
            record, status="failed", reason=reason, traceback=trace, provides=()
        )

    def _note(
        self, name: str, *, provides: tuple[str, ...] = (), problems: tuple[str, ...] = ()
    ) -> None:
        record = self._records[name]
        self._records[name] = replace(
            record,
            provides=record.provides + provides,
            problems=record.problems + problems,
        )


def discover() -> list[Found]:
    """Plugins that are installed, by their metadata, sorted by name."""
    return [Found(*point) for point in entry_points(GROUP)]


def load_plugins(switches: Switches, discover: Callable[[], Sequence[Found]] = discover) -> Plugins:
    """Discover and load.

    Raises:
        PluginError: a required plugin is missing or did not load.
    """
    plugins = Plugins(switches)
    plugins.load(discover())
    return plugins
