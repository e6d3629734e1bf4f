"""The composition root: settings and registries to a session that is ready.

Everything that opens is entered in one exit stack and closed in reverse, with a bound.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

import anyio

from turnloop_core import __version__
from turnloop_core.assembly import parts_of, system_of
from turnloop_core.building import Builder, in_order, warn_of_rules
from turnloop_core.environment import Environment, SessionOptions, load_environment, unheard
from turnloop_core.errors import UnknownNameError, UsageError
from turnloop_core.log.records import SessionRecord
from turnloop_core.log.writer import LogWriter
from turnloop_core.loop.hooks import Emitter
from turnloop_core.loop.parts import Model, Toolbox
from turnloop_core.loop.run import RunOutcome
from turnloop_core.ports.approver import Approver
from turnloop_core.schemas import verbosity
from turnloop_core.session import Session
from turnloop_core.sources import open_sources, unique
from turnloop_core.types.capabilities import Thinking
from turnloop_core.types.events import Event, Notice

if TYPE_CHECKING:
    from turnloop_core.config.loaded import Loaded
    from turnloop_core.transport.client import Transport

__all__ = [
    "Environment",
    "RunOutcome",
    "Session",
    "SessionOptions",
    "load_environment",
    "open_session",
]

CLOSE_WITHIN_S = 5.0  # for each thing that closes
MOST_WARNINGS = 3  # about the damage of one log; there may be thousands


@asynccontextmanager
async def open_session(
    options: SessionOptions,
    *,
    approver: Approver,
    subscribers: Sequence[Callable[[Event], None]] = (),
    environment: Environment | None = None,
    transport: Transport | None = None,
) -> AsyncIterator[Session]:
    """A session that is ready for prompts; leaving the context closes all that it opened.

    Args:
        options: what the user asked for.
        approver: answers questions; its `interactive` says whether anybody is there.
        subscribers: get every event, from the first notice on.
        environment: already loaded; None loads it from `options`.
        transport: of the process, so that sessions share its connections and limits; None makes
            one for this session.

    Raises:
        UsageError: settings, names or the working directory are wrong.
        SessionLockedError: another process writes to the session that is to be resumed.
        PluginError: a plugin that this session needs did not load.
        LogError: the log cannot be made.
    """
    env = environment or load_environment(options)
    async with AsyncExitStack() as stack:
        emit = Emitter(subscribers)
        if transport is None:
            transport = _transport()
            stack.push_async_callback(_bounded, transport.aclose)
        log = _log(env)
        stack.callback(log.close, discard_unused=True)
        session = log.fold.session.id if log.fold.session else log.path.stem
        builder = Builder(env, transport, emit, session)
        _warn(env, log, emit)
        model, wordiness = _model(builder)
        stack.push_async_callback(_bounded, model.provider.aclose)
        tools = await _tools(builder, stack)
        parts = parts_of(builder, model, tools, log=log, approver=approver)
        warn_of_rules(parts.gate.engine.rules, tools, emit)
        for observer in builder.make_all(env.plugins.registries.observers, needed=False):
            emit.observe(observer)
        yield Session(
            env,
            parts,
            verbosity=verbosity((wordiness, env.loaded.settings.tool_verbosity), model),
            system=system_of(env, model, parts.gate, emit),
        )


def _transport() -> Transport:
    from turnloop_core.transport.client import Transport

    return Transport()


def _warn(env: Environment, log: LogWriter, emit: Emitter) -> None:
    """Name what was ignored, damaged or did not load, once, before the first prompt."""
    for damage in log.damage[:MOST_WARNINGS]:
        emit(Notice("warning", f"{log.path}:{damage.line}: {damage.reason}; the rest is kept"))
    if (more := len(log.damage) - MOST_WARNINGS) > 0:
        emit(Notice("warning", f"{log.path} is damaged in {more:,} further places"))
    if (notice := unheard(env)) is not None:
        emit(notice)
    if log.fold.session is not None and log.fold.session.root != str(env.scope.root):
        text = f"this session began in {log.fold.session.root}; calls now act in {env.scope.cwd}"
        emit(Notice("warning", text, "to work there: tl --cwd FOLDER --resume ID"))
    for record in env.plugins.records:
        if record.status in ("failed", "incompatible"):
            emit(
                Notice(
                    "warning",
                    f"plugin {record.found.name} did not load: {record.reason}",
                    "run: tl plugins",
                )
            )


def _model(builder: Builder) -> tuple[Model, str]:
    """Who answers, and the verbosity that its entry in settings asks for."""
    loaded = builder.environment.loaded
    settings = loaded.settings
    if not settings.provider:
        raise UsageError(
            "no provider is configured",
            hint='choose one: tl --provider NAME, or "provider" in ~/.turnloop/settings.json'
            if any(True for _ in builder.environment.plugins.registries.providers)
            else "no plugin that is loaded offers any; see: tl plugins",
        )
    provider, options = builder.provider(settings.provider)
    name = _model_name(builder, provider.model)
    if not name:
        raise UsageError(
            f"provider {settings.provider} needs a model",
            hint=f"give --model, or set providers.{settings.provider}.model in settings.json",
        )
    capabilities = provider.capabilities(name)
    if not capabilities.known:
        text = (
            f"nothing is known of the model {name}: taking a window of "
            f"{capabilities.max_context:,} tokens, replies of {capabilities.max_output:,}, and no "
            "pictures"
        )
        hint = f"say what it can do: providers.{settings.provider}.caps in settings.json"
        builder.emit(Notice("warning", text, hint))
    thinking = _thinking(loaded, options.thinking)
    model = Model(provider, name, capabilities, capabilities.max_output, thinking)
    return model, options.tool_verbosity


def _thinking(loaded: Loaded, of_provider: str) -> Thinking:
    """What this start asks for, else what the provider's entry says, else the settings."""
    origin = loaded.origin("thinking")
    at_once = origin is not None and origin.layer in ("environment", "flag")
    return loaded.settings.thinking if at_once or not of_provider else cast("Thinking", of_provider)


def _model_name(builder: Builder, default: str) -> str:
    """The model that settings name, unless the provider was chosen by a later layer: then the name
    was meant for another provider.
    """
    loaded = builder.environment.loaded
    name = loaded.settings.model
    if not name:
        return default
    ranks = [layer.name for layer in loaded.layers]  # weakest first
    model_from, provider_from = loaded.origin("model"), loaded.origin("provider")
    if model_from is None or provider_from is None or not default:
        return name
    return default if ranks.index(model_from.layer) < ranks.index(provider_from.layer) else name


async def _tools(builder: Builder, stack: AsyncExitStack) -> Toolbox:
    env, emit = builder.environment, builder.emit
    offered = builder.tools()
    for item in offered:
        close = getattr(item.tool, "aclose", None)
        if close is not None:
            stack.push_async_callback(_bounded, close)
    sources = builder.make_all(env.plugins.registries.tool_sources, needed=False)
    sourced = await stack.enter_async_context(open_sources(sources, env.scope, emit))
    return in_order(unique(offered, sourced, emit))


def _log(env: Environment) -> LogWriter:
    options, root = env.options, env.scope.root
    if options.resume is None:
        session_id = env.store.new_id(time.time)
        record = SessionRecord(session_id, str(root), str(env.scope.cwd), __version__)
        return LogWriter.create(env.store.path_for(root, session_id), record)
    path = env.store.find(options.resume, root) if options.resume else env.store.latest(root)
    if path is None:
        raise UnknownNameError(
            "this project has no session to resume", hint="start one: tl -p PROMPT"
        )
    return LogWriter.open(path)


async def _bounded(close: Callable[[], Any]) -> None:
    """Close something, within a bound and whatever it raises: the rest must close too."""
    with anyio.move_on_after(CLOSE_WITHIN_S, shield=True), suppress(Exception):
        await close()
