"""A session: what a front end talks to."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path

import anyio

from turnloop_core.environment import Environment
from turnloop_core.errors import LogError, TurnloopError, UsageError
from turnloop_core.log.budget import make_budget
from turnloop_core.log.records import EndRecord, PrefixRecord
from turnloop_core.loop.parts import Parts, Tally
from turnloop_core.loop.run import Run, RunOutcome, Said
from turnloop_core.ports.compactor import Budget
from turnloop_core.ports.tool import Verbosity
from turnloop_core.prompt.context import render_context
from turnloop_core.schemas import schemas
from turnloop_core.types.content import PromptBlock
from turnloop_core.types.events import Event, RunEnd, RunEnded
from turnloop_core.types.subjects import PermissionMode
from turnloop_core.types.view import Prefix, View


class Session:
    """One conversation.

    Attributes:
        environment: plugins, settings, keys.
        verbosity: how much the model is told about tools.
    """

    def __init__(
        self,
        environment: Environment,
        parts: Parts,
        *,
        verbosity: Verbosity,
        system: Callable[[tuple[str, ...]], str],
    ) -> None:
        self.environment = environment
        self.verbosity = verbosity
        self._parts = parts
        self._system = system
        self._steering: deque[Said] = deque()
        self._scope: anyio.CancelScope | None = None

    @property
    def id(self) -> str:
        return self._parts.session

    @property
    def log_path(self) -> Path:
        return self._parts.log.path

    @property
    def provider_name(self) -> str:
        return self._parts.model.provider.name

    @property
    def model(self) -> str:
        return self._parts.model.name

    @property
    def parts(self) -> Parts:
        """What its runs work with; for front ends that show budgets, and for tests."""
        return self._parts

    @property
    def view(self) -> View:
        """What the model is shown now."""
        return self._parts.log.view

    @property
    def prefix(self) -> Prefix:
        """System prompt and tools as the next prompt would have them."""
        tools = schemas(self._parts.tools, self.verbosity, self.mode)
        return Prefix(self._system(tuple(tool.name for tool in tools)), tools)

    def budget(self) -> Budget:
        """The window as the next prompt would find it."""
        model = self._parts.model
        view = replace(self.view, prefix=self.prefix)
        return make_budget(view, model.capabilities, self._parts.estimator, model.max_output)

    @property
    def mode(self) -> PermissionMode:
        return self._parts.gate.mode

    @mode.setter
    def mode(self, mode: PermissionMode) -> None:
        """Takes effect at once for calls, and for the tools offered at the next prompt."""
        self._parts.gate.mode = mode

    @property
    def queued(self) -> tuple[str, ...]:
        """What was said while the agent worked and is not taken up yet."""
        return tuple(said.text for said in self._steering)

    def steer(self, text: str, attachments: tuple[PromptBlock, ...] = ()) -> None:
        """Say something while the agent works: it joins the run between two turns, or starts a
        new one when the run is over.
        """
        if text.strip() or attachments:
            self._steering.append(self._said(text, attachments))

    def interrupt(self) -> None:
        """Stop the run that is going on; does nothing when there is none."""
        if self._scope is not None:
            self._scope.cancel()

    def subscribe(self, subscriber: Callable[[Event], None]) -> None:
        """See the events from now on."""
        self._parts.emit.subscribe(subscriber)

    def exit_notes(self) -> tuple[str, ...]:
        """What observers want the user to read at the end."""
        notes = []
        for observer in self._parts.emit.observers:
            with suppress(Exception):  # a note is not worth a failed exit
                notes.append(observer.exit_note())
        return tuple(note for note in notes if note)

    async def run(self, prompt: str, attachments: tuple[PromptBlock, ...] = ()) -> RunOutcome:
        """Answer a prompt, and then what was said meanwhile and not taken up by the run.

        An error that ends the run is in the outcome; only cancellation from outside is raised.

        Raises:
            UsageError: a run is going on; `steer` speaks to it.
        """
        if self._scope is not None:
            raise UsageError("a run is going on in this session", hint="steer it, or wait")
        outcome = await self._run(self._said(prompt, attachments))
        while self._steering and outcome.end is RunEnd.DONE:
            outcome = await self._run(self._steering.popleft())
        return outcome

    async def _run(self, said: Said) -> RunOutcome:
        parts = replace(self._parts, tally=Tally())
        run = Run(parts, self._steering)
        parts.ledger.take()  # what passed between the runs is nobody's
        try:
            with anyio.CancelScope() as self._scope:
                self._set_prefix()
                return await run.answer(said)
        except TurnloopError as error:
            return self._failed(parts, error)
        finally:
            self._scope = None
            with suppress(LogError):  # said already where it matters: at the append that failed
                parts.log.sync()
        return run.interrupted()

    def _failed(self, parts: Parts, error: TurnloopError) -> RunOutcome:
        """An error that left the run: the log cannot be written, the prefix cannot be made."""
        logged = not isinstance(error, LogError)
        reason = str(error) if logged else f"the session could not be recorded: {error}"
        tally = parts.tally
        if logged:
            with suppress(LogError):
                parts.log.append(EndRecord(RunEnd.FAILED, reason, tally.attempts, tally.total))
        parts.emit(RunEnded(RunEnd.FAILED, reason, tally.attempts, tally.total, tally.refused))
        return RunOutcome(
            RunEnd.FAILED, reason, tally.attempts, tally.total, tally.refused, error=error
        )

    def _said(self, text: str, attachments: tuple[PromptBlock, ...] = ()) -> Said:
        context = render_context(self.environment.scope, self.mode, date.today(), sys.platform)
        return Said(text, context, attachments)

    def _set_prefix(self) -> None:
        """Render the prefix, and put it on record if it is not what stands there."""
        parts, prefix = self._parts, self.prefix
        last = parts.log.fold.prefix_record
        wanted = PrefixRecord(
            prefix, "", self.provider_name, self.model, self.mode, parts.model.thinking
        )
        if last is not None and replace(last, reason="") == wanted:
            return
        reason = "start" if last is None else _difference(last, wanted)
        parts.log.append(replace(wanted, reason=reason))


def _difference(last: PrefixRecord, new: PrefixRecord) -> str:
    """What changed, in words."""
    changed = [
        name
        for name, differs in (
            ("provider", last.provider != new.provider),
            ("model", last.model != new.model),
            ("mode", last.mode != new.mode),
            ("thinking", last.thinking != new.thinking),
            ("system prompt", last.prefix.system != new.prefix.system),
            ("tools", last.prefix.tools != new.prefix.tools),
        )
        if differs
    ]
    return f"changed: {', '.join(changed)}"
