"""Facts: what a call did, in typed form.

Compactors, judges, metrics and the file manifest read facts, never tool names; so a tool that
reports them is understood by all of those, whoever wrote it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class ReadRange:
    """Lines of a file were shown to the model.

    Attributes:
        path: real absolute path.
        start: first line shown, from 1; 0 for content that has no lines (an image).
        end: last line shown, inclusive.
        digest: hash of the whole file's bytes (`blake2b`, 16 bytes, hex) when it was read.
        whole: the range is the whole file.
    """

    kind: ClassVar[str] = "read_range"
    path: str
    start: int
    end: int
    digest: str
    whole: bool = False


@dataclass(frozen=True, slots=True)
class WroteFile:
    """A file has new content.

    Attributes:
        path: real absolute path.
        size: bytes after the write.
        digest: hash of the bytes after the write, as in `ReadRange`.
        created: the file did not exist before.
        changed: False when the new content equals the old.
        before: hash of the bytes that it replaced, "" when there were none.
        known: the model knows all of the new content; False for a change made within content that
            it had not read.
    """

    kind: ClassVar[str] = "wrote_file"
    path: str
    size: int
    digest: str
    created: bool = False
    changed: bool = True
    before: str = ""
    known: bool = True


@dataclass(frozen=True, slots=True)
class RanCommand:
    """A program was run.

    Attributes:
        command: as the model wrote it.
        exit_code: the status, negative for a signal, None while it runs or when it was ended.
        seconds: wall-clock time.
        timed_out: it was ended at its time limit.
        background: processes of it were still running when the call returned.
        changed_files: project files that were added, changed or removed meanwhile, as real absolute
            paths, some hundreds at most; files that ignore rules name do not count. None when
            nobody looked, or could not see all.
        cwd: where it ran, a real absolute path.
        output_digest: hash of what it printed, as in `ReadRange`; tells the same failure from
            another.
        verification: the harness ran it as a check.
        changed_more: how many more files changed than `changed_files` names.
    """

    kind: ClassVar[str] = "ran_command"
    command: str
    exit_code: int | None
    seconds: float
    timed_out: bool = False
    background: bool = False
    changed_files: tuple[str, ...] | None = None
    cwd: str = ""
    output_digest: str = ""
    verification: bool = False
    changed_more: int = 0


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of a plan.

    Attributes:
        text: its words.
        status: `pending`, `in_progress` or `completed`.
        id: the model's own name for it, which stays when it is reworded; "" for none.
    """

    text: str
    status: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """The model wrote down its plan; the newest one holds."""

    kind: ClassVar[str] = "saved_plan"
    steps: tuple[PlanStep, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """The user was asked something. `answer` is None when nobody answered."""

    kind: ClassVar[str] = "asked"
    question: str
    answer: str | None


@dataclass(frozen=True, slots=True)
class Waited:
    """Time passed on purpose: `seconds`, waiting for `what`."""

    kind: ClassVar[str] = "waited"
    seconds: float
    what: str


@dataclass(frozen=True, slots=True)
class Searched:
    """Names or contents were searched.

    Attributes:
        pattern: what was looked for.
        base: real absolute path of the folder or file, or an address.
        matches: how many were found.
        complete: False when a limit or an error cut the search.
    """

    kind: ClassVar[str] = "searched"
    pattern: str
    base: str
    matches: int
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Fetched:
    """An address was read: final `url`, HTTP `status`, `size` in bytes."""

    kind: ClassVar[str] = "fetched"
    url: str
    status: int
    size: int


@dataclass(frozen=True, slots=True)
class Delegated:
    """Work was given to a subagent.

    Attributes:
        session: id of the child's session.
        outcome: `finished`, `limit`, `no_progress`, `error` or `cancelled`.
        attempts: how many attempts the child made.
    """

    kind: ClassVar[str] = "delegated"
    session: str
    outcome: str
    attempts: int


@dataclass(frozen=True, slots=True)
class OtherFact:
    """A fact of a kind that this version does not know; kept as it was read."""

    kind: ClassVar[str] = "other"
    data: dict[str, Any]


Fact = (
    ReadRange
    | WroteFile
    | RanCommand
    | SavedPlan
    | Asked
    | Waited
    | Searched
    | Fetched
    | Delegated
    | OtherFact
)
