"""The strategy, on views that were made by hand."""

from __future__ import annotations

from acme_turnloop.newest import STUB, Newest
from turnloop_core.api import (
    Budget,
    Call,
    Capabilities,
    Plan,
    Prefix,
    Prompt,
    ReadRange,
    Reply,
    Result,
    ShrinkResult,
    StopReason,
    Turn,
    View,
)

LONG = "word " * 200


def turn(number: int, *results: Result) -> Turn:
    """The tool's name plays no part, so every turn has another one."""
    calls = tuple(Call(f"c{i}", f"Tool{number}", "{}") for i in range(len(results)))
    return Turn(number, Reply(calls, StopReason.TOOL_USE), results)


def read(path: str, start: int, end: int, text: str = LONG) -> Result:
    return Result.say(text, facts=(ReadRange(path, start, end, "digest"),))


def plan(*turns: Turn) -> Plan:
    view = View(Prefix(), (Prompt(1, "Go."), *turns))
    budget = Budget(10_000, 1_000, 0, 0, 100, estimate=lambda item: 10)
    return Newest().plan(view, budget, Capabilities())


def test_only_the_newest_reading_keeps_its_text() -> None:
    found = plan(
        turn(2, read("/a", 1, 40), read("/b", 1, 9)),
        turn(3, read("/a", 1, 40)),
        turn(4, read("/a", 1, 40)),
    )
    assert set(found.edits) == {ShrinkResult(2, 0, STUB), ShrinkResult(3, 0, STUB)}
    assert found.reason == "2 readings made again later"


def test_what_was_not_read_again_stays() -> None:
    assert plan(turn(2, read("/a", 1, 40)), turn(3, read("/a", 1, 39))) == Plan()
    assert plan(turn(2, read("/a", 1, 40)), turn(3, read("/b", 1, 40))) == Plan()
    assert plan(turn(2, Result.say(LONG)), turn(3, Result.say(LONG))) == Plan()


def test_what_is_short_stays() -> None:
    assert plan(turn(2, read("/a", 1, 4, "short")), turn(3, read("/a", 1, 4))) == Plan()
