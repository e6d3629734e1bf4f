"""`tl doctor`: is everything there that a run needs?"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from turnloop_core import __version__
from turnloop_core.config.explain import without_user
from turnloop_core.config.secrets import KEY_NAME
from turnloop_core.errors import EXIT_DONE, EXIT_FAILED, TurnloopError
from turnloop_core.frontend.commands.output import say_json, write
from turnloop_core.frontend.options import Top
from turnloop_core.frontend.places import load_quietly
from turnloop_core.frontend.start import session_options
from turnloop_core.plugins import PluginRecord
from turnloop_core.registry import DoctorLine

if TYPE_CHECKING:
    from turnloop_core.environment import Environment, SessionOptions
    from turnloop_core.session import Session

_FILES = ("user", "project", "local")
_MARKS = {"ok": "+", "warning": "!", "error": "x"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def doctor(top: Top, as_json: bool) -> int:
    """Check this machine, the settings and the provider. Exit status 1 when something is wrong."""
    lines: list[DoctorLine] = []
    for line in examine(top):
        lines.append(line)
        if not (as_json or top.json):
            _show(line)
    failed = any(line.level == "error" for line in lines)
    if as_json or top.json:
        say_json(
            ok=not failed,
            lines=[
                {"level": line.level, "label": line.label, "text": line.text, "hint": line.hint}
                for line in lines
            ],
        )
    return EXIT_FAILED if failed else EXIT_DONE


def _show(line: DoctorLine) -> None:
    write(f" {_MARKS[line.level]} {line.label:<18} {line.text}")
    if line.hint:
        write(f"   {'':<18} {line.hint}")
    sys.stdout.flush()  # the next check may take a while


def examine(top: Top) -> Iterator[DoctorLine]:
    """All lines, in the order in which they are shown."""
    yield DoctorLine("ok", "turnloop", f"{__version__}, Python {platform.python_version()}")
    yield DoctorLine("ok", "platform", platform.platform())
    options = replace(session_options(top), resume=None)
    try:
        from turnloop_core.environment import load_environment

        environment = load_environment(options)
    except TurnloopError as error:
        yield from _plugins(load_quietly(top.disabled, top.cwd).records)
        yield DoctorLine("error", "settings", str(error), error.hint)
        return
    yield from _plugins(environment.plugins.records)
    yield from _settings(environment)
    yield from _providers(environment)
    yield from _session(options, environment)
    yield from _checks_of_plugins(environment)


def _plugins(records: Sequence[PluginRecord]) -> Iterator[DoctorLine]:
    loaded = [record.found.name for record in records if record.status == "loaded"]
    if loaded:
        yield DoctorLine("ok", "plugins", ", ".join(loaded))
    else:
        yield DoctorLine(
            "error",
            "plugins",
            "none is loaded",
            "see why: tl plugins"
            if records
            else 'install ours: pip install "turnloop-core[standard]"',
        )
    for record in records:
        if record.status in ("failed", "incompatible"):
            reason = f"{record.found.name} {record.status}: {record.reason}"
            yield DoctorLine("error", "plugins", reason, "see: tl plugins --verbose")
        for problem in record.problems:
            yield DoctorLine("error", "plugins", f"{record.found.name}: {problem}")


def _settings(environment: Environment) -> Iterator[DoctorLine]:
    loaded = environment.loaded
    marker = f" ({loaded.root.marker})" if loaded.root.marker else ""
    trusted = "trusted" if loaded.trusted else "not trusted"
    yield DoctorLine("ok", "project", f"{loaded.root.path}{marker}, {trusted}")
    files = [layer.source for layer in loaded.layers if layer.name in _FILES]
    yield DoctorLine("ok", "settings", ", ".join(files) if files else "no settings file")
    unheard = (*loaded.ignored, *environment.secrets.ignored)
    for number, ignored in enumerate(unheard, 1):
        hint = "to let them count: tl trust" if number == len(unheard) else ""
        yield DoctorLine("warning", "settings", str(ignored), hint)
    for note in loaded.notes:
        yield DoctorLine("warning", "settings", str(note))


def _providers(environment: Environment) -> Iterator[DoctorLine]:
    """Every provider that can be named, and whether its key is there; never a key itself."""
    loaded, secrets = environment.loaded, environment.secrets
    told = set()
    for name, entry in sorted(loaded.settings.providers.items()):
        variable = str(entry.get(KEY_NAME) or "")
        told.add(variable)
        chosen = name == loaded.settings.provider
        address = without_user(str(entry.get("base_url") or "")) if chosen else ""
        text = (
            name + (", the one in use" if chosen else "") + (f", at {address}" if address else "")
        )
        yield _provider(text, chosen, variable, secrets.origin(variable) if variable else "")
    for variable in secrets.names:
        if variable not in told:
            yield DoctorLine("ok", "key", f"{variable}: {secrets.origin(variable) or 'not set'}")
    for problem in secrets.problems:
        yield DoctorLine("warning", "keys", problem)


def _provider(text: str, chosen: bool, variable: str, origin: str) -> DoctorLine:
    if not variable:
        return DoctorLine("ok", "provider", f"{text}: needs no key")
    if origin:
        return DoctorLine("ok", "provider", f"{text}: {variable} from {origin}")
    if chosen:
        hint = f"set {variable} in the environment, or in .env of a trusted project"
        return DoctorLine("error", "provider", f"{text}: {variable} is not set", hint)
    return DoctorLine("ok", "provider", f"{text}: {variable} is not set")


def _session(options: SessionOptions, environment: Environment) -> Iterator[DoctorLine]:
    """Open a session as a run would, and look at what it got. Without a prompt it leaves no log."""
    import anyio

    async def look() -> list[DoctorLine]:
        from turnloop_core.app import open_session
        from turnloop_core.frontend.headless import Nobody

        async with open_session(options, approver=Nobody(), environment=environment) as session:
            return list(_about(session))

    try:
        yield from anyio.run(look)
    except TurnloopError as error:
        yield DoctorLine("error", "session", str(error), error.hint)


def _about(session: Session) -> Iterator[DoctorLine]:
    capabilities = session.parts.model.capabilities
    yield DoctorLine("ok", "model", f"{session.model} of {session.provider_name}")
    if not capabilities.known:
        yield DoctorLine(
            "warning",
            "model",
            f"nothing is known about {session.model}: careful defaults hold",
            f"declare what it can do in providers.{session.provider_name}.caps",
        )
    yield DoctorLine("ok", "sessions", str(session.log_path.parent))
    yield context_line(session)


def context_line(session: Session) -> DoctorLine:
    """What is left for the history, as the sum that it is."""
    budget = session.budget()
    text = (
        f"{budget.window:,} window - {budget.reserved_output:,} output - {budget.system:,} system "
        f"- {budget.tools:,} tools = {budget.history:,} for history"
    )
    if budget.history > 0:
        return DoctorLine("ok", "context", text)
    return DoctorLine("error", "context", text, "choose a model with a larger window")


def _checks_of_plugins(environment: Environment) -> Iterator[DoctorLine]:
    from turnloop_core.building import Builder
    from turnloop_core.loop.hooks import Emitter
    from turnloop_core.transport.client import Transport

    registry = environment.plugins.registries.doctor_checks
    builder = Builder(environment, Transport(), Emitter(()))
    for entry in registry:
        try:
            lines = list(builder.make(registry, entry))
        except TurnloopError as error:
            yield DoctorLine("error", entry.name, str(error), error.hint)
        except Exception as error:  # noqa: BLE001 - a generator of a plugin raises only now
            yield DoctorLine("error", entry.name, f"{type(error).__name__}: {error}")
        else:
            yield from lines
