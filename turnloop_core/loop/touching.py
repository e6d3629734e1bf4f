"""Whether a running call may touch one thing more than what it was judged by."""

from __future__ import annotations

from turnloop_core.loop import denials
from turnloop_core.loop.consent import ConsentNeeded
from turnloop_core.loop.gate import Gate
from turnloop_core.permissions.text import shortened
from turnloop_core.types.results import Refusal
from turnloop_core.types.subjects import Decision, Subject, Verdict


class Touching:
    """Answers for one call.

    Args:
        gate: decides, and asks the user.
        tool: name of the calling tool.
        consented: what the user was asked about the call before it ran, and consented to.
        read_only: the tool changes nothing.
    """

    def __init__(
        self, gate: Gate, tool: str, consented: Decision | None, *, read_only: bool
    ) -> None:
        self._gate = gate
        self._tool = tool
        self._read_only = read_only
        # What the user consented to in this call, with the decision that was asked about.
        self._consented = dict.fromkeys(consented.subjects, consented) if consented else {}

    async def may(self, subject: Subject, like: Subject | None) -> Refusal | None:
        """None when it may; see `CallContext.judge`."""
        refused, asks = self._settled(subject, like)
        if not asks:
            return refused
        async with self._gate.settling:
            # An answer given meanwhile, or another mode, may have settled it.
            refused, asks = self._settled(subject, like)
            return await self._ask(subject, asks) if asks else refused

    def _settled(
        self, subject: Subject, like: Subject | None
    ) -> tuple[Refusal | None, Decision | None]:
        """A refusal, or the decision that has to be asked about; neither when it may."""
        decision = self._gate.decide(self._tool, (subject,), read_only=self._read_only)
        if decision.verdict is Verdict.DENY:
            return denials.denied(decision, self._gate.mode, "it is denied: "), None
        if decision.verdict is Verdict.ALLOW:
            return None, None
        before = self._consented.get(like) if like else None
        if before is not None and _same_question(decision, before):
            self._consented[subject] = before
            return None, None
        return None, decision

    async def _ask(self, subject: Subject, decision: Decision) -> Refusal | None:
        summary = f"{self._tool}({shortened(subject.display or subject.narrow)})"
        needed = ConsentNeeded(
            self._tool, summary, decision, (subject,), self._read_only, because=subject.reason
        )
        said = await self._gate.question(needed)
        if said is None:
            self._consented[subject] = decision
        return said if isinstance(said, Refusal) else None


def _same_question(decision: Decision, before: Decision) -> bool:
    """Whether an answer to the one is an answer to the other."""
    if not decision.rule and not decision.source:  # the mode asks, and would about anything
        return True
    same = (decision.rule, decision.source) == (before.rule, before.source)
    # A check of a plugin looks at more than its name says.
    return same and (bool(decision.rule) or decision.reason == before.reason)
