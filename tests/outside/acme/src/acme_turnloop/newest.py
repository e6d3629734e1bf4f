"""A compaction strategy: of one file's readings, only the newest keeps its text.

It looks at facts and sizes, so it understands every tool that says what it read.
"""

from __future__ import annotations

from collections.abc import Iterator

from turnloop_core.api import (
    Budget,
    Capabilities,
    Edit,
    FactoryContext,
    Plan,
    ReadRange,
    Result,
    ShrinkResult,
    View,
)

WORTH = 400  # characters; below it a stub saves next to nothing
STUB = "[left out: the same was read again later]"


class Newest:
    """Shrinks results whose every reading was repeated later."""

    name = "acme-newest"

    def plan(self, view: View, budget: Budget, capabilities: Capabilities) -> Plan:
        """Called before every request."""
        edits = tuple(self._edits(view))
        many = "" if len(edits) == 1 else "s"
        return (
            Plan(edits, reason=f"{len(edits)} reading{many} made again later") if edits else Plan()
        )

    def _edits(self, view: View) -> Iterator[Edit]:
        later: list[ReadRange] = []
        for turn in reversed(list(view.turns)):
            for place in reversed(range(len(turn.results))):
                result = turn.results[place]
                readings = [fact for fact in result.facts if isinstance(fact, ReadRange)]
                repeated = readings and all(_covered(reading, later) for reading in readings)
                if repeated and _is_long(result):
                    yield ShrinkResult(turn.id, place, STUB)
                later += readings


def _covered(reading: ReadRange, later: list[ReadRange]) -> bool:
    return any(
        other.path == reading.path
        and (other.whole or (other.start <= reading.start and reading.end <= other.end))
        for other in later
    )


def _is_long(result: Result) -> bool:
    return len(result.text) > WORTH


def create(context: FactoryContext) -> Newest:
    """The strategy."""
    return Newest()
