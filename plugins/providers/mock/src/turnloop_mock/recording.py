"""What can be replayed of a recorded session: what each request to the model led to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from turnloop_core.api import (
    AttemptEnd,
    Event,
    LogError,
    Notice,
    Reply,
    Result,
    SettingsError,
    Summarise,
    Usage,
    read_log,
)

Outcome = tuple[str, int]  # kind of error ("" for none) and hash of the text


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request led to.

    Attributes:
        reply: the reply; None where none was kept.
        end: how the attempt ended; None where the log breaks off before.
        reason: one line.
        partial: what was shown of a reply that was not kept.
        usage: tokens, as far as reported.
        retries: requests beyond the first.
        prompt: which prompt it answers, from 1; those said in between do not count.
        outcomes: of its calls, in order; shorter where the log lacks some.
    """

    reply: Reply | None
    end: AttemptEnd | None = None
    reason: str = ""
    partial: str = ""
    usage: Usage = field(default_factory=lambda: Usage(reported=False))
    retries: int = 0
    prompt: int = 1
    outcomes: tuple[Outcome, ...] = ()


@dataclass(frozen=True, slots=True)
class SummaryAnswer:
    """What the question for a summary led to.

    Attributes:
        text: the summary as it stood in the view; "" where the strategy could not use it.
        usage: tokens of the question.
        turns: how many turns of the session it replaced.
        place: how many answers were given before it.
    """

    text: str
    usage: Usage
    turns: int = 0
    place: int = 0


@dataclass(frozen=True, slots=True)
class Recording:
    """A session, as far as a provider had a part in it."""

    name: str
    answers: tuple[Answer, ...]
    summaries: tuple[SummaryAnswer, ...] = ()


def read_recording(path: Path, key: str, emit: Callable[[Event], None]) -> Recording:
    """Read a log. Of its records only what is replayed is kept.

    Args:
        path: the log.
        key: of the setting that names it, for the error.
        emit: told of damage.

    Raises:
        SettingsError: it cannot be read, is no log, or holds no reply.
    """
    try:
        log = read_log(path)
    except LogError as error:
        raise SettingsError(f"{key}: {error}", key=key, hint=error.hint) from None
    if not log.records:
        raise SettingsError(
            f"{key}: {path} is no session log: not a line of it is a record",
            key=key,
            hint="give the id of a session, see: tl sessions; or the path of its log",
        )
    recording = recorded(path.stem, log.records)
    if not any(answer.reply is not None for answer in recording.answers):
        raise SettingsError(
            f"{key}: {path} holds no reply of a model, so there is nothing to replay",
            key=key,
            hint="choose a session in which a model answered, see: tl sessions",
        )
    if log.damage:
        count = len(log.damage)
        emit(
            Notice(
                "warning",
                f"replay: {path} is damaged in {count} place{'s' * (count > 1)}; what stood there "
                "is not replayed",
            )
        )
    return recording


def recorded(name: str, records: Iterable[Any]) -> Recording:
    """What can be replayed of these records."""
    reading = _Reading()
    for record in records:
        reading.take(record.n, record.body)
    reading.settle()
    return Recording(name, tuple(reading.answers), tuple(reading.summaries))


def outcome_of(result: Result) -> Outcome:
    """What of a result is compared; of its text only a hash is kept, for results are large."""
    return str(result.error or ""), hash(result.text)


class _Reading:
    """Goes through the records in order."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.summaries: list[SummaryAnswer] = []
        self._prompt = 0
        self._turns: list[int] = []  # numbers of the replies
        self._reply: Reply | None = None  # the newest, until its attempt is over
        self._outcomes: dict[int, Outcome] = {}
        self._summary_open = False

    def take(self, number: int, body: Any) -> None:
        match body.kind:
            case "prompt":
                self.settle()
                self._prompt += not body.steering
            case "reply":
                self.settle()
                self._reply, self._outcomes = body.reply, {}
                self._turns.append(number)
            case "result" if self._turns and body.turn == self._turns[-1]:
                self._outcomes[body.call] = outcome_of(body.result)
            case "attempt":
                self._attempt(body)
            case "end":
                self._end(str(body.end))
            case "usage" if body.what == "summary":
                place = len(self.answers)
                self.summaries.append(SummaryAnswer("", body.usage, place=place))
                self._summary_open = True
            case "edit":
                self._edit(body.edits)

    def settle(self) -> None:
        """A reply whose attempt did not come to its end: the program died."""
        if self._reply is not None:
            self._add(Answer(self._reply))

    def _attempt(self, body: Any) -> None:
        unsent = self._reply is None and not body.estimated
        if unsent and body.end in (AttemptEnd.OVERFLOW, AttemptEnd.FAULT):
            return  # it failed before anything was asked, and will again
        self._add(
            Answer(
                self._reply, body.end, body.reason, body.partial, body.usage, min(body.retries, 99)
            )
        )

    def _end(self, end: str) -> None:
        self.settle()
        last = self.answers[-1] if self.answers else None
        if end == "interrupted" and last is not None and last.reply and last.reply.calls:
            # Interrupted while its calls ran. Here they come to their end, and the run asks on.
            self._add(Answer(None, AttemptEnd.INTERRUPTED))

    def _edit(self, edits: Iterable[Any]) -> None:
        """The edits that follow the question for a summary hold the summary, if it could be used;
        a strategy that summarises without a model has asked no question.
        """
        found = next((edit for edit in edits if isinstance(edit, Summarise)), None)
        if self._summary_open and found is not None:
            asked = self.summaries[-1]
            turns = sum(number <= found.last for number in self._turns)
            self.summaries[-1] = SummaryAnswer(found.text, asked.usage, turns, asked.place)
            self._summary_open = False

    def _add(self, answer: Answer) -> None:
        count = len(answer.reply.calls) if answer.reply is not None else 0
        outcomes = tuple(self._outcomes[n] for n in range(count) if n in self._outcomes)
        kept = outcomes if len(outcomes) == count else ()
        self.answers.append(
            Answer(
                answer.reply,
                answer.end,
                answer.reason,
                answer.partial,
                answer.usage,
                answer.retries,
                max(self._prompt, 1),
                kept,
            )
        )
        self._reply, self._outcomes, self._summary_open = None, {}, False
