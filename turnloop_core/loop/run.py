"""A run: the attempts that answer one prompt."""

from __future__ import annotations

import random
from collections import deque
from itertools import takewhile

import anyio

from turnloop_core.errors import (
    EXIT_DONE,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_LIMIT,
    EXIT_REFUSED,
    StreamCutError,
    TurnloopError,
)
from turnloop_core.log.records import EndRecord, NudgeRecord, PromptRecord
from turnloop_core.loop.judging import ask_all
from turnloop_core.loop.parts import Parts
from turnloop_core.loop.pressure import prompt_overflow
from turnloop_core.loop.turn import Attempted, attempt
from turnloop_core.ports.judge import Done, Halt, Judgement, Nudge, PastAttempt, RunSoFar
from turnloop_core.types.content import PromptBlock, Text
from turnloop_core.types.events import (
    AttemptEnd,
    Notice,
    Nudged,
    Prompted,
    RunEnd,
    RunEnded,
    RunStarted,
    WaitEnded,
    WaitStarted,
)
from turnloop_core.types.facts import Fact
from turnloop_core.types.usage import Usage
from turnloop_core.values import dataclass

LONGEST_WAIT_S = 180.0  # that a server may ask for when it ends a reply
CUT_STREAM_WAIT_S = 0.5  # before asking again; doubles with each cut in a row


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run ended.

    Attributes:
        end: the kind of end.
        reason: one line.
        attempts: how many were made.
        usage: tokens of all of them, summaries included.
        refused: calls that were refused for want of consent.
        text: the visible text of the last turn, with the parts that the output limit cut off it.
        error: what ended it, if an error did.
    """

    end: RunEnd
    reason: str
    attempts: int
    usage: Usage
    refused: int = 0
    text: str = ""
    error: TurnloopError | None = None

    @property
    def exit_code(self) -> int:
        """The exit status of a program that made only this run."""
        match self.end:
            case RunEnd.DONE:
                return EXIT_REFUSED if self.refused else EXIT_DONE
            case RunEnd.LIMIT:
                return EXIT_LIMIT
            case RunEnd.INTERRUPTED:
                return EXIT_INTERRUPTED
        return self.error.exit_code if self.error is not None else EXIT_FAILED


@dataclass(frozen=True, slots=True)
class Said:
    """A prompt, ready to be logged.

    Attributes:
        text: the user's words.
        context: what the harness adds at the end.
        attachments: inlined files and pictures.
        facts: what attaching them did.
    """

    text: str
    context: str = ""
    attachments: tuple[PromptBlock, ...] = ()
    facts: tuple[Fact, ...] = ()


class Run:
    """Answers one prompt.

    Args:
        parts: what it works with; `parts.tally` starts at zero.
        steering: what the user says meanwhile; taken between two turns.
    """

    def __init__(self, parts: Parts, steering: deque[Said]) -> None:
        self._parts = parts
        self._steering = steering
        self._judged: list[PastAttempt] = []
        self._nudges: list[str] = []
        self._text = ""
        self._cut = False
        self._prompt = ""

    async def answer(self, said: Said) -> RunOutcome:
        """Log the prompt and work until it is answered, or something ends it.

        Raises:
            LogError: the log cannot be written.
        """
        parts = self._parts
        self._prompt = said.text
        parts.emit(
            RunStarted(parts.session, said.text, parts.model.provider.name, parts.model.name)
        )
        try:
            refused = await self._log_prompt(said)
            if refused is not None:
                return self.end(RunEnd.FAILED, str(refused), refused)
            while True:
                outcome = await self._step()
                if outcome is not None:
                    return outcome
        except anyio.get_cancelled_exc_class():
            self.end(RunEnd.INTERRUPTED, "interrupted")
            raise

    async def _step(self) -> RunOutcome | None:
        """One attempt and what follows from it; the outcome when it was the last."""
        parts = self._parts
        parts.tally.attempts += 1
        attempted = await attempt(parts, parts.tally.attempts)
        self._judged.append(
            PastAttempt(parts.tally.attempts, attempted.end, attempted.turn, attempted.reason)
        )
        if attempted.turn is not None:
            self._text = f"{self._text if self._cut else ''}{attempted.turn.reply.text}"
            self._cut = attempted.turn.reply.cut
        if attempted.error is not None:
            return self.end(RunEnd.FAILED, attempted.reason, attempted.error)
        if self._steering and attempted.turn is not None and attempted.turn.reply.calls:
            await self._steer()
            return self._capped()
        judgement, name = await self._judge()
        match judgement:
            case Halt(reason) if attempted.cut is not None:  # no fault of the model's
                hint = "try again later, or use another provider"
                error = StreamCutError(reason, cause=attempted.cut.cause, hint=hint)
                return self.end(RunEnd.FAILED, reason, error)
            case Halt(reason):
                return self.end(RunEnd.HALTED, reason)
            case Done():
                return self.end(RunEnd.DONE, "")
            case Nudge(text):
                self._nudge(text, name)
        capped = self._capped()
        if capped is None:
            await self._pause(attempted)
        return capped

    async def _steer(self) -> None:
        """Between two turns, what the user said joins the run and the judges start afresh."""
        while self._steering:
            said = self._steering.popleft()
            self._prompt = said.text
            refused = await self._log_prompt(said, steering=True)
            if refused is not None:
                self._parts.emit(Notice("error", str(refused), refused.hint))
        self._judged.clear()
        self._nudges.clear()

    async def _log_prompt(self, said: Said, *, steering: bool = False) -> TurnloopError | None:
        """Put a prompt on record; why it cannot be, None when it was."""
        parts = self._parts
        if too_long := prompt_overflow(parts, said.text):
            # Once on record it would stay in every later request, and none of them would fit.
            return too_long
        intervention = await parts.interceptors.before_prompt(said.text)
        if intervention.deny:
            return TurnloopError(f"the prompt was refused: {intervention.deny}")
        added = (Text(intervention.add_text),) if intervention.add_text else ()
        attachments = (*said.attachments, *added)
        parts.log.append(PromptRecord(said.text, attachments, said.context, steering, said.facts))
        parts.emit(Prompted(said.text, steering))
        return None

    async def _judge(self) -> tuple[Judgement, str]:
        parts = self._parts
        run = RunSoFar(
            tuple(self._judged),
            parts.log.view,
            parts.gate.interactive,
            parts.cap,
            self._prompt,
            parts.gate.mode,
        )
        judgement, name, problems = await ask_all(parts.judges, run, parts.bench, self._nudges)
        for problem in problems:
            parts.emit(Notice("warning", problem))
        if not isinstance(judgement, Done):
            return judgement, name
        nudge = await parts.interceptors.on_stop("the model says that it is done")
        if not nudge:
            return judgement, name
        if nudge in self._nudges:
            return Halt(f"no progress after this was said: {nudge}"), "interceptor"
        return Nudge(nudge), "interceptor"

    def _nudge(self, text: str, origin: str) -> None:
        self._nudges.append(text)
        self._parts.log.append(NudgeRecord(text, origin))
        self._parts.emit(Nudged(text, origin))

    def _capped(self) -> RunOutcome | None:
        """The end of a run that has had all its attempts; the model is told why, in the log."""
        cap = self._parts.cap
        if self._parts.tally.attempts < cap:
            return None
        self._nudge(
            f"The harness stopped here: a prompt has {cap} attempts, and they are used up. "
            "The work may be unfinished. When the user goes on, start from the results above; "
            "do not begin again.",
            "cap",
        )
        number = "the one attempt" if cap == 1 else f"all {cap} attempts"
        return self.end(RunEnd.LIMIT, f"{number} of this prompt used up")

    async def _pause(self, attempted: Attempted) -> None:
        """After a cut stream, give the line a moment before asking again."""
        if attempted.end is not AttemptEnd.CUT_STREAM:
            return
        was_cut = (a.end is AttemptEnd.CUT_STREAM for a in reversed(self._judged))
        cuts = sum(takewhile(bool, was_cut))
        asked = attempted.cut.retry_after if attempted.cut is not None else None
        seconds = max(CUT_STREAM_WAIT_S * 2 ** (cuts - 1), min(asked or 0.0, LONGEST_WAIT_S))
        # Those whom one restart of a server cut off must not all come back in the same instant.
        seconds *= 1 + random.random() / 4  # noqa: S311
        self._parts.emit(WaitStarted("retry", seconds, attempted.reason, cuts))
        try:
            with self._parts.ledger.state("retry_wait"):
                await self._parts.sleep(seconds)
        finally:  # also when the user has waited long enough
            self._parts.emit(WaitEnded("retry"))

    def end(self, end: RunEnd, reason: str, error: TurnloopError | None = None) -> RunOutcome:
        """Put the end of the run on record."""
        outcome = self._outcome(end, reason, error)
        self._parts.log.append(
            EndRecord(end, reason, outcome.attempts, outcome.usage, outcome.refused)
        )
        self._parts.emit(RunEnded(end, reason, outcome.attempts, outcome.usage, outcome.refused))
        return outcome

    def interrupted(self) -> RunOutcome:
        """The outcome of a run that was cancelled."""
        return self._outcome(RunEnd.INTERRUPTED, "interrupted")

    def _outcome(self, end: RunEnd, reason: str, error: TurnloopError | None = None) -> RunOutcome:
        tally = self._parts.tally
        return RunOutcome(
            end, reason, tally.attempts, tally.total, tally.refused, self._text, error
        )
