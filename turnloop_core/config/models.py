"""The settings of core. Plain dataclasses: reading them costs nothing, `check.py` fills them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from turnloop_core.types.capabilities import Thinking
from turnloop_core.types.subjects import PermissionMode
from turnloop_core.values import dataclass

ToolVerbosity = Literal["auto", "terse", "normal", "verbose"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """Rules, written `Name` or `Name(pattern)`.

    Attributes:
        allow: what needs no question.
        deny: what is never done.
        ask: what is asked although a mode would allow it.
    """

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginSettings:
    """Which plugins are wanted.

    Attributes:
        disabled: names of plugins that are switched off.
        required: names of plugins without which nothing is to run.
    """

    disabled: tuple[str, ...] = ()
    required: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionSettings:
    """How the window is kept small.

    Attributes:
        strategy: name of a compactor, null for the one that the plugins' defaults name.
    """

    strategy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one process.

    Attributes:
        provider: name of an entry of `providers`.
        model: overrides the model of that entry.
        permission_mode: what is asked, allowed and denied where no rule says it.
        max_iterations: attempts that one run may take, at least 1.
        tool_verbosity: how much the model is told about tools; auto goes by the model's window.
        system_variant: which system prompt.
        thinking: how much the model is to think.
        thinking_cap: tokens that a reply may think before it says or does anything, four times as
            many when `thinking` is high; a reply that passes it is asked for again with less
            thinking. 0 for no cap.
        repetition_limit: words that one passage of a reply may fill by following itself; a reply
            that passes it is closed. 0 for no limit.
        providers: name -> entry; an entry is checked against the type of its `kind`.
        permissions: rules.
        plugins: which plugins are wanted.
        compaction: how the window is kept small.
        sections: plugin's section -> object of the type that the plugin registered.
    """

    provider: str | None = None
    model: str | None = None
    permission_mode: PermissionMode = PermissionMode.DEFAULT
    max_iterations: int = 40
    tool_verbosity: ToolVerbosity = "auto"
    system_variant: str = "default"
    thinking: Thinking = "on"
    thinking_cap: int = 8_192
    repetition_limit: int = 600
    providers: dict[str, dict[str, Any]] = field(default_factory=dict)
    permissions: Permissions = field(default_factory=Permissions)
    plugins: PluginSettings = field(default_factory=PluginSettings)
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    sections: Mapping[str, Any] = field(default_factory=dict)


# Keys of a settings file that are core's own.
CORE_KEYS = (
    "provider",
    "model",
    "permission_mode",
    "max_iterations",
    "tool_verbosity",
    "system_variant",
    "thinking",
    "thinking_cap",
    "repetition_limit",
    "providers",
    "permissions",
    "plugins",
    "compaction",
)
