"""The gate: the permission engine, and the question to the user where it cannot decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import anyio

from turnloop_core.errors import TurnloopError
from turnloop_core.log.records import QuestionRecord
from turnloop_core.log.writer import LogWriter
from turnloop_core.loop import denials
from turnloop_core.loop.consent import (
    ConsentNeeded,
    Said,
    asked_again,
    bounded_preview,
    masked,
    problem_with,
    proposed,
)
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
from turnloop_core.types.results import Refusal
from turnloop_core.types.subjects import Decision, PermissionMode, Subject, Verdict


class Gate:
    """Decides, asks, and remembers what the user said.

    Args:
        engine: rules and mode.
        approver: who answers.
        save_rules: (rules, layer) -> what the user is to be told; keeps rules for later sessions.
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
        save_rules: Callable[[Sequence[str], str], str],
        mask: Callable[[str], str],
    ) -> None:
        self.engine = engine
        self._approver = approver
        self._session = session
        self._log = log
        self._emit = emit
        self._ledger = ledger
        self._save_rules = save_rules
        self._mask = mask
        self._asked = 0
        self._standing: set[anyio.CancelScope] = set()  # around those who wait for an answer
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
        """Questions that stand are decided anew."""
        if mode is self.mode:
            return
        self.engine = self.engine.with_mode(mode)
        for scope in tuple(self._standing):
            scope.cancel()

    def decide(self, tool: str, subjects: Sequence[Subject], *, read_only: bool) -> Decision:
        """What the engine says."""
        return self.engine.decide(tool, subjects, read_only=read_only)

    async def consent(self, needed: ConsentNeeded) -> Refusal | None:
        """Ask the user whether a call may run; None when it may."""
        said = await self.question(needed)
        return denials.not_run(needed.tool, said) if isinstance(said, Refusal) else None

    async def question(self, needed: ConsentNeeded) -> Refusal | Decision | None:
        """Ask the user about what a call would touch.

        Returns:
            None for yes. Clauses that say why it must not be. A decision that allows it, where
            another mode settled it before there was an answer.
        """
        summary, mode = self._mask(needed.summary), self.mode
        proposals = proposed(self.engine, needed, self._mask)
        if not self._approver.interactive:
            self._log.append(
                QuestionRecord("permission", summary, "", outcome="nobody", tool=needed.tool)
            )
            return denials.nobody(needed.told, proposals)
        question = PermissionQuestion(
            self._next_id(),
            needed.tool,
            summary,
            masked(needed.told, self._mask),
            proposals,
            tuple(masked(subject, self._mask) for subject in needed.subjects),
            self._session,
            await bounded_preview(needed.preview, self._mask),
        )
        self._emit(QuestionAsked(question.id, summary, question.decision))
        try:
            with self._ledger.state("human"):
                said = await self._answered(question, needed, mode)
        except anyio.get_cancelled_exc_class():
            self._dismiss("permission", question.id, summary, needed.tool)
            raise
        if isinstance(said, Decision):
            self._dismiss("permission", question.id, summary, needed.tool)
            return self._denied(said) if said.verdict is Verdict.DENY else said
        return self._settle(question, needed, said)

    async def _answered(
        self, question: PermissionQuestion, needed: ConsentNeeded, mode: PermissionMode
    ) -> Said | Decision:
        """An answer that can be taken, or the decision of another mode that needs none.

        The same answer twice is taken, but not remembered.
        """
        before: PermissionAnswer | None = None
        while True:
            if self.mode is not mode:
                mode, before = self.mode, None
                now = self._now(needed)
                if now.verdict is not Verdict.ASK:
                    return now
                needed = replace(needed, decision=now)
                question = asked_again(self.engine, question, needed, self._mask)
            answer = await self._heard(question)
            if answer is None:
                continue
            if not answer.allow or answer.remember == "once":
                return Said(answer)
            rules = answer.rules or (question.proposals[0] if question.proposals else ())
            problem = problem_with(self.engine, needed, rules)
            if not problem:
                return Said(answer, rules)
            if answer == before or not answer.rules:
                return Said(answer, problem=problem)
            before, question = answer, replace(question, complaint=problem)

    async def _heard(self, question: PermissionQuestion) -> PermissionAnswer | None:
        """An answer; None where the mode became another before there was one."""
        with anyio.CancelScope() as scope:
            self._standing.add(scope)
            try:
                return await self._approver.permission(question)
            finally:
                self._standing.discard(scope)
        return None

    def _now(self, needed: ConsentNeeded) -> Decision:
        return self.decide(needed.tool, needed.subjects, read_only=needed.read_only)

    def _denied(self, decision: Decision) -> Refusal:
        return denials.denied(decision, self.mode, "it is denied by now: ")

    def _settle(
        self, question: PermissionQuestion, needed: ConsentNeeded, said: Said
    ) -> Refusal | None:
        """Put an answer on record and do what it says."""
        answer = said.answer
        word = "yes" if answer.allow else "no"
        # Right after the answer, the mode may have become another.
        now = self._now(needed)
        denied = answer.allow and now.verdict is Verdict.DENY
        rules = () if denied else said.rules
        self._log.append(
            QuestionRecord("permission", question.summary, word, tool=needed.tool, rules=rules)
        )
        self._emit(QuestionAnswered(question.id, word))
        if not answer.allow:
            return denials.declined(self._mask(answer.comment.strip()))
        if denied:
            return self._denied(now)
        if said.problem:
            self._emit(Notice("warning", f"not remembered: {said.problem}"))
        self._remember(rules, answer)
        return None

    def _remember(self, rules: tuple[str, ...], answer: PermissionAnswer) -> None:
        for rule in rules:
            self.engine = self.engine.with_rule("allow", rule)
        if not rules or answer.remember != "always":
            return
        try:
            told = self._save_rules(rules, answer.layer)
        except (TurnloopError, OSError) as error:
            text = f"{', '.join(rules)} holds for this session only: {error}"
            self._emit(Notice("warning", text, getattr(error, "hint", "")))
        else:
            if told:
                self._emit(Notice("info", told))

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
        """No answer came: the run was interrupted, or another mode settled the question."""
        self._log.append(QuestionRecord(what, question, "", outcome="dismissed", tool=tool))
        self._emit(QuestionAnswered(number, ""))

    def _next_id(self) -> str:
        self._asked += 1
        return f"q{self._asked}"
