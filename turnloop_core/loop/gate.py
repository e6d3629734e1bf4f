"""The gate: the permission engine, and the question to the user where it cannot decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import anyio

from turnloop_core.errors import TurnloopError
from turnloop_core.log.records import QuestionRecord
from turnloop_core.log.writer import LogWriter
from turnloop_core.loop.hooks import Subscriber
from turnloop_core.loop.ledger import Ledger
from turnloop_core.permissions.engine import Engine
from turnloop_core.ports.approver import (
    Approver,
    PermissionAnswer,
    PermissionQuestion,
    UserQuestion,
)
from turnloop_core.types.events import Notice, QuestionAnswered, QuestionAsked
from turnloop_core.types.results import ErrorKind, Refusal
from turnloop_core.types.subjects import Decision, PermissionMode, Subject


class ApproverQueue:
    """One question at a time, whoever asks: a child's questions never race with its parent's."""

    def __init__(self, approver: Approver) -> None:
        self._approver = approver
        self._lock = anyio.Lock()

    @property
    def interactive(self) -> bool:
        return self._approver.interactive

    async def permission(self, question: PermissionQuestion) -> PermissionAnswer:
        async with self._lock:
            return await self._approver.permission(question)

    async def answer(self, question: UserQuestion) -> str | None:
        async with self._lock:
            return await self._approver.answer(question)


class Gate:
    """Decides, asks, and remembers what the user said.

    Args:
        engine: rules and mode.
        approver: who answers.
        save_rule: keeps a rule for later sessions.
        mask: text -> text without key values, for what is put on record and shown.

    Attributes:
        engine: rules and mode, with what the user added in this session.
        settling: held by a running call while it has something settled: calls that run side by
            side would ask about the same thing twice.
    """

    def __init__(
        self,
        engine: Engine,
        approver: Approver,
        *,
        session: str,
        log: LogWriter,
        emit: Subscriber,
        ledger: Ledger,
        save_rule: Callable[[str], None],
        mask: Callable[[str], str],
    ) -> None:
        self.engine = engine
        self._approver = approver
        self._session = session
        self._log = log
        self._emit = emit
        self._ledger = ledger
        self._save_rule = save_rule
        self._mask = mask
        self._asked = 0
        self.settling = anyio.Lock()

    @property
    def interactive(self) -> bool:
        """Somebody is there to answer."""
        return self._approver.interactive

    @property
    def mode(self) -> PermissionMode:
        return self.engine.mode

    @mode.setter
    def mode(self, mode: PermissionMode) -> None:
        self.engine = self.engine.with_mode(mode)

    def decide(self, tool: str, subjects: Sequence[Subject], *, read_only: bool) -> Decision:
        """What the engine says."""
        return self.engine.decide(tool, subjects, read_only=read_only)

    async def consent(
        self, tool: str, summary: str, decision: Decision, subjects: tuple[Subject, ...]
    ) -> Refusal | None:
        """Ask the user whether a call may run; None when it may."""
        refused = await self.question(tool, summary, decision, subjects)
        if refused is None:
            return None
        nobody = refused.kind is ErrorKind.NO_CONSENT
        return replace(
            refused,
            text=f"{tool} was not run: {refused.text}",
            display=f"not run: {refused.display}" if nobody else refused.display,
        )

    async def question(
        self, tool: str, summary: str, decision: Decision, subjects: tuple[Subject, ...]
    ) -> Refusal | None:
        """Ask the user about what a call would touch; None for yes, else clauses that say why."""
        summary = self._mask(summary)
        if not self._approver.interactive:
            self._log.append(QuestionRecord("permission", summary, "", outcome="nobody", tool=tool))
            return Refusal(
                ErrorKind.NO_CONSENT,
                f"it needs consent and nobody is there to give it ({decision.reason}). Do what "
                "can be done without it, or say what is needed.",
                _how_to_allow(self.engine.propose_rule(tool, decision)),
            )
        question = PermissionQuestion(
            self._next_id(),
            tool,
            summary,
            decision,
            self.engine.propose_rule(tool, decision),
            subjects,
            self._session,
        )
        self._emit(QuestionAsked(question.id, summary, decision))
        try:
            with self._ledger.state("human"):
                answer = await self._approver.permission(question)
        except anyio.get_cancelled_exc_class():
            self._dismiss("permission", question.id, summary, tool)
            raise
        said = "yes" if answer.allow else "no"
        rule = answer.rule or question.proposed_rule
        remembered = rule if answer.allow and answer.remember != "once" else ""
        self._log.append(QuestionRecord("permission", summary, said, rule=remembered, tool=tool))
        self._emit(QuestionAnswered(question.id, said))
        if answer.allow:
            self._remember(answer, rule)
            return None
        comment = f' The user says: "{answer.comment}".' if answer.comment else ""
        return Refusal(
            ErrorKind.DECLINED,
            f"the user declined it.{comment} Do not try the same in another form: do something "
            "else, or ask what the user wants.",
            "declined",
        )

    def _remember(self, answer: PermissionAnswer, rule: str) -> None:
        if answer.remember == "once" or not rule:
            return
        try:
            self.engine = self.engine.with_rule("allow", rule)
        except TurnloopError as error:  # a front end may send what is no rule; the answer holds
            self._emit(Notice("warning", f"not remembered: {error}", error.hint))
            return
        if answer.remember == "always":
            self._save_rule(rule)

    async def ask(self, question: str, options: Sequence[str] = ()) -> str | None:
        """Ask the user in the model's name; None when nobody is there or nothing was said."""
        question = self._mask(question)
        if not self._approver.interactive:
            self._log.append(QuestionRecord("question", question, "", outcome="nobody"))
            return None
        asked = UserQuestion(self._next_id(), question, tuple(options), self._session)
        self._emit(QuestionAsked(asked.id, question, options=tuple(options)))
        try:
            with self._ledger.state("human"):
                answer = await self._approver.answer(asked)
        except anyio.get_cancelled_exc_class():
            self._dismiss("question", asked.id, question)
            raise
        outcome: Literal["answered", "dismissed"] = "dismissed" if answer is None else "answered"
        said = self._mask(answer or "")
        self._log.append(QuestionRecord("question", question, said, outcome=outcome))
        self._emit(QuestionAnswered(asked.id, said))
        return answer

    def _dismiss(
        self, what: Literal["permission", "question"], number: str, question: str, tool: str = ""
    ) -> None:
        """The run was interrupted while the question stood."""
        self._log.append(QuestionRecord(what, question, "", outcome="dismissed", tool=tool))
        self._emit(QuestionAnswered(number, ""))

    def _next_id(self) -> str:
        self._asked += 1
        return f"q{self._asked}"


def _how_to_allow(rule: str) -> str:
    """For the user: what would have let the call run."""
    told = "nobody was there to consent"
    return f"{told}; a rule that allows it: {rule}" if rule else told
