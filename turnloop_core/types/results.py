"""Results: what comes back from a call, and why it failed if it did."""

from __future__ import annotations

from enum import StrEnum

from turnloop_core.types.content import ResultBlock, Text
from turnloop_core.types.facts import Fact
from turnloop_core.values import dataclass


class ErrorKind(StrEnum):
    """Why a call has an error result. Metrics count these; the text tells the model what to do."""

    MALFORMED_ARGUMENTS = "malformed_arguments"  # not JSON, or not an object
    TRUNCATED_ARGUMENTS = "truncated_arguments"  # JSON that stops in the middle
    UNKNOWN_TOOL = "unknown_tool"
    SCHEMA_VIOLATION = "schema_violation"
    TRIMMED_MARKER = "trimmed_marker"  # a writing call that holds a marker made by an edit
    DENIED = "denied"  # a rule, a mode, a check or an interceptor said no
    DECLINED = "declined"  # the user said no
    NO_CONSENT = "no_consent"  # nobody there to ask
    TOOL_ERROR = "tool_error"  # the tool ran and reports failure
    EXCEPTION = "exception"  # the tool raised
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"  # stopped while it ran: may or may not have had its effect
    LOST = "lost"  # the process died while it ran: may or may not have had its effect
    NOT_RUN = "not_run"  # stopped before it began: had no effect


NEVER_REACHED_TOOL = frozenset(
    {
        ErrorKind.MALFORMED_ARGUMENTS,
        ErrorKind.TRUNCATED_ARGUMENTS,
        ErrorKind.UNKNOWN_TOOL,
        ErrorKind.SCHEMA_VIOLATION,
        ErrorKind.TRIMMED_MARKER,
        ErrorKind.DENIED,
        ErrorKind.DECLINED,
        ErrorKind.NO_CONSENT,
        ErrorKind.NOT_RUN,
    }
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something must not be done.

    Attributes:
        kind: which sort of error the result is.
        text: what the model is told.
        display: what the user is told; "" for the first line of `text`.
    """

    kind: ErrorKind
    text: str
    display: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What a call gave.

    Attributes:
        content: for the model: text and images. Never empty: a silent tool says so in words.
        display: for the user: a diff, a short line; None shows the first line of the content.
        facts: what was done, in typed form.
        error: why it failed, None when it did not.
    """

    content: tuple[ResultBlock, ...]
    display: str | None = None
    facts: tuple[Fact, ...] = ()
    error: ErrorKind | None = None

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def text(self) -> str:
        """All text of the content, joined by newlines."""
        return "\n".join(block.text for block in self.content if isinstance(block, Text))

    @classmethod
    def say(
        cls,
        text: str,
        *,
        display: str | None = None,
        facts: tuple[Fact, ...] = (),
        error: ErrorKind | None = None,
    ) -> Result:
        """A result of one text."""
        return cls((Text(text),), display, facts, error)
