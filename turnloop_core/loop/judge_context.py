"""What a judge may use: the `JudgeContext` of the loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from turnloop_core.log.records import FactsRecord
from turnloop_core.log.writer import LogWriter
from turnloop_core.loop.consent import ConsentNeeded
from turnloop_core.loop.gate import Gate
from turnloop_core.loop.hooks import Subscriber
from turnloop_core.loop.ledger import Ledger
from turnloop_core.ports.tool import Scope
from turnloop_core.types.events import Event
from turnloop_core.types.facts import Fact
from turnloop_core.types.subjects import Subject, Verdict
from turnloop_core.values import dataclass

VERIFICATION = "verification"  # stands where a call has the name of its tool


@dataclass(frozen=True, slots=True)
class Bench:
    """See `ports.judge.JudgeContext` for what each part promises."""

    scope: Scope
    session: str
    environment: Mapping[str, str]
    gate: Gate
    ledger: Ledger
    log: LogWriter
    tell: Subscriber

    def emit(self, event: Event) -> None:
        self.tell(event)

    def verifying(self) -> AbstractContextManager[None]:
        return self.ledger.state("verification")

    def record(self, origin: str, *facts: Fact) -> None:
        self.log.append(FactsRecord(origin, facts))

    async def permit(self, summary: str, subjects: Sequence[Subject]) -> str:
        judged = tuple(subjects)
        decision = self.gate.decide(VERIFICATION, judged, read_only=False)
        if decision.verdict is Verdict.ALLOW:
            return ""
        if decision.verdict is Verdict.DENY:
            return decision.reason
        needed = ConsentNeeded(VERIFICATION, summary, decision, judged, read_only=False)
        refusal = await self.gate.consent(needed)
        return "" if refusal is None else refusal.text
