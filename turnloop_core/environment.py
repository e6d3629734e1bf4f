"""What holds before any session: plugins, settings, keys, where sessions lie."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from turnloop_core.config.defaults import plugin_defaults
from turnloop_core.config.layers import read_layers
from turnloop_core.config.loaded import Loaded
from turnloop_core.config.secrets import Secrets
from turnloop_core.config.trust import IN_WORDS, Trust
from turnloop_core.config.trust_store import TrustStore
from turnloop_core.errors import UsageError
from turnloop_core.log.store import SessionStore
from turnloop_core.plugins import Found, Plugins, Switches, discover, load_plugins
from turnloop_core.ports.tool import Scope
from turnloop_core.registry import load_object
from turnloop_core.types.events import Notice
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """What the user asked for at start.

    Attributes:
        cwd: working directory of the agent.
        home: the user's home: settings and sessions lie in `.turnloop` there.
        environment: variables of the process.
        provider: a provider's name in settings; None leaves it to the settings.
        model: a model's id; None leaves it to settings and provider.
        permission_mode: `default`, `auto`, `plan` or `bypass`.
        thinking: `on`, `off`, `low`, `medium` or `high`; None leaves it to provider and settings.
        max_iterations: attempts that a prompt may have.
        resume: id of a session, or the unique start of one; "" for the newest of this project;
            None for a new session.
        settings: further settings as flags, over all layers.
        extra_rules: permission rules beside those of settings: `allow`, `deny`, `ask` -> rules.
        disabled_plugins: switched off for this process.
        trust_project: trust the project for this process.
    """

    cwd: Path
    home: Path
    environment: Mapping[str, str]
    provider: str | None = None
    model: str | None = None
    permission_mode: str | None = None
    thinking: str | None = None
    max_iterations: int | None = None
    resume: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    extra_rules: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    disabled_plugins: tuple[str, ...] = ()
    trust_project: bool = False

    @property
    def flags(self) -> dict[str, Any]:
        """The flag layer of settings."""
        return {
            **self.settings,
            "provider": self.provider,
            "model": self.model,
            "permission_mode": self.permission_mode,
            "thinking": self.thinking,
            "max_iterations": self.max_iterations,
        }


@dataclass(frozen=True, slots=True)
class Environment:
    """What holds before any session."""

    options: SessionOptions
    plugins: Plugins
    loaded: Loaded
    secrets: Secrets
    store: SessionStore
    scope: Scope


def unheard(env: Environment) -> Notice | None:
    """What of the project does not count for want of trust, None when all of it does."""
    ignored = (*env.loaded.ignored, *env.secrets.ignored)
    if not ignored:
        return None
    keys = ", ".join(dict.fromkeys(item.key for item in ignored))
    if not env.loaded.trusted:
        text = f"this folder is not trusted, so these settings of it do not count: {keys}"
        return Notice("warning", text, "see why: tl config; trust it: tl trust")
    if any(item.standing == "unseen" for item in env.loaded.pending):
        why = IN_WORDS["unseen"]
        text = f"{why}, so these settings of it do not count yet: {keys}"
    else:
        text = f"these settings are new or changed since you trusted this folder: {keys}"
        text += "; they do not count until you have looked at them"
    return Notice("warning", text, "look, and approve: tl trust")


def load_environment(
    options: SessionOptions, discover: Callable[[], Sequence[Found]] = discover
) -> Environment:
    """Read settings, load plugins, find keys.

    Raises:
        UsageError: the working directory is none, or settings are wrong.
        PluginError: a required plugin did not load.
    """
    cwd = Path(os.path.realpath(options.cwd))
    if not cwd.is_dir():
        raise UsageError(f"{options.cwd} is not a folder", hint="give a folder to --cwd")
    home = Path(os.path.realpath(options.home))
    layers = read_layers(cwd, home, options.environment, options.flags)
    root = layers.root.path
    trust = Trust.of(True) if options.trust_project else TrustStore(home).of(root)
    disabled, required = layers.plugin_switches(trust)
    switches = Switches.make((*disabled, *options.disabled_plugins), required, options.environment)
    plugins = load_plugins(switches, discover)
    registries = plugins.registries
    sections = {
        entry.name: load_object(entry.load, registries.settings.owner(entry.name))
        for entry in registries.settings
        if entry.name and entry.load
    }
    switched_off = [r.found.name for r in plugins.records if r.status != "loaded"]
    loaded = layers.resolve(plugin_defaults(registries), sections, trust, switched_off)
    return Environment(
        options,
        plugins,
        loaded,
        Secrets.load(loaded, options.environment),
        SessionStore(home / ".turnloop" / "sessions"),
        Scope(cwd, root, home),
    )
