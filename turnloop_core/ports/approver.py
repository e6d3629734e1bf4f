"""Approver: the front end's answer to a question. One queue per process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from turnloop_core.types.subjects import Decision, Subject
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class PermissionQuestion:
    """May this call run? Values of keys are masked in all of it.

    Attributes:
        id: unique in the session.
        tool: name of the tool.
        summary: the call in one line.
        decision: what asks, and why; its `parts` say it of each thing that the call touches.
        proposals: alternatives, the narrowest useful first; each is a set of allow rules that
            together would make this question go away. Empty where no rules do.
        subjects: all that the call touches, those that need no question too.
        session: id of the session that asks; a child has its own.
        preview: what would be written, as a unified diff or as its beginning; for tools of MCP
            servers, and those that name nothing but themselves, the arguments as JSON where the
            tool has none of its own. At most 60,000 characters; "" when it is unknown, or was not
            there within 2 seconds.
        complaint: why the question comes again: what is wrong with the answer before this one, or
            which mode it is by now; "" at first.
    """

    id: str
    tool: str
    summary: str
    decision: Decision
    proposals: tuple[tuple[str, ...], ...] = ()
    subjects: tuple[Subject, ...] = ()
    session: str = ""
    preview: str = ""
    complaint: str = ""


SaveTo = Literal["local", "project", "user"]


@dataclass(frozen=True, slots=True)
class PermissionAnswer:
    """The user's answer.

    Attributes:
        allow: run it.
        remember: `once`, for this `session`, or `always` (saved to settings).
        rules: the allow rules to remember, empty for the first proposal. Rules that are none, or
            would not help, are not taken: the question comes again, with a `complaint`.
        comment: a word to the model, with a refusal.
        layer: where `always` saves: the user's own settings for this project, the project's, or the
            user's for all projects.
    """

    allow: bool
    remember: Literal["once", "session", "always"] = "once"
    rules: tuple[str, ...] = ()
    comment: str = ""
    layer: SaveTo = "local"


@dataclass(frozen=True, slots=True)
class UserQuestion:
    """The model asks the user something; `session` is the one that asks."""

    id: str
    question: str
    options: Sequence[str] = ()
    session: str = ""


class Approver(Protocol):
    """Answers questions. `interactive` is False when nobody is there; nothing is asked then.

    A question may be called off at any time: the run is stopped, or the mode becomes another. In
    another mode the question comes again as it is then, with the same `id` and a `complaint`, or it
    is settled.
    """

    @property
    def interactive(self) -> bool: ...

    async def permission(self, question: PermissionQuestion) -> PermissionAnswer: ...

    async def answer(self, question: UserQuestion) -> str | None:
        """The user's answer, or None when there is none."""
        ...
