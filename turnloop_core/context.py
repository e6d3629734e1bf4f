"""What factories get: a small context, never the application."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from turnloop_core.ports.tool import Scope
from turnloop_core.registry import Registry
from turnloop_core.types.events import Event
from turnloop_core.values import dataclass

if TYPE_CHECKING:
    from turnloop_core.transport.client import Transport


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderOptions:
    """What every provider's entry in settings may have; kinds add fields by inheriting.

    Attributes:
        kind: which kind of provider this is.
        model: the model to use when the user names none.
        tool_verbosity: how much the model is told about tools; "" leaves it to the settings.
        thinking: how much the model is to think; "" leaves it to the settings.
        caps: what the model can do, by the names of `Capabilities`; overrides what is known.
    """

    kind: str
    model: str = ""
    tool_verbosity: Literal["", "auto", "terse", "normal", "verbose"] = ""
    thinking: Literal["", "on", "off", "low", "medium", "high"] = ""
    caps: dict[str, Any] = field(default_factory=dict)


def _silent(event: Event) -> None:
    """Where nobody listens."""


@dataclass(frozen=True, slots=True)
class FactoryContext:
    """What a factory may use.

    Attributes:
        name: the entry's name; for a provider, its name in settings.
        scope: cwd, project root and home.
        settings: the plugin's own section, checked against the type that it registered; an empty
            dict when it registered none.
        options: for a provider, its entry under `providers`, preset included, as an object of the
            type that its kind registered; else None.
        secret: name of a variable -> its value, from the environment or a trusted project's
            `.env`; None when it is not set. Values are masked wherever results are shown.
        data_dir: the place for the plugin's own files; made by who writes there, with mode 0700.
        transport: HTTP for providers: one client per process.
        collect: (hook, registry) -> None: walk a hook of the plugin's own, each implementation
            isolated.
        environment: variables for child processes; those that hold keys are left out.
        session: id of the session, "" where there is none.
        shared: where the parts of one plugin meet within a session; empty at first, and no other
            plugin's business.
        emit: tells the front end something.
    """

    name: str
    scope: Scope
    settings: Any
    data_dir: Path
    secret: Callable[[str], str | None]
    collect: Callable[[str, Registry[Any]], None]
    transport: Transport
    options: Any = None
    environment: Mapping[str, str] = field(default_factory=dict)
    session: str = ""
    shared: dict[str, Any] = field(default_factory=dict)
    emit: Callable[[Event], None] = _silent


@dataclass(frozen=True, slots=True)
class SectionContext:
    """What a section of the system prompt may look at. It must give the same text for a session.

    Attributes:
        scope: cwd, project root and home.
        variant: the system variant.
        tools: names of the tools offered.
        model: id of the model.
    """

    scope: Scope
    variant: str
    tools: tuple[str, ...]
    model: str
