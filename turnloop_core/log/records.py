"""Records: the lines of a log. Append-only; the view is folded from them and from nothing else.

On disk a record is one line of JSON: `{"v": 1, "n": 7, "t": 1764522872.31, "kind": "reply", ...}`.
`v` counts incompatible changes, `n` the records of the session from 1, `t` is Unix time in
seconds. A record of a kind that this version does not know is kept as `UnknownRecord`.

What is logged before it happens, and why a kill loses nothing: the prefix and the prompt before
the request, the reply before any of its calls, the start of a call before it runs, its result
before the next request.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar, Literal

from turnloop_core.types.content import PromptBlock
from turnloop_core.types.edits import Edit
from turnloop_core.types.events import AttemptEnd, RunEnd
from turnloop_core.types.facts import Fact
from turnloop_core.types.items import Reply
from turnloop_core.types.results import Result
from turnloop_core.types.usage import NO_USAGE, Usage
from turnloop_core.types.view import Prefix
from turnloop_core.values import dataclass

VERSION = 1


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """First record: what the session is.

    Attributes:
        id: sortable by time, unique.
        root: project root, a real absolute path.
        cwd: working directory, a real absolute path.
        version: of the program that made it.
        parent: id of the session that it comes from, "" for none.
        role: `main`; `fork` of its parent; or `child`, sent by its parent to do a part.
        forked_at: number of the parent's record at which a fork begins.
        title: given by the user; "" shows the first prompt.
    """

    kind: ClassVar[str] = "session"
    id: str
    root: str
    cwd: str
    version: str
    parent: str = ""
    role: Literal["main", "fork", "child"] = "main"
    forked_at: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class PrefixRecord:
    """System prompt and tools from here on, who answers, and why it changed.

    Attributes:
        prefix: system prompt and tools.
        reason: `start`, or what changed.
        provider: name in settings.
        model: id that the endpoint expects.
        mode: the permission mode.
        thinking: how much the model is to think.
    """

    kind: ClassVar[str] = "prefix"
    prefix: Prefix
    reason: str
    provider: str
    model: str
    mode: str = ""
    thinking: str = ""


@dataclass(frozen=True, slots=True)
class PromptRecord:
    """What the user said; its number is the id of the `Prompt`.

    Attributes:
        text: the user's own words.
        attachments: inlined files and pictures, and what interceptors added.
        context: what the harness adds at the end.
        steering: it was said while a run was going on.
        facts: what attaching did: a file that was inlined was read.
    """

    kind: ClassVar[str] = "prompt"
    text: str
    attachments: tuple[PromptBlock, ...] = ()
    context: str = ""
    steering: bool = False
    facts: tuple[Fact, ...] = ()


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
        allowed_by: the rule, the mode, or `user`.
    """

    kind: ClassVar[str] = "call"
    turn: int
    call: int
    name: str
    arguments: dict[str, Any] | None = None
    corrected: bool = False
    allowed_by: str = ""


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
        origin: `provider/model` that was asked.
        thinking: how much it was to think.
        max_output: tokens that the reply could have.
        estimated: input tokens as they were estimated before.
        discarded: estimated tokens of answers that were closed early; `usage` has none of them.
        tries: why it was asked again, once for each of `retries`.
    """

    kind: ClassVar[str] = "attempt"
    number: int
    end: AttemptEnd
    reason: str = ""
    partial: str = ""
    usage: Usage = NO_USAGE
    seconds: dict[str, float] = field(default_factory=dict)
    retries: int = 0
    origin: str = ""
    thinking: str = ""
    max_output: int = 0
    estimated: int = 0
    discarded: int = 0
    tries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NudgeRecord:
    """Words of the harness to the model; its number is the id of the `Nudge`."""

    kind: ClassVar[str] = "nudge"
    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class FactsRecord:
    """Something was done that no call did: a judge ran the tests, say. Not shown to the model."""

    kind: ClassVar[str] = "facts"
    origin: str
    facts: tuple[Fact, ...]


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
    """The user was asked.

    Attributes:
        what: for permission, or a question of the model's.
        question: in words.
        answer: what was said; `yes` or `no` for permission, "" without an answer.
        outcome: whether somebody answered.
        rule: in older logs, the one allow rule that is remembered; "" for none.
        tool: which tool asks for permission.
        rules: the allow rules that are remembered, together.
    """

    kind: ClassVar[str] = "question"
    what: Literal["permission", "question"]
    question: str
    answer: str
    outcome: Literal["answered", "nobody", "dismissed"] = "answered"
    rule: str = ""
    tool: str = ""
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EndRecord:
    """A run is over.

    Attributes:
        end: the kind of end.
        reason: one line.
        attempts: how many were made.
        usage: tokens of all of them, summaries included.
        refused: calls that were refused for want of consent.
    """

    kind: ClassVar[str] = "end"
    end: RunEnd
    reason: str
    attempts: int = 0
    usage: Usage = NO_USAGE
    refused: int = 0


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
    | FactsRecord
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
