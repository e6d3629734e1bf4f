"""What a judge may use: the `JudgeContext` of the loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from turnloop_core.loop.gate import Gate
from turnloop_core.loop.hooks import Subscriber
from turnloop_core.loop.ledger import Ledger
from turnloop_core.ports.tool import Scope
from turnloop_core.types.events import Event
from turnloop_core.types.subjects import Subject, Verdict


@dataclass(frozen=True, slots=True)
class Bench:
    """See `ports.judge.JudgeContext` for what each part promises."""

    scope: Scope
    session: str
    environment: Mapping[str, str]
    gate: Gate
    ledger: Ledger
    tell: Subscriber

    def emit(self, event: Event) -> None:
        self.tell(event)

    def verifying(self) -> AbstractContextManager[None]:
        return self.ledger.state("verification")

    async def permit(self, summary: str, subjects: Sequence[Subject]) -> str:
        judged = tuple(subjects)
        decision = self.gate.decide("", judged, read_only=False)
        if decision.verdict is Verdict.ALLOW:
            return ""
        if decision.verdict is Verdict.DENY:
            return decision.reason
        refusal = await self.gate.consent("", summary, decision, judged)
        return "" if refusal is None else refusal.text
