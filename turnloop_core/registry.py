"""Typed registries: who offers what. Entries are light; what they name is imported when needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from importlib import import_module
from typing import Any, Generic, Literal, Protocol, TypeVar

from turnloop_core.errors import ClashError, PluginError, UnknownNameError
from turnloop_core.nearest import nearest
from turnloop_core.values import dataclass


class Entry(Protocol):
    """What every entry has: a name that is unique in its registry."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """A kind of provider.

    Attributes:
        name: the value of `kind` in settings.
        load: `module:attribute` of `create(context) -> Provider`.
        options: `module:attribute` of the type that an entry of this kind in settings is checked
            against: a subclass of `ProviderOptions`.
        presets: providers that come ready: name -> what would stand in settings.
        wire: `module:attribute` of a `WireFormat`, for looking at recorded answers with
            `tl debug wire`; "" for a kind without one.
    """

    name: str
    load: str
    options: str
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    wire: str = ""


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """A tool.

    Attributes:
        name: what the model calls it.
        load: `module:attribute` of `create(context) -> Tool`.
        read_only: changes nothing.
        parallel_safe: may run beside other calls.
        bulk_args: arguments that may be trimmed later, once the call is old.
        remembered: descriptions and schema follow from the plugin's code and this machine alone,
            so that the model can be told what it was told at the last start, and the tool be made
            when it is needed.
        in_plan: offered in plan mode though it is not `read_only`: its subjects say of each call,
            by `read_only` and `inert`, whether it is proved to change nothing; any other call is
            refused.
    """

    name: str
    load: str
    read_only: bool = False
    parallel_safe: bool = False
    bulk_args: tuple[str, ...] = ()
    remembered: bool = False
    in_plan: bool = False

    @property
    def offered_in_plan(self) -> bool:
        """Whether the model may call it in plan mode."""
        return self.read_only or self.in_plan


@dataclass(frozen=True, slots=True)
class FactoryEntry:
    """Anything that is made by a factory: compactor, judge, check, interceptor, grader, observer,
    tool source.

    Attributes:
        name: unique in its registry.
        load: `module:attribute` of `create(context)`.
    """

    name: str
    load: str


@dataclass(frozen=True, slots=True)
class SectionEntry:
    """A section of the system prompt.

    Attributes:
        name: unique; a later section of the same name is a clash, not a replacement.
        order: sections are sorted by this, then by name.
        load: `module:attribute` of `render(context) -> str`; "" uses `text`.
        text: the section, when it never changes.
        variants: the system variants that have it; empty for all.
    """

    name: str
    order: int
    load: str = ""
    text: str = ""
    variants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A subcommand of `tl`: `load` names a click command, imported when it is called."""

    name: str
    help: str
    load: str


@dataclass(frozen=True, slots=True)
class SlashEntry:
    """A command of the REPL: `load` names `async run(arguments, session) -> None`."""

    name: str
    help: str
    load: str


@dataclass(frozen=True, slots=True)
class SettingsEntry:
    """Settings that a plugin brings.

    Attributes:
        name: the section, a top-level key of settings; the plugin's own name when there are only
            defaults.
        load: `module:attribute` of the section's type (a pydantic model or a dataclass that
            pydantic can check); "" when there is no section, only defaults.
        defaults: the lowest layer of settings, for any key.
    """

    name: str
    load: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DoctorEntry:
    """A check of `tl doctor`: `load` names `check(context) -> Sequence[DoctorLine]`."""

    name: str
    load: str


@dataclass(frozen=True, slots=True)
class DoctorLine:
    """One line of `tl doctor`: `level` is `ok`, `warning` or `error`; `hint` is the next step."""

    level: Literal["ok", "warning", "error"]
    label: str
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class SpecsEntry:
    """Hook specifications that a plugin adds: `load` names a module of `@hookspec` functions."""

    name: str
    load: str


E = TypeVar("E", bound=Entry)


@dataclass(frozen=True, slots=True)
class Clash:
    """A name that more than one plugin offers. Nobody gets it."""

    what: str
    name: str
    owners: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.what} {self.name!r} is offered by {' and by '.join(self.owners)}"


class Registry(Generic[E]):
    """Entries of one kind, with their owners.

    Args:
        what: the kind in words, for messages: `tool`, `provider kind`.
        takes: the class of its entries; None takes anything that has a name.
    """

    def __init__(self, what: str, takes: type[E] | None = None) -> None:
        self.what = what
        self.takes = takes
        self._owned: dict[str, list[tuple[str, E]]] = {}

    def put(self, owner: str, entry: E) -> None:
        self._owned.setdefault(entry.name, []).append((owner, entry))

    def withdraw(self, owner: str) -> None:
        """Take back everything that `owner` offered."""
        for name, owned in list(self._owned.items()):
            kept = [pair for pair in owned if pair[0] != owner]
            if kept:
                self._owned[name] = kept
            else:
                del self._owned[name]

    def __iter__(self) -> Iterator[E]:
        """Entries that one plugin alone offers, in order of registration."""
        # all at once: what is done with an entry may withdraw others
        return iter([owned[0][1] for owned in self._owned.values() if len(owned) == 1])

    def __contains__(self, name: object) -> bool:
        return len(self._owned.get(str(name), ())) == 1

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self)

    def owner(self, name: str) -> str:
        """The plugin that offers `name`, "" when nobody or more than one does."""
        owned = self._owned.get(name, [])
        return owned[0][0] if len(owned) == 1 else ""

    @property
    def clashes(self) -> tuple[Clash, ...]:
        return tuple(
            Clash(self.what, name, tuple(owner for owner, _ in owned))
            for name, owned in self._owned.items()
            if len(owned) > 1
        )

    def get(self, name: str) -> E:
        """The entry of that name.

        Raises:
            ClashError: more than one plugin offers it.
            UnknownNameError: nobody offers it; names the nearest ones.
        """
        owned = self._owned.get(name, [])
        if len(owned) == 1:
            return owned[0][1]
        if owned:
            clash = Clash(self.what, name, tuple(owner for owner, _ in owned))
            raise ClashError(str(clash), hint=f"switch one of them off: tl -x {clash.owners[-1]}")
        raise UnknownNameError(
            f"no {self.what} is called {name!r}", hint=did_you_mean(name, self.names)
        )


class Registrar(Generic[E]):
    """What a hook gets: a registry that knows who is speaking.

    Entries take effect together when the hook has returned; a hook that raises adds nothing.
    """

    def __init__(self, registry: Registry[E], owner: str) -> None:
        self._registry = registry
        self._owner = owner
        self._staged: list[E] = []

    def add(self, entry: E) -> None:
        """Offer an entry.

        Raises:
            TypeError: it is no entry of this kind.
        """
        takes = self._registry.takes
        if takes is not None and not isinstance(entry, takes):
            raise TypeError(f"takes {takes.__name__}, not {type(entry).__name__}")
        name = getattr(entry, "name", None)
        if not isinstance(name, str):
            raise TypeError(f"the name of an entry is text, not {name!r}")
        self._staged.append(entry)

    def commit(self) -> tuple[str, ...]:
        for entry in self._staged:
            self._registry.put(self._owner, entry)
        return tuple(f"{self._registry.what} {entry.name}" for entry in self._staged)


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """A hint with the nearest names, or all of them when there are few."""
    near = nearest(name, known)
    if near:
        return f"did you mean {', '.join(near)}?"
    return (
        f"there are: {', '.join(sorted(known))}"
        if known
        else "no plugin offers any; see: tl plugins"
    )


def load_object(path: str, owner: str = "") -> Any:
    """Import `module:attribute`.

    Raises:
        PluginError: it cannot be imported; names the owner.
    """
    module, _, attribute = path.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except Exception as error:  # whatever a foreign module raises at import
        who = f"plugin {owner}: " if owner else ""
        raise PluginError(
            f"{who}cannot load {path}: {type(error).__name__}: {error}", hint="run: tl plugins"
        ) from error
