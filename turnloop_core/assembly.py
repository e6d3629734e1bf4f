"""What a session works with, put together from what was built."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import anyio

from turnloop_core.building import Builder
from turnloop_core.context import SectionContext
from turnloop_core.environment import Environment
from turnloop_core.log.estimate import Estimator
from turnloop_core.log.writer import LogWriter
from turnloop_core.loop.approver_queue import ApproverQueue
from turnloop_core.loop.gate import Gate
from turnloop_core.loop.hooks import Emitter, Interceptors
from turnloop_core.loop.judge_context import Bench
from turnloop_core.loop.judging import CompletionJudge, RecoveryJudge
from turnloop_core.loop.ledger import Ledger
from turnloop_core.loop.parts import Model, Parts, Tally, Toolbox
from turnloop_core.loop.reading import Reading
from turnloop_core.loop.running_call import RunningCall
from turnloop_core.loop.touching import Touching
from turnloop_core.permissions.paths import path_subject
from turnloop_core.ports.approver import Approver
from turnloop_core.ports.tool import CallContext
from turnloop_core.prompt.instructions import find_instructions
from turnloop_core.prompt.render import core_sections, render_system
from turnloop_core.remembered import WarmUp
from turnloop_core.types.content import Call
from turnloop_core.types.events import CallProgress, Event, Notice
from turnloop_core.types.subjects import READING, Decision, Subject, SubjectKind, Verdict
from turnloop_core.worktree.watch import Worktree


def parts_of(
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
        save_rules=partial(_save_rules, env),
        mask=mask,
    )

    worktree = Worktree(env.scope.root, home=env.scope.home, notify=partial(_not_watched, emit))

    def emit_masked(event: Event) -> None:
        if isinstance(event, CallProgress):
            event = replace(event, text=mask(event.text))
        emit(event)

    def context_of(
        call: Call, subjects: tuple[Subject, ...], consented: Decision | None
    ) -> CallContext:
        offered, _ = tools.find(call.name)
        read_only = offered is not None and offered.entry.read_only
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
            may_touch=Touching(gate, call.name, consented, read_only=read_only).may,
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
        thinking_cap=env.loaded.settings.thinking_cap,
        repetition_limit=env.loaded.settings.repetition_limit,
        context_of=context_of,
        mask=mask,
        sleep=anyio.sleep,
        clock=time.monotonic,
        tally=Tally(),
        warm_up=WarmUp(tools),
        bench=Bench(env.scope, session, environment, gate, ledger, log, emit),
    )


def _save_rules(env: Environment, rules: Sequence[str], layer: str) -> str:
    """Keep allow rules for later sessions. See `turnloop_core.saved_rules`."""
    from turnloop_core.saved_rules import save_rules

    return save_rules(env, rules, layer)


def system_of(
    env: Environment, model: Model, gate: Gate, emit: Emitter
) -> Callable[[tuple[str, ...]], str]:
    """Renders the system prompt for the tools that are offered."""
    scope = env.scope

    def denied(path: str) -> str:
        subject = path_subject(path, scope, SubjectKind.READ)
        decision = gate.decide("Read", (subject,), read_only=True)
        return decision.reason if decision.verdict is Verdict.DENY else ""

    instructions = find_instructions(scope.root, scope.cwd, scope.home, denied)
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


def _not_watched(emit: Emitter, why: str) -> None:
    emit(Notice("info", f"which files commands change is not looked at any more: {why}"))
