"""Judge: says after each attempt whether the run goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from turnloop_core.types.events import AttemptEnd
from turnloop_core.types.items import Turn
from turnloop_core.types.view import View


@dataclass(frozen=True, slots=True)
class Go:
    """No objection: go on."""


@dataclass(frozen=True, slots=True)
class Nudge:
    """Go on, and tell the model this."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The work is done."""


@dataclass(frozen=True, slots=True)
class Halt:
    """Stop, for this reason."""

    reason: str


Judgement = Go | Nudge | Done | Halt


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """One attempt of the run, for judges."""

    number: int
    end: AttemptEnd
    turn: Turn | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RunSoFar:
    """The run, for judges.

    Attributes:
        attempts: all attempts since the prompt, oldest first; steering by the user starts afresh.
        view: what the model is shown now.
        interactive: a human is there; judges never push back on a question or an answer then.
        cap: how many attempts a run may have.
    """

    attempts: Sequence[AttemptRecord]
    view: View
    interactive: bool
    cap: int


class Judge(Protocol):
    """Asked after each attempt; all judges are asked, and Halt > Nudge > Done > Go."""

    @property
    def name(self) -> str: ...

    async def judge(self, run: RunSoFar) -> Judgement:
        """Judge the run. An exception is reported and counts as Go."""
        ...
