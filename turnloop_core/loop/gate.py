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
    bounded_preview,
    masked,
    problem_with,
    usable,
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
from turnloop_core.types.results import ErrorKind, Refusal
from turnloop_core.types.subjects import Decision, PermissionMode, Subject, Verdict
from turnloop_core.values import dataclass


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


@dataclass(frozen=True, slots=True)
class _Said:
    """An answer, the rules that it has remembered, and why others are not."""

    answer: PermissionAnswer
    rules: tuple[str, ...] = ()
    problem: str = ""


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

    async def consent(self, needed: ConsentNeeded) -> Refusal | None:
        """Ask the user whether a call may run; None when it may."""
        refused = await self.question(needed)
        if refused is None:
            return None
        quiet = refused.kind is ErrorKind.DECLINED
        return replace(
            refused,
            text=f"{needed.tool} was not run: {refused.text}",
            display=refused.display if quiet else f"not run: {refused.display}",
        )

    async def question(self, needed: ConsentNeeded) -> Refusal | None:
        """Ask the user about what a call would touch; None for yes, else clauses that say why."""
        summary = self._mask(needed.summary)
        found = self.engine.propose_rules(needed.tool, needed.decision)
        proposals = tuple(rules for rules in found if all(usable(r, self._mask) for r in rules))
        if not self._approver.interactive:
            self._log.append(
                QuestionRecord("permission", summary, "", outcome="nobody", tool=needed.tool)
            )
            return denials.nobody(needed.decision, proposals)
        question = PermissionQuestion(
            self._next_id(),
            needed.tool,
            summary,
            masked(needed.decision, self._mask),
            proposals,
            tuple(masked(subject, self._mask) for subject in needed.subjects),
            self._session,
            await bounded_preview(needed.preview, self._mask),
        )
        self._emit(QuestionAsked(question.id, summary, question.decision))
        try:
            with self._ledger.state("human"):
                said = await self._answered(question, needed)
        except anyio.get_cancelled_exc_class():
            self._dismiss("permission", question.id, summary, needed.tool)
            raise
        return self._settle(question, needed, said)

    async def _answered(self, question: PermissionQuestion, needed: ConsentNeeded) -> _Said:
        """An answer that can be taken. The same answer twice is taken, but not remembered."""
        before: PermissionAnswer | None = None
        while True:
            answer = await self._approver.permission(question)
            if not answer.allow or answer.remember == "once":
                return _Said(answer)
            rules = answer.rules or (question.proposals[0] if question.proposals else ())
            problem = problem_with(self.engine, needed, rules)
            if not problem:
                return _Said(answer, rules)
            if answer == before or not answer.rules:
                return _Said(answer, problem=problem)
            before, question = answer, replace(question, complaint=problem)

    def _settle(
        self, question: PermissionQuestion, needed: ConsentNeeded, said: _Said
    ) -> Refusal | None:
        """Put an answer on record and do what it says."""
        answer = said.answer
        word = "yes" if answer.allow else "no"
        # While the question stood, the mode may have become another.
        now = self.decide(needed.tool, needed.subjects, read_only=needed.read_only)
        denied = answer.allow and now.verdict is Verdict.DENY
        rules = () if denied else said.rules
        self._log.append(
            QuestionRecord("permission", question.summary, word, tool=needed.tool, rules=rules)
        )
        self._emit(QuestionAnswered(question.id, word))
        if not answer.allow:
            return denials.declined(self._mask(answer.comment.strip()))
        if denied:
            refused = denials.denied(now, self.mode)
            return replace(refused, text=f"it is denied by now: {refused.text}")
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
        """The run was interrupted while the question stood."""
        self._log.append(QuestionRecord(what, question, "", outcome="dismissed", tool=tool))
        self._emit(QuestionAnswered(number, ""))

    def _next_id(self) -> str:
        self._asked += 1
        return f"q{self._asked}"
