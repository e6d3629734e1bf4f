"""Events: what the loop tells the front ends while it works. What begins also ends.

`tl -p --json` prints one event per line; `schema_version` of `frontend/headless.py` counts changes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Literal

from turnloop_core.types.capabilities import Thinking
from turnloop_core.types.content import Call
from turnloop_core.types.edits import Edit
from turnloop_core.types.items import Reply
from turnloop_core.types.results import Result
from turnloop_core.types.subjects import Decision
from turnloop_core.types.usage import Usage
from turnloop_core.values import dataclass


class RunEnd(StrEnum):
    """How a run ended."""

    DONE = "done"
    LIMIT = "limit"  # the cap of attempts, or another limit of the user
    HALTED = "halted"  # a judge saw no progress
    FAILED = "failed"  # an error that ended it
    INTERRUPTED = "interrupted"


class AttemptEnd(StrEnum):
    """How an attempt ended. Only `turn`, `cut_text` and what text `refused` had enter the view."""

    TURN = "turn"
    CUT_TEXT = "cut_text"  # a turn that the output limit cut within plain text
    CUT_CALL = "cut_call"  # the output limit cut it within a call: dropped
    CUT_STREAM = "cut_stream"  # the connection ended without an ending mark: dropped
    REFUSED = "refused"  # the model, or a filter of the provider, declined; calls are dropped
    EMPTY = "empty"  # neither text nor calls
    REASONING = "reasoning"  # reasoning, and nothing else
    CUT_THINKING = "cut_thinking"  # reasoning passed its cap, and cannot be reduced: dropped
    DEGENERATE = "degenerate"  # the same words over and over: closed, dropped
    REJECTED_CALL = "rejected_call"  # the server refused the call that the model wrote
    STRAY_CALL = "stray_call"  # a call was left as text, and is not run: dropped
    OVERFLOW = "overflow"  # the request did not fit, and could not be made to
    FAULT = "fault"  # the provider failed
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A prompt was logged and is being answered."""

    kind: ClassVar[str] = "run_started"
    session: str
    prompt: str
    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is over. `refused` counts calls that were refused for want of consent."""

    kind: ClassVar[str] = "run_ended"
    end: RunEnd
    reason: str
    attempts: int
    usage: Usage
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Prompted:
    """What the user said was logged; `steering` when it joins a run that is going on."""

    kind: ClassVar[str] = "prompted"
    text: str
    steering: bool = False


@dataclass(frozen=True, slots=True)
class AttemptStarted:
    """An attempt begins; `number` counts from 1 within the run."""

    kind: ClassVar[str] = "attempt_started"
    number: int


@dataclass(frozen=True, slots=True)
class AttemptEnded:
    """An attempt is over. `seconds` says where its time went, by the states of the ledger."""

    kind: ClassVar[str] = "attempt_ended"
    number: int
    end: AttemptEnd
    reason: str
    usage: Usage
    seconds: dict[str, float]


@dataclass(frozen=True, slots=True)
class TextShown:
    """A piece of the answer, as it streams."""

    kind: ClassVar[str] = "text"
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningShown:
    """A piece of the reasoning, as it streams."""

    kind: ClassVar[str] = "reasoning"
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingReduced:
    """Reasoning passed its cap: the stream was closed, and is asked again with less thinking.

    Attributes:
        tokens: estimate of the reasoning that is given up.
        thinking: how much the model is to think from here to the end of the run.
    """

    kind: ClassVar[str] = "thinking_reduced"
    tokens: int
    thinking: Thinking


@dataclass(frozen=True, slots=True)
class ReplyEnded:
    """The reply is whole; its calls have not run yet."""

    kind: ClassVar[str] = "reply"
    reply: Reply


@dataclass(frozen=True, slots=True)
class ReplyVoided:
    """What was shown of this reply is void: it was cut, or is asked for again."""

    kind: ClassVar[str] = "reply_voided"
    reason: str


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call runs now. `summary` is one line for the user."""

    kind: ClassVar[str] = "call_started"
    call: Call
    summary: str


@dataclass(frozen=True, slots=True)
class CallProgress:
    """A running call has something to show: a line of output, say."""

    kind: ClassVar[str] = "call_progress"
    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A call has its result; calls that never ran have this without a `CallStarted`."""

    kind: ClassVar[str] = "call_ended"
    call: Call
    result: Result
    seconds: float


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """The user is asked for permission (`decision` is set) or for an answer."""

    kind: ClassVar[str] = "question"
    id: str
    question: str
    decision: Decision | None = None
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    """The question `id` has its answer; `yes` or `no` for permission."""

    kind: ClassVar[str] = "answer"
    id: str
    answer: str


@dataclass(frozen=True, slots=True)
class WaitStarted:
    """The transport waits: `what` is `retry`, `boot` or `capacity`."""

    kind: ClassVar[str] = "wait_started"
    what: str
    seconds: float
    reason: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class WaitEnded:
    """The wait is over."""

    kind: ClassVar[str] = "wait_ended"
    what: str


@dataclass(frozen=True, slots=True)
class Nudged:
    """The harness said something to the model."""

    kind: ClassVar[str] = "nudged"
    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class Edited:
    """The view was thinned.

    Attributes:
        edits: what was done.
        reason: why.
        saved: estimated tokens saved.
        summary_usage: tokens of the summary request, if there was one.
    """

    kind: ClassVar[str] = "edited"
    edits: tuple[Edit, ...]
    reason: str
    saved: int
    summary_usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know, with the next step in `hint`."""

    kind: ClassVar[str] = "notice"
    level: Literal["info", "warning", "error"]
    text: str
    hint: str = ""


Event = (
    RunStarted
    | RunEnded
    | Prompted
    | AttemptStarted
    | AttemptEnded
    | TextShown
    | ReasoningShown
    | ReplyEnded
    | ReplyVoided
    | ThinkingReduced
    | CallStarted
    | CallProgress
    | CallEnded
    | QuestionAsked
    | QuestionAnswered
    | WaitStarted
    | WaitEnded
    | Nudged
    | Edited
    | Notice
)
