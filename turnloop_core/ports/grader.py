"""Grader: decides by program whether a task was done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from turnloop_core.types.facts import Fact
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class Grading:
    """What a grader may look at.

    Attributes:
        workspace: the folder as the agent left it.
        reference: the task's own folder, which the agent never saw.
        answer: the last visible answer.
        facts: what the agent's calls did.
        options: the task's settings for this grader.
    """

    workspace: Path
    reference: Path
    answer: str
    facts: Sequence[Fact]
    options: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Grade:
    """The outcome: `score` from 0 to 1, passed at 1 unless the task says otherwise."""

    score: float
    reason: str


class Grader(Protocol):
    @property
    def name(self) -> str: ...

    async def grade(self, grading: Grading) -> Grade:
        """Grade the work. Raising means that the grader failed, not the agent."""
        ...
