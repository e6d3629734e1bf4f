"""From settings to what answers: one way for each mode, and what does not go together."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from turnloop_core.api import FactoryContext, SettingsError
from turnloop_mock.options import MockOptions

if TYPE_CHECKING:
    from turnloop_mock.chaotic import Chaotic
    from turnloop_mock.playing import Playing
    from turnloop_mock.replaying import Replaying

OWN = {  # settings that belong to one mode
    "scripted": ("script",),
    "replay": ("session",),
    "chaos": ("seed", "broken", "calls", "turns", "valid"),
}
MOST_CALLS = 1_000
MOST_TURNS = 100_000


def check(name: str, options: MockOptions) -> None:
    """See that the settings of provider `name` go together, and lie within their bounds.

    Raises:
        SettingsError: they do not.
    """
    defaults = {f.name: f.default for f in fields(MockOptions)}
    for mode, keys in OWN.items():
        for key in keys:
            if mode != options.mode and getattr(options, key) != defaults[key]:
                _fail(
                    name,
                    key,
                    f"has no effect in mode {options.mode}",
                    f"set providers.{name}.mode to {mode}, or take {key} out",
                )
    if not 0 <= options.broken <= 1:
        _fail(name, "broken", f"is {options.broken}", "give a share from 0 to 1")
    for key, least, most in (("calls", 0, MOST_CALLS), ("turns", 1, MOST_TURNS)):
        value = getattr(options, key)
        if not least <= value <= most:
            _fail(name, key, f"is {value:,}", f"give a number from {least} to {most:,}")
    if any(not call.name.strip() for call in options.valid):
        _fail(name, "valid", "has a call without a name", "give each the name of a tool")
    if options.valid and options.broken == 1:
        _fail(name, "valid", "is never used while broken is 1", "set broken to less, say 0.9")


def scripted(context: FactoryContext, options: MockOptions) -> Playing:
    """What plays the script.

    Raises:
        SettingsError: there is none, or it cannot be read.
    """
    if not options.script:
        _fail(
            context.name,
            "script",
            "is missing, and mode scripted needs it",
            f"set providers.{context.name}.script to the path of a YAML file",
        )
    from turnloop_mock.playing import Playing
    from turnloop_mock.script import read_script

    return Playing(read_script(path_of(context, options.script)))


def replay(context: FactoryContext, options: MockOptions) -> Replaying:
    """What replays the session.

    The log is read now, not at the first request: a mistake is told before anything is on record,
    and what this run adds, should it go on with that very session, is no part of the recording.

    Raises:
        SettingsError: there is none, or nothing of it can be replayed.
    """
    if not options.session:
        _fail(
            context.name,
            "session",
            "is missing, and mode replay needs it",
            "give the id of a session, see: tl sessions; or the path of a log",
        )
    from turnloop_mock.finding import find_log
    from turnloop_mock.recording import read_recording
    from turnloop_mock.replaying import Replaying

    key = f"providers.{context.name}.session"
    log = find_log(options.session, path_of(context, options.session), context.scope, key)
    return Replaying(read_recording(log, key, context.emit), context.emit)


def chaos(options: MockOptions) -> Chaotic:
    """What writes broken calls."""
    from turnloop_mock.chaotic import Chaotic

    return Chaotic(options)


def path_of(context: FactoryContext, path: str) -> Path:
    """A path of the settings: from the project root unless it is absolute; `~/` is home."""
    if path.startswith("~/"):
        return context.scope.home / path[2:]
    return context.scope.root / path


def _fail(name: str, key: str, problem: str, hint: str) -> NoReturn:
    full = f"providers.{name}.{key}"
    raise SettingsError(f"{full} {problem}", key=full, hint=hint)
