"""Approver: the front end's answer to a question. One queue per process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from turnloop_core.types.subjects import Decision, Subject
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class PermissionQuestion:
    """May this call run?

    Attributes:
        id: unique in the session.
        tool: name of the tool.
        summary: the call in one line.
        decision: what asks, and why.
        proposed_rule: the narrowest rule that would make the question go away, "" for none.
        subjects: all that the call touches, those that need no question too.
        session: id of the session that asks; a child has its own.
    """

    id: str
    tool: str
    summary: str
    decision: Decision
    proposed_rule: str = ""
    subjects: tuple[Subject, ...] = ()
    session: str = ""


@dataclass(frozen=True, slots=True)
class PermissionAnswer:
    """The user's answer.

    Attributes:
        allow: run it.
        remember: `once`, for this `session`, or `always` (saved to settings).
        rule: the rule to remember, "" for the proposed one.
        comment: a word to the model, with a refusal.
    """

    allow: bool
    remember: Literal["once", "session", "always"] = "once"
    rule: str = ""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class UserQuestion:
    """The model asks the user something; `session` is the one that asks."""

    id: str
    question: str
    options: Sequence[str] = ()
    session: str = ""


class Approver(Protocol):
    """Answers questions. `interactive` is False when nobody is there; nothing is asked then."""

    @property
    def interactive(self) -> bool: ...

    async def permission(self, question: PermissionQuestion) -> PermissionAnswer: ...

    async def answer(self, question: UserQuestion) -> str | None:
        """The user's answer, or None when there is none."""
        ...
