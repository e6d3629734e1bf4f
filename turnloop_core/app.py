"""The composition root: settings and registries to a session that is ready.

Everything that opens is entered in one exit stack and closed in reverse, with a bound.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import anyio

from turnloop_core import __version__
from turnloop_core.building import Builder, in_order, warn_of_rules
from turnloop_core.context import SectionContext
from turnloop_core.environment import Environment, SessionOptions, load_environment
from turnloop_core.errors import TurnloopError, UnknownNameError, UsageError
from turnloop_core.log.estimate import Estimator
from turnloop_core.log.records import SessionRecord
from turnloop_core.log.writer import LogWriter
from turnloop_core.loop.gate import ApproverQueue, Gate
from turnloop_core.loop.hooks import Emitter, Interceptors
from turnloop_core.loop.judge_context import Bench
from turnloop_core.loop.judging import CompletionJudge, RecoveryJudge
from turnloop_core.loop.ledger import Ledger
from turnloop_core.loop.parts import Model, Parts, Tally, Toolbox
from turnloop_core.loop.reading import Reading
from turnloop_core.loop.run import RunOutcome
from turnloop_core.loop.running_call import RunningCall
from turnloop_core.ports.approver import Approver
from turnloop_core.ports.tool import CallContext
from turnloop_core.prompt.instructions import find_instructions
from turnloop_core.prompt.render import core_sections, render_system
from turnloop_core.remembered import WarmUp
from turnloop_core.schemas import verbosity
from turnloop_core.session import Session
from turnloop_core.sources import open_sources, unique
from turnloop_core.types.content import Call
from turnloop_core.types.events import CallProgress, Event, Notice
from turnloop_core.types.subjects import READING, Subject
from turnloop_core.worktree.watch import Worktree

if TYPE_CHECKING:
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
        parts = _parts(builder, model, tools, log=log, approver=approver)
        warn_of_rules(parts.gate.engine.rules, tools, emit)
        for observer in builder.make_all(env.plugins.registries.observers, needed=False):
            emit.observe(observer)
        yield Session(
            env,
            parts,
            verbosity=verbosity((wordiness, env.loaded.settings.tool_verbosity), model),
            system=_system(env, model, emit),
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
    ignored = (*env.loaded.ignored, *env.secrets.ignored)
    if ignored:
        keys = ", ".join(dict.fromkeys(item.key for item in ignored))
        text = f"this folder is not trusted, so these settings of it do not count: {keys}"
        emit(Notice("warning", text, "see why: tl config; trust it: tl trust"))
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
    thinking = options.thinking or settings.thinking
    model = Model(provider, name, capabilities, capabilities.max_output, thinking)
    return model, options.tool_verbosity


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


def _parts(
    builder: Builder, model: Model, tools: Toolbox, *, log: LogWriter, approver: Approver
) -> Parts:
    env, session, emit = builder.environment, builder.session, builder.emit
    registries = env.plugins.registries
    ledger = Ledger(time.monotonic)
    data_dir = log.path.with_suffix("")
    environment = env.secrets.child_environment()
    mask = env.secrets.mask
    gate = Gate(
        builder.engine(data_dir),
        approver if isinstance(approver, ApproverQueue) else ApproverQueue(approver),
        session=session,
        log=log,
        emit=emit,
        ledger=ledger,
        save_rule=lambda rule: _save_rule(env, rule, emit),
    )

    worktree = Worktree(env.scope.root, home=env.scope.home, notify=partial(_not_watched, emit))

    def emit_masked(event: Event) -> None:
        if isinstance(event, CallProgress):
            event = replace(event, text=mask(event.text))
        emit(event)

    def context_of(call: Call, subjects: tuple[Subject, ...]) -> CallContext:
        return RunningCall(
            scope=env.scope,
            call_id=call.id,
            mode=gate.mode,
            subjects=subjects,
            environment=environment,
            vision=model.capabilities.supports_vision,
            provider=model.provider.name,
            data_dir=data_dir,
            session=session,
            model=model.name,
            gate=gate,
            emit_event=emit_masked,
            known_facts=lambda: log.view.facts,
            watch=worktree.call(writes=any(s.kind not in READING for s in subjects)),
            may_read=Reading(gate, call.name, subjects).may,
        )

    judges: list[Any] = builder.make_all(registries.judges, needed=False)
    return Parts(
        session=session,
        model=model,
        log=log,
        emit=emit,
        ledger=ledger,
        tools=tools,
        gate=gate,
        interceptors=Interceptors(builder.make_all(registries.interceptors, needed=True), emit),
        judges=(CompletionJudge(), RecoveryJudge(model.max_output), *judges),
        compactor=builder.compactor(),
        estimator=Estimator(),
        cap=env.loaded.settings.max_iterations,
        context_of=context_of,
        mask=mask,
        sleep=anyio.sleep,
        clock=time.monotonic,
        tally=Tally(),
        warm_up=WarmUp(tools),
        bench=Bench(env.scope, session, environment, gate, ledger, log, emit),
    )


def _not_watched(emit: Emitter, why: str) -> None:
    emit(Notice("info", f"which files commands change is not looked at any more: {why}"))


def _save_rule(env: Environment, rule: str, emit: Emitter) -> None:
    """Keep a rule in the user's own file for this project, if the project's files count at all."""
    from turnloop_core.config.edit import append_value, save_value

    target = env.scope.root / ".turnloop" / "settings.local.json"
    if not env.loaded.trusted:
        text = f"{rule} holds for this session only: rules of an untrusted folder are ignored"
        emit(Notice("warning", text, "trust it first: tl trust"))
        return
    allow = env.loaded.settings.permissions.allow
    own = any(
        layer.name == "local" and "allow" in layer.data.get("permissions", {})
        for layer in env.loaded.layers
    )
    try:
        if own:
            append_value(target, "permissions.allow", rule)
        else:  # a list replaces those of weaker layers, so what held until now is carried along
            save_value(target, "permissions.allow", [*allow, rule])
    except (TurnloopError, OSError) as error:
        emit(Notice("warning", f"{rule} holds for this session only: {error}"))


def _system(env: Environment, model: Model, emit: Emitter) -> Callable[[tuple[str, ...]], str]:
    """Renders the system prompt for the tools that are offered."""
    scope = env.scope
    instructions = find_instructions(scope.root, scope.cwd, scope.home)
    for file in instructions:
        if file.problem:
            emit(Notice("warning", f"{file.label}: {file.problem}"))
    sections = (*core_sections(), *env.plugins.registries.prompt_sections)
    variant = env.loaded.settings.system_variant

    @cache  # rendered once, so that no section can change what was sent before
    def render(tools: tuple[str, ...]) -> str:
        context = SectionContext(scope, variant, tools, model.name)
        return render_system(sections, context, instructions)

    return render


async def _bounded(close: Callable[[], Any]) -> None:
    """Close something, within a bound and whatever it raises: the rest must close too."""
    with anyio.move_on_after(CLOSE_WITHIN_S, shield=True), suppress(Exception):
        await close()
