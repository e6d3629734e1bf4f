"""One attempt: fit, ask, assemble, log, run the calls. Whatever happens, it is on record after."""

from __future__ import annotations

import anyio

from turnloop_core.errors import (
    ContextOverflowError,
    LogError,
    StreamCutError,
    TurnloopError,
)
from turnloop_core.log.records import AttemptRecord, ReplyRecord, ResultRecord
from turnloop_core.log.view import unanswered_result
from turnloop_core.loop.assemble import Assembler
from turnloop_core.loop.closing import closing
from turnloop_core.loop.dispatch import dispatch
from turnloop_core.loop.foreign import foreign
from turnloop_core.loop.narrate import Narrator
from turnloop_core.loop.parts import Parts
from turnloop_core.loop.pressure import make_fit, relieve
from turnloop_core.ports.provider import Request
from turnloop_core.types.events import (
    AttemptEnd,
    AttemptEnded,
    AttemptStarted,
    CallEnded,
    ReplyEnded,
    ReplyVoided,
)
from turnloop_core.types.items import Reply, StopReason, Turn
from turnloop_core.types.usage import NO_USAGE, Usage
from turnloop_core.values import dataclass

MAX_OVERFLOWS = 3  # times that one attempt thins the view because the provider says "too long"


@dataclass(frozen=True, slots=True)
class Attempted:
    """What came of an attempt: the turn it added, if any; an error if the run cannot go on."""

    end: AttemptEnd
    reason: str = ""
    turn: Turn | None = None
    error: TurnloopError | None = None


async def attempt(parts: Parts, number: int) -> Attempted:
    """Make one request and do what the reply asks for.

    Raises:
        LogError: the log cannot be written.
    """
    parts.emit(AttemptStarted(number))
    narrator = Narrator(parts.emit, parts.ledger)
    stream = _Stream(parts, narrator)
    try:
        try:
            await stream.ask()
        except StreamCutError as error:
            done = Attempted(AttemptEnd.CUT_STREAM, str(error))
        except ContextOverflowError as error:
            done = Attempted(AttemptEnd.OVERFLOW, str(error), error=error)
        except LogError:
            raise
        except TurnloopError as error:
            done = Attempted(AttemptEnd.FAULT, str(error), error=error)
        else:
            done = await _take(parts, stream)
    except anyio.get_cancelled_exc_class():
        _answer_the_rest(parts, stream.reply)
        _close(parts, number, stream, Attempted(AttemptEnd.INTERRUPTED, "interrupted"))
        raise
    _close(parts, number, stream, done)
    return done


class _Stream:
    """The request of an attempt, asked again when the provider says that it was too long."""

    def __init__(self, parts: Parts, narrator: Narrator) -> None:
        self._parts = parts
        self._narrator = narrator
        self.assembler = Assembler("0")
        self.reply: Reply | None = None
        self.estimated = 0

    @property
    def retries(self) -> int:
        return self._narrator.retries

    async def ask(self) -> None:
        """Stream one whole reply into `assembler`.

        Raises:
            ContextOverflowError: it does not fit, and nothing more can go.
            ProviderError: as the provider says.
        """
        await make_fit(self._parts)
        for round_ in range(MAX_OVERFLOWS + 1):
            try:
                await self._once()
                return
            except ContextOverflowError:
                if round_ == MAX_OVERFLOWS or not await relieve(self._parts):
                    raise
                self._narrator.overflowed()

    async def _once(self) -> None:
        parts = self._parts
        view = parts.log.view
        request = Request(
            view, parts.model.name, parts.model.max_output, parts.model.thinking, parts.session
        )
        self.assembler = Assembler(str(parts.log.fold.last_number + 1))
        self.estimated = parts.estimator.history(view) + sum(parts.estimator.prefix(view.prefix))
        with parts.ledger.state("model_wait"):
            try:
                async with closing(foreign(parts.model.provider, request)) as deltas:
                    async for delta in deltas:
                        parts.warm_up()
                        self._narrator.tell(delta)
                        self.assembler.feed(delta)
            finally:
                self._narrator.close()
        if self.assembler.end is None:
            raise StreamCutError("the reply ended without its ending mark", cause="closed")


async def _take(parts: Parts, stream: _Stream) -> Attempted:
    """A stream that came to its end: a turn if it can be one."""
    assembler = stream.assembler
    end, reason = _outcome(assembler)
    if end not in (AttemptEnd.TURN, AttemptEnd.CUT_TEXT, AttemptEnd.REFUSED):
        return Attempted(end, reason)
    reply = assembler.reply(parts.model.origin)
    if not reply.text.strip() and not reply.calls:
        return Attempted(end, reason)
    stream.reply = reply
    number = parts.log.append(ReplyRecord(reply)).n
    parts.emit(ReplyEnded(reply))
    if reply.calls:
        await dispatch(parts, number, reply)
    return Attempted(end, reason, _turn(parts, number))


def _outcome(assembler: Assembler) -> tuple[AttemptEnd, str]:
    assert assembler.end is not None
    stop, raw = assembler.end.stop, assembler.end.raw_stop
    if stop is StopReason.MAX_TOKENS:
        if assembler.calls_begun:
            return AttemptEnd.CUT_CALL, "the output limit cut a tool call"
        if assembler.is_blank:
            return _nothing(assembler), "the output limit was reached before anything was said"
        return AttemptEnd.CUT_TEXT, "the output limit cut the text"
    if stop in (StopReason.ERROR, StopReason.INCOMPLETE):
        return AttemptEnd.CUT_STREAM, f"the provider ended the reply early ({raw or stop})"
    if stop is StopReason.REFUSAL:
        return AttemptEnd.REFUSED, raw or "refusal"
    if assembler.is_blank:
        return _nothing(assembler), "neither text nor a tool call"
    return AttemptEnd.TURN, ""


def _nothing(assembler: Assembler) -> AttemptEnd:
    return AttemptEnd.REASONING if assembler.has_reasoning else AttemptEnd.EMPTY


def _turn(parts: Parts, number: int) -> Turn | None:
    for item in reversed(parts.log.view.items):
        if isinstance(item, Turn) and item.id == number:
            return item
    return None


def _answer_the_rest(parts: Parts, reply: Reply | None) -> None:
    """Give the calls of an interrupted reply that have no result one that says why."""
    if reply is None:
        return
    for missing in parts.log.fold.unanswered():
        call = reply.calls[missing.call]
        result = unanswered_result(started=missing.started)
        parts.log.append(ResultRecord(missing.turn, missing.call, result))
        parts.emit(CallEnded(call, result, 0.0))


def _close(parts: Parts, number: int, stream: _Stream, done: Attempted) -> None:
    """Put the attempt on record."""
    assembler = stream.assembler
    usage = assembler.end.usage if assembler.end is not None else NO_USAGE
    kept = stream.reply is not None
    if not kept and assembler.text:
        parts.emit(ReplyVoided(done.reason))
    partial = "" if kept else assembler.text
    seconds = parts.ledger.take()
    parts.tally.add(usage)
    _learn(parts, stream.estimated, usage)
    parts.log.append(
        AttemptRecord(
            number,
            done.end,
            done.reason,
            partial,
            usage,
            seconds,
            stream.retries,
            parts.model.origin,
            parts.model.thinking,
            parts.model.max_output,
            stream.estimated,
        )
    )
    parts.emit(AttemptEnded(number, done.end, done.reason, usage, seconds))


def _learn(parts: Parts, estimated: int, usage: Usage) -> None:
    if usage.reported and usage.total_input and estimated:
        parts.estimator.observe(estimated, usage.total_input)
