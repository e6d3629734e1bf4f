"""One prompt, and out: `tl -p PROMPT`, as text or as events."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from turnloop_core.errors import EXIT_INTERRUPTED, EXIT_LIMIT, EXIT_REFUSED, TurnloopError
from turnloop_core.frontend.complain import say
from turnloop_core.frontend.console import Output, wants_colour
from turnloop_core.frontend.interrupts import Interrupts
from turnloop_core.frontend.jsonl import encode, encode_event
from turnloop_core.frontend.textview import TextView
from turnloop_core.ports.approver import PermissionAnswer, PermissionQuestion, UserQuestion
from turnloop_core.types.events import Event, Notice, RunEnd, RunEnded

if TYPE_CHECKING:
    from turnloop_core.app import RunOutcome, Session, SessionOptions


class Nobody:
    """The approver of a run that nobody watches: nothing is asked, nothing is consented to."""

    interactive = False

    async def permission(self, question: PermissionQuestion) -> PermissionAnswer:
        return PermissionAnswer(allow=False)

    async def answer(self, question: UserQuestion) -> str | None:
        return None


class View(Protocol):
    """How a headless run is shown."""

    def on_event(self, event: Event) -> None: ...

    def opened(self, session: Session) -> None:
        """The session is there; events may have come before."""
        ...

    def closed(self, outcome: RunOutcome | None) -> None:
        """Nothing more will come; None when there was no run."""
        ...


class PlainView:
    """Text on standard output, everything else on standard error."""

    def __init__(self, answer: Output, notes: Output) -> None:
        self._text = TextView(answer, notes)
        self.on_event = self._text.on_event

    def opened(self, session: Session) -> None:
        return

    def closed(self, outcome: RunOutcome | None) -> None:
        return


class JsonView:
    """Events as lines of JSON. The first is `session`, the last `run_ended`."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._early: list[str] | None = []

    def on_event(self, event: Event) -> None:
        if isinstance(event, RunEnded):  # `closed` writes it, with the outcome
            return
        line = encode_event(event)
        if self._early is None:
            self._out.write(line)
        else:
            self._early.append(line)

    def opened(self, session: Session) -> None:
        self._out.write(session_line(session))
        self._flush()

    def closed(self, outcome: RunOutcome | None) -> None:
        self._flush()
        if outcome is not None:
            self._out.write(last_line(outcome))

    def _flush(self) -> None:
        for line in self._early or ():
            self._out.write(line)
        self._early = None


def session_line(session: Session) -> str:
    """The first line: who works where, and where the record is."""
    from turnloop_core import __version__

    return encode(
        "session",
        id=session.id,
        log=str(session.log_path),
        cwd=str(session.environment.scope.cwd),
        provider=session.provider_name,
        model=session.model,
        permission_mode=str(session.mode),
        version=__version__,
    )


def last_line(outcome: RunOutcome) -> str:
    """The last line: the `run_ended` event, with the answer, the exit status and the error."""
    error = outcome.error
    return encode_event(
        RunEnded(outcome.end, outcome.reason, outcome.attempts, outcome.usage, outcome.refused),
        exit_code=outcome.exit_code,
        text=outcome.text,
        error=None if error is None else type(error).__name__,
        message="" if error is None else str(error),
        hint="" if error is None else error.hint,
    )


def run_headless(
    options: SessionOptions, prompt: str, *, json: bool = False, notices: tuple[Notice, ...] = ()
) -> int:
    """Run one prompt and show it.

    Args:
        options: what the session is to be.
        prompt: what to do.
        json: events as lines of JSON instead of text.
        notices: what the user should know first.

    Returns:
        The exit status of the run.

    Raises:
        TurnloopError: there was no session to run in.
    """
    import anyio

    out = Output(sys.stdout)
    notes = Output(sys.stderr, colour=wants_colour(sys.stderr, os.environ))
    view: View = JsonView(out) if json else PlainView(out, notes)
    for notice in notices:
        view.on_event(notice)
    # Standard output holds the answer, or events, and nothing that a plugin prints.
    with contextlib.redirect_stdout(sys.stderr):
        return anyio.run(_run, options, prompt, view, out)


async def _run(options: SessionOptions, prompt: str, view: View, out: Output) -> int:
    import anyio

    interrupts = Interrupts()
    outcome: RunOutcome | None = None
    with interrupts.listening(), anyio.CancelScope() as everything:
        interrupts.on_first = interrupts.on_second = everything.cancel
        try:
            outcome = await _work(options, prompt, view, interrupts, out)
        finally:
            view.closed(outcome)
    if outcome is None:  # stopped before there was a run, or a second time
        say("interrupted")
        return EXIT_INTERRUPTED
    return _status(outcome, out)


async def _work(
    options: SessionOptions, prompt: str, view: View, interrupts: Interrupts, out: Output
) -> RunOutcome:
    from turnloop_core.app import open_session

    watch = _watching(view.on_event, out, interrupts)
    async with open_session(options, approver=Nobody(), subscribers=(watch,)) as session:
        view.opened(session)

        def stop() -> None:
            out.key_hit()
            session.interrupt()

        interrupts.on_first = stop
        settle_memory()
        for notice in unknown_switches(options, session):
            view.on_event(notice)
        outcome = await session.run(prompt)
        for note in session.exit_notes():
            view.on_event(Notice("info", note))
        return outcome


def _watching(
    show: Callable[[Event], None], out: Output, interrupts: Interrupts
) -> Callable[[Event], None]:
    """Show events, and stop the run when nobody reads them any more."""

    def watch(event: Event) -> None:
        show(event)
        if out.gone or out.failure is not None:
            interrupts.stop()

    return watch


def settle_memory() -> None:
    """Start collecting garbage, without ever looking at what start-up made: that stays."""
    import gc

    gc.freeze()
    gc.enable()


def unknown_switches(options: SessionOptions, session: Session) -> list[Notice]:
    """A warning for each `-x NAME` that no plugin has: a switch that switches nothing."""
    known = {record.found.name for record in session.environment.plugins.records}
    return [
        Notice("warning", f"-x {name}: no plugin is called that", "see: tl plugins")
        for name in options.disabled_plugins
        if name not in known
    ]


def _status(outcome: RunOutcome, out: Output) -> int:
    if outcome.error is not None:
        say(str(outcome.error), outcome.error.hint)
    elif outcome.exit_code == EXIT_REFUSED:
        calls = "1 call was" if outcome.refused == 1 else f"{outcome.refused} calls were"
        say(
            f"{calls} refused for want of consent: in a headless run nobody is asked",
            "rules that would allow them stand above: give one with --allow, or in settings",
        )
    elif outcome.exit_code == EXIT_LIMIT:
        say("the work is not finished", 'go on: tl --resume -p "go on", or allow more attempts')
    elif outcome.end is RunEnd.FAILED:
        say(outcome.reason)
    if out.failure is not None:
        raise TurnloopError(
            f"the answer could not be written: {out.failure.strerror}",
            hint="the session's log has it: tl sessions",
        )
    return outcome.exit_code
