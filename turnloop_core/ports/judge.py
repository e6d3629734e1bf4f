"""Judge: says after each attempt whether the run goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from turnloop_core.ports.tool import Scope
from turnloop_core.types.events import AttemptEnd, Event
from turnloop_core.types.facts import Fact
from turnloop_core.types.items import Turn
from turnloop_core.types.subjects import PermissionMode, Subject
from turnloop_core.types.view import View
from turnloop_core.values import dataclass


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
class PastAttempt:
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
        prompt: what the user said.
        mode: the permission mode now.
    """

    attempts: Sequence[PastAttempt]
    view: View
    interactive: bool
    cap: int
    prompt: str = ""
    mode: PermissionMode = PermissionMode.DEFAULT


class JudgeContext(Protocol):
    """What a judge may use.

    Attributes:
        scope: cwd, project root and home.
        session: id of the session.
        environment: variables for child processes; those that hold provider keys are left out.
    """

    @property
    def scope(self) -> Scope: ...

    @property
    def session(self) -> str: ...

    @property
    def environment(self) -> Mapping[str, str]: ...

    def emit(self, event: Event) -> None:
        """Tell the front end something."""
        ...

    def verifying(self) -> AbstractContextManager[None]:
        """Book the time within as verification."""
        ...

    def record(self, origin: str, *facts: Fact) -> None:
        """Put on record what the judge did: a verification that passed leaves nothing else."""
        ...

    async def permit(self, summary: str, subjects: Sequence[Subject]) -> str:
        """Whether the judge may do something of its own (run the tests, say): judged by the same
        rules as a call, and asked like one.

        Returns:
            "" when it may, else why not.
        """
        ...


class Judge(Protocol):
    """Asked after each attempt; all judges are asked, and Halt > Nudge > Done > Go."""

    @property
    def name(self) -> str: ...

    async def judge(self, run: RunSoFar, context: JudgeContext) -> Judgement:
        """Judge the run. An exception is reported and counts as Go."""
        ...
