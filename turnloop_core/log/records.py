"""Records: the lines of a log. Append-only; the view is folded from them and from nothing else.

On disk a record is one line of JSON: `{"v": 1, "n": 7, "t": 1764522872.31, "kind": "reply", ...}`.
`v` counts incompatible changes, `n` the records of the session from 1, `t` is Unix time in
seconds. A record of a kind that this version does not know is kept as `UnknownRecord`.

What is logged before it happens, and why a kill loses nothing: the prefix and the prompt before
the request, the reply before any of its calls, the start of a call before it runs, its result
before the next request.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from turnloop_core.types.content import PromptBlock
from turnloop_core.types.edits import Edit
from turnloop_core.types.events import AttemptEnd, RunEnd
from turnloop_core.types.items import Reply
from turnloop_core.types.results import Result
from turnloop_core.types.usage import NO_USAGE, Usage
from turnloop_core.types.view import Prefix

VERSION = 1


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """First record: what the session is. `parent` is the session it was forked or sent from."""

    kind: ClassVar[str] = "session"
    id: str
    root: str
    cwd: str
    version: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class PrefixRecord:
    """System prompt and tools from here on, who answers, and why it changed."""

    kind: ClassVar[str] = "prefix"
    prefix: Prefix
    reason: str
    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class PromptRecord:
    """What the user said; its number is the id of the `Prompt`."""

    kind: ClassVar[str] = "prompt"
    text: str
    attachments: tuple[PromptBlock, ...] = ()
    context: str = ""
    steering: bool = False


@dataclass(frozen=True, slots=True)
class ReplyRecord:
    """A whole reply, before any of its calls runs; its number is the id of the `Turn`."""

    kind: ClassVar[str] = "reply"
    reply: Reply


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call is about to run.

    Attributes:
        turn: number of the reply record.
        call: place of the call within the reply, from 0.
        name: the tool's own name.
        arguments: the arguments as validated, when an interceptor replaced them; else None.
        corrected: the model wrote the name in another case.
    """

    kind: ClassVar[str] = "call"
    turn: int
    call: int
    name: str
    arguments: dict[str, Any] | None = None
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class ResultRecord:
    """A call has its result. `seconds` is how long it ran, 0 when it never did."""

    kind: ClassVar[str] = "result"
    turn: int
    call: int
    result: Result
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """An attempt is over.

    Attributes:
        number: within the run, from 1.
        end: how it ended.
        reason: one line, "" for a plain turn.
        partial: what was shown of a reply that never became a turn; never enters the view.
        usage: tokens, as far as reported.
        seconds: where the time went, by the states of the ledger.
        retries: requests beyond the first.
    """

    kind: ClassVar[str] = "attempt"
    number: int
    end: AttemptEnd
    reason: str = ""
    partial: str = ""
    usage: Usage = NO_USAGE
    seconds: dict[str, float] = field(default_factory=dict)
    retries: int = 0


@dataclass(frozen=True, slots=True)
class NudgeRecord:
    """Words of the harness to the model; its number is the id of the `Nudge`."""

    kind: ClassVar[str] = "nudge"
    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class EditRecord:
    """A batch of edits.

    Attributes:
        edits: what was done to the view; those that do not fit are skipped by the fold.
        strategy: who proposed it.
        reason: why.
        saved: estimated tokens saved.
    """

    kind: ClassVar[str] = "edit"
    edits: tuple[Edit, ...]
    strategy: str
    reason: str
    saved: int = 0


@dataclass(frozen=True, slots=True)
class UsageRecord:
    """Tokens of a request that was not an attempt: a summary, for example."""

    kind: ClassVar[str] = "usage"
    usage: Usage
    what: str
    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """The user was asked. `answer` is what was said, or how it ended without an answer."""

    kind: ClassVar[str] = "question"
    what: Literal["permission", "question"]
    question: str
    answer: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class EndRecord:
    """A run is over."""

    kind: ClassVar[str] = "end"
    end: RunEnd
    reason: str


@dataclass(frozen=True, slots=True)
class UnknownRecord:
    """A record that this version does not understand, as it stood in the file."""

    kind: ClassVar[str] = "unknown"
    data: dict[str, Any]


Body = (
    SessionRecord
    | PrefixRecord
    | PromptRecord
    | ReplyRecord
    | CallRecord
    | ResultRecord
    | AttemptRecord
    | NudgeRecord
    | EditRecord
    | UsageRecord
    | QuestionRecord
    | EndRecord
    | UnknownRecord
)


@dataclass(frozen=True, slots=True)
class Record:
    """A line of the log: its number, its time (Unix, seconds) and what it says."""

    n: int
    t: float
    body: Body
