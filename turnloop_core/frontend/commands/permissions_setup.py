"""What the commands about permissions look at: plugins, rules and the place they hold for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from turnloop_core.building import Builder
from turnloop_core.environment import SessionOptions, load_environment
from turnloop_core.errors import UsageError
from turnloop_core.frontend.options import Top
from turnloop_core.frontend.places import working_folder
from turnloop_core.frontend.start import session_options
from turnloop_core.loop.hooks import Emitter
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import Rules, parse_rule

_KINDS = ("allow", "deny", "ask")


def options_for(
    top: Top,
    rules: Mapping[str, tuple[str, ...]] | None = None,
    mode: str | None = None,
    cwd: str | None = None,
    home: str | None = None,
) -> SessionOptions:
    """What a session would be started with, changed by the options of the command.

    Raises:
        UsageError: a folder is not there.
    """
    options = session_options(top)
    added = {
        kind: (*options.extra_rules.get(kind, ()), *(rules or {}).get(kind, ())) for kind in _KINDS
    }
    return replace(
        options,
        extra_rules={kind: texts for kind, texts in added.items() if texts},
        permission_mode=mode or options.permission_mode,
        cwd=working_folder(cwd) if cwd is not None else options.cwd,
        home=_folder("--home", home) if home is not None else options.home,
    )


def _folder(what: str, given: str) -> Path:
    path = Path(os.path.realpath(given))
    if not given.strip() or not path.is_dir():
        raise UsageError(f"{what}: there is no folder {given!r}", hint="give one that exists")
    return path


def builder_for(options: SessionOptions) -> Builder:
    """Makes tools and engines as a session would.

    Raises:
        UsageError: settings are wrong.
        PluginError: a required plugin did not load.
    """
    from turnloop_core.transport.client import Transport

    return Builder(load_environment(options), Transport(), Emitter(()))


def engine_for(builder: Builder, *, only: bool = False) -> Engine:
    """The engine of a session that would begin here; with `only`, with the rules of flags alone.

    Raises:
        SettingsError: a rule cannot be read; names it and where it stands.
    """
    # What tools put aside belongs to a session, and there is none.
    engine = replace(builder.engine(Path(os.devnull)), readable=())
    if not only:
        return engine
    given = builder.environment.options.extra_rules
    lists = {k: tuple(parse_rule(t, "command line") for t in given.get(k, ())) for k in _KINDS}
    return replace(engine, rules=Rules(**lists))
