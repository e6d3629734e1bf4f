"""From light entries to objects: the factories of plugins, called with what they may use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnloop_core.config.check import Issue
from turnloop_core.config.providers import provider_options
from turnloop_core.context import FactoryContext
from turnloop_core.environment import Environment
from turnloop_core.errors import PluginError, TurnloopError
from turnloop_core.loop.hooks import Emitter
from turnloop_core.loop.parts import Offered, Toolbox
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import DEFAULT_DENY, Rules, parse_rule
from turnloop_core.ports.compactor import Compactor
from turnloop_core.ports.provider import Provider
from turnloop_core.ports.tool import Tool
from turnloop_core.registry import Entry, Registry, ToolEntry, did_you_mean, load_object
from turnloop_core.remembered import Memory, RememberedTool, Told, key_of
from turnloop_core.schemas import told as told_by
from turnloop_core.types.events import Notice
from turnloop_core.types.subjects import PUBLIC_NAMES, PermissionMode
from turnloop_core.values import dataclass

if TYPE_CHECKING:
    from turnloop_core.transport.client import Transport


@dataclass(frozen=True, slots=True)
class Builder:
    """Makes objects from entries, for one environment.

    Attributes:
        environment: plugins, settings, keys.
        transport: HTTP for providers.
        emit: where warnings go.
        session: id of the session.
        shared: owner -> where the parts of that plugin meet.
    """

    environment: Environment
    transport: Transport
    emit: Emitter
    session: str = ""
    shared: dict[str, dict[str, Any]] = field(default_factory=dict)

    def context(self, owner: str, name: str, options: Any = None) -> FactoryContext:
        """What a factory of plugin `owner` may use."""
        env = self.environment
        return FactoryContext(
            name=name,
            scope=env.scope,
            settings=self._section(owner),
            data_dir=env.scope.home / ".turnloop" / "data" / owner,
            secret=env.secrets.get,
            collect=env.plugins.collect,
            transport=self.transport,
            options=options,
            environment=env.secrets.child_environment(),
            session=self.session,
            shared=self.shared.setdefault(owner, {}),
            emit=self.emit,
        )

    def _section(self, owner: str) -> Any:
        registry = self.environment.plugins.registries.settings
        for entry in registry:
            if entry.load and registry.owner(entry.name) == owner:
                return self.environment.loaded.section(entry.name, load_object(entry.load, owner))
        return {}

    def make(self, registry: Registry[Any], entry: Entry, options: Any = None) -> Any:
        """Call the factory of an entry.

        Raises:
            PluginError: it cannot be loaded, or raised.
            TurnloopError: what the factory itself says to the user.
        """
        owner = registry.owner(entry.name)
        factory = load_object(getattr(entry, "load", ""), owner)
        try:
            return factory(self.context(owner, entry.name, options))
        except TurnloopError:
            raise
        except Exception as error:
            raise PluginError(
                f"plugin {owner}: {registry.what} {entry.name} cannot be made: "
                f"{type(error).__name__}: {error}",
                hint=f"switch it off: tl -x {owner}",
            ) from error

    def make_all(self, registry: Registry[Any], *, needed: bool) -> list[Any]:
        """Objects of all entries. One that cannot be made stops the run if `needed`, else it is
        named and left out.
        """
        for clash in registry.clashes:
            if needed:
                raise PluginError(str(clash), hint=f"switch one off: tl -x {clash.owners[-1]}")
            self.emit(Notice("warning", f"{clash}; nobody gets it", "run: tl plugins"))
        made = []
        for entry in registry:
            try:
                made.append(self.make(registry, entry))
            except TurnloopError as error:
                if needed:
                    raise
                self.emit(Notice("warning", str(error), error.hint))
        return made

    def provider(self, name: str) -> tuple[Provider, Any]:
        """The provider of that name in settings, and its options.

        Raises:
            UnknownNameError: no such provider, or no such kind.
            SettingsError: its settings are wrong.
        """
        kinds = self.environment.plugins.registries.providers
        options = provider_options(self.environment.loaded, name, kinds)
        entry = kinds.get(str(getattr(options, "kind", "")))
        owner = kinds.owner(entry.name)
        factory = load_object(entry.load, owner)
        provider: Provider = factory(self.context(owner, name, options))
        return provider, options

    def tools(self) -> list[Offered]:
        """All tools that plugins offer by themselves; those of sources come when they open."""
        registry = self.environment.plugins.registries.tools
        for clash in registry.clashes:
            self.emit(Notice("warning", f"{clash}; nobody gets it", "run: tl plugins"))
        memory = self._memory()
        offered = []
        for entry in registry:
            try:
                offered.append(Offered(entry, self._tool(registry, entry, memory)))
            except TurnloopError as error:
                self.emit(Notice("warning", str(error), error.hint))
        memory.save()
        return offered

    def _tool(self, registry: Registry[ToolEntry], entry: ToolEntry, memory: Memory) -> Tool:
        """The tool, or what is remembered of it."""
        key = key_of(entry.name, entry.load) if entry.remembered else ""
        told = memory.get(key) if key else None
        if told is not None:
            return RememberedTool(entry.name, told, lambda: self._made(registry, entry, told))
        tool: Tool = self.make(registry, entry)
        if key:
            memory.put(key, told_by(tool))
        return tool

    def _made(self, registry: Registry[ToolEntry], entry: ToolEntry, told: Told) -> Tool:
        """A remembered tool, made at last; what is no longer true of it is forgotten."""
        tool: Tool = self.make(registry, entry)
        if told_by(tool) != told:
            memory = self._memory()
            memory.forget(key_of(entry.name, entry.load))
            memory.save()
        return tool

    def _memory(self) -> Memory:
        return Memory(self.environment.scope.home / ".turnloop" / "cache" / "tools.json")

    def compactor(self) -> Compactor | None:
        """The strategy that settings name; None when they name none.

        Raises:
            SettingsError: nobody offers it; names file, line and key.
            ClashError: two plugins offer it.
        """
        loaded = self.environment.loaded
        name = loaded.settings.compaction.strategy
        if not name:
            return None
        registry = self.environment.plugins.registries.compactors
        if name not in registry and not any(clash.name == name for clash in registry.clashes):
            hint = did_you_mean(name, registry.names)
            unknown = f"no compaction strategy is called {name!r}"
            loaded.fail([Issue(("compaction", "strategy"), unknown, hint)])
        compactor: Compactor = self.make(registry, registry.get(name))
        return compactor

    def engine(self, own_folder: Path) -> Engine:
        """The permission engine with all rules, each knowing where it stands.

        Args:
            own_folder: where tools put what is too large for the log; reading there needs no
                question, since it came out of a call that was judged.

        Raises:
            SettingsError: a rule cannot be read.
        """
        env = self.environment
        rules: dict[str, list[Any]] = {"allow": [], "deny": list(DEFAULT_DENY), "ask": []}
        for source in env.loaded.rules:
            rules[source.effect].append(parse_rule(source.text, str(source.origin)))
        for effect, texts in env.options.extra_rules.items():
            rules[effect] += [parse_rule(text, "command line") for text in texts]
        checks = self.make_all(env.plugins.registries.permission_checks, needed=True)
        return Engine(
            Rules(tuple(rules["allow"]), tuple(rules["deny"]), tuple(rules["ask"])),
            PermissionMode(env.loaded.settings.permission_mode),
            env.scope,
            tuple(checks),
            readable=(str(own_folder),),
        )


def in_order(offered: Sequence[Offered]) -> Toolbox:
    """A toolbox with a fixed order, so that the prefix of a session does not depend on chance."""
    return Toolbox(sorted(offered, key=lambda o: o.entry.name))


def warn_of_rules(rules: Rules, tools: Toolbox, emit: Emitter) -> None:
    """Name the rules that bind nothing: a misspelt deny rule must not be a silent one."""
    known = {*PUBLIC_NAMES.values(), "Write", *tools.names}
    for rule in (*rules.deny, *rules.ask, *rules.allow):
        if rule.name in known or rule.name.startswith("mcp__"):
            continue
        text = f"rule {rule.text} ({rule.source}) binds nothing: no tool is called {rule.name}"
        emit(Notice("warning", text, did_you_mean(rule.name, sorted(known))))
