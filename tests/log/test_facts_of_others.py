"""Facts that no call brought: attached files, and what a judge did."""

from __future__ import annotations

from turnloop_core.log.records import AttemptRecord, FactsRecord, PromptRecord, Record, UsageRecord
from turnloop_core.log.view import fold
from turnloop_core.types.events import AttemptEnd
from turnloop_core.types.facts import RanCommand, ReadRange
from turnloop_core.types.usage import Usage

READ = ReadRange("/p/a.py", 1, 9, "d", whole=True)
RAN = RanCommand("pytest -q", 0, 1.5, verification=True)


def test_facts_of_prompts_and_judges_stand_beside_those_of_calls() -> None:
    folded = fold(
        [
            Record(1, 10.0, PromptRecord("look at @a.py", facts=(READ,))),
            Record(2, 11.0, FactsRecord("verification", (RAN,))),
        ]
    )
    assert folded.view().facts == (READ, RAN)
    assert [item.kind for item in folded.view().items] == ["prompt"]


def test_the_fold_knows_when_the_last_request_was() -> None:
    records = [
        Record(1, 10.0, PromptRecord("go")),
        Record(2, 20.0, AttemptRecord(1, AttemptEnd.TURN)),
        Record(3, 30.0, UsageRecord(Usage(5, 5), "summary", "p", "m")),
        Record(4, 40.0, PromptRecord("on")),
    ]
    assert [fold(records[:n]).last_request for n in range(5)] == [0.0, 0.0, 20.0, 30.0, 30.0]
