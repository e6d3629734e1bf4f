"""The fold: records in, view out. It reads nothing but the records it is fed."""

from __future__ import annotations

from collections.abc import Iterable

from turnloop_core.log.edits import Items, apply, validate
from turnloop_core.log.numbers import Numbers
from turnloop_core.log.records import (
    AttemptRecord,
    CallRecord,
    EditRecord,
    EndRecord,
    FactsRecord,
    NudgeRecord,
    PrefixRecord,
    PromptRecord,
    Record,
    ReplyRecord,
    ResultRecord,
    SessionRecord,
    UsageRecord,
)
from turnloop_core.types.content import Image
from turnloop_core.types.facts import Fact
from turnloop_core.types.items import Item, NudgeItem, Prompt, Reply, Turn
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.view import Prefix, View
from turnloop_core.values import dataclass

__all__ = ["Fold", "Unanswered", "fold", "unanswered_result", "validate"]

_LOST = (
    "The result of this call was lost: the program ended while it ran. It may or may not have "
    "run, wholly or in part, and may have had effects. Check what is there before you do it again."
)
_NOT_RUN = "This call was not run: the work stopped before it began. It had no effect."


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A call of the newest reply without a result: its turn, its place, whether it began."""

    turn: int
    call: int
    started: bool


def unanswered_result(*, started: bool) -> Result:
    """What stands for a result that never came."""
    if started:
        return Result.say(_LOST, display="lost", error=ErrorKind.LOST)
    return Result.say(_NOT_RUN, display="not run", error=ErrorKind.NOT_RUN)


def fold(records: Iterable[Record]) -> Fold:
    """The fold of these records."""
    folded = Fold()
    for record in records:
        folded.feed(record)
    return folded


class _Pending:
    """The newest reply while its calls have not all got results."""

    __slots__ = ("id", "open", "reply", "results", "started")

    def __init__(self, number: int, reply: Reply) -> None:
        self.id = number
        self.reply = reply
        self.results: list[Result | None] = [None] * len(reply.calls)
        self.started: set[int] = set()
        self.open = len(self.results)

    def waits_for(self, turn: int, call: int) -> bool:
        known = turn == self.id and 0 <= call < len(self.results)
        return known and self.results[call] is None

    def turn(self) -> Turn:
        """The turn, with words in the place of the results that are missing."""
        return Turn(
            self.id,
            self.reply,
            tuple(
                unanswered_result(started=call in self.started) if result is None else result
                for call, result in enumerate(self.results)
            ),
        )

    def facts(self) -> list[Fact]:
        return [fact for result in self.results if result is not None for fact in result.facts]


class Fold:
    """What a log says, record by record.

    Attributes:
        session: what the session is, None in a log whose first record is lost.
        prefix_record: the newest prefix, None before the first.
        run_open: there was a prompt, and no end of the run since.
        attempts_in_run: attempts that ended since the prompt that began the newest run.
        last_request: when the newest request ended (Unix, seconds), 0 when there was none.
    """

    def __init__(self) -> None:
        self.session: SessionRecord | None = None
        self.prefix_record: PrefixRecord | None = None
        self.run_open = False
        self.attempts_in_run = 0
        self.last_request = 0.0
        self._numbers = Numbers()
        self._items = Items()
        self._facts: list[Fact] = []
        self._pending: _Pending | None = None
        self._epoch = 0
        self._view: View | None = None

    @property
    def last_number(self) -> int:
        """The highest record number so far, 0 at first."""
        return self._numbers.highest

    @property
    def pending(self) -> int | None:
        """Id of the turn whose results are not all there yet."""
        return self._pending.id if self._pending else None

    def feed(self, record: Record) -> None:
        """Take the next record. One that fits nowhere changes nothing; a number counts once."""
        if not self._numbers.add(record.n):
            return
        match record.body:
            case ResultRecord(turn, call, result):
                self._on_result(turn, call, result)
            case CallRecord(turn, call):
                self._on_call(turn, call)
            case ReplyRecord(reply):
                self._on_reply(record.n, reply)
            case AttemptRecord() | UsageRecord():
                self.attempts_in_run += isinstance(record.body, AttemptRecord)
                self.last_request = record.t
            case FactsRecord(_, facts):
                self._learn(facts)
            case PromptRecord() as prompt:
                self._on_prompt(record.n, prompt)
            case NudgeRecord(text, origin):
                self._add(NudgeItem(record.n, text, origin))
            case EditRecord(edits):
                self._epoch += bool(apply(self._items, edits, record.n).accepted)
                self._view = None
            case EndRecord():
                self._settle()
                self.run_open = False
            case PrefixRecord() | SessionRecord():
                self._on_frame(record.body)

    def view(self) -> View:
        """What the model is shown now; the same object until something changes."""
        if self._view is None:
            prefix = self.prefix_record.prefix if self.prefix_record else Prefix()
            items, facts = tuple(self._items), tuple(self._facts)
            if self._pending:
                items = (*items, self._pending.turn())
                facts = (*facts, *self._pending.facts())
            self._view = View(prefix, items, self._epoch, facts)
        return self._view

    def unanswered(self) -> tuple[Unanswered, ...]:
        """The calls of the newest reply that have no result."""
        if self._pending is None:
            return ()
        return tuple(
            Unanswered(self._pending.id, call, call in self._pending.started)
            for call, result in enumerate(self._pending.results)
            if result is None
        )

    def _on_frame(self, body: PrefixRecord | SessionRecord) -> None:
        if isinstance(body, SessionRecord):
            self.session = self.session or body
        else:
            self.prefix_record = body
            self._view = None

    def _on_prompt(self, number: int, said: PromptRecord) -> None:
        if not (said.steering and self.run_open):
            self.attempts_in_run = 0
        self.run_open = True
        self._add(Prompt(number, said.text, said.attachments, said.context, said.steering))
        self._learn(said.facts)

    def _learn(self, facts: tuple[Fact, ...]) -> None:
        self._facts += facts
        self._view = None

    def _on_reply(self, number: int, reply: Reply) -> None:
        self._settle()
        if reply.calls:
            self._pending = _Pending(number, reply)
            self._view = None
        elif not _is_blank(reply):
            self._add(Turn(number, reply))

    def _on_call(self, turn: int, call: int) -> None:
        if self._pending and self._pending.waits_for(turn, call):
            self._pending.started.add(call)
            self._view = None

    def _on_result(self, turn: int, call: int, result: Result) -> None:
        pending = self._pending
        if pending is None or not pending.waits_for(turn, call):
            return
        pending.results[call] = result
        pending.open -= 1
        self._view = None
        if not pending.open:
            self._settle()

    def _settle(self) -> None:
        """The newest reply becomes a turn, whatever its calls have by now."""
        if self._pending is None:
            return
        pending, self._pending = self._pending, None
        self._facts += pending.facts()
        self._items.append(pending.turn())
        self._view = None

    def _add(self, item: Item) -> None:
        self._settle()
        self._items.append(item)
        self._view = None


def _is_blank(reply: Reply) -> bool:
    """Neither text nor calls: as an empty message it would be refused by every wire."""
    return not reply.text.strip() and not any(isinstance(block, Image) for block in reply.blocks)
