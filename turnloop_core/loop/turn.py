"""One attempt: fit, ask, assemble, log, run the calls. Whatever happens, it is on record after."""

from __future__ import annotations

import anyio

from turnloop_core.errors import (
    ContextOverflowError,
    LogError,
    RejectedCallError,
    StreamCutError,
    TurnloopError,
)
from turnloop_core.log.records import AttemptRecord, ReplyRecord, ResultRecord
from turnloop_core.log.view import unanswered_result
from turnloop_core.loop.asking import Asking
from turnloop_core.loop.assemble import Assembler
from turnloop_core.loop.dispatch import dispatch
from turnloop_core.loop.narrate import Narrator
from turnloop_core.loop.parts import Parts
from turnloop_core.types.events import (
    AttemptEnd,
    AttemptEnded,
    AttemptStarted,
    CallEnded,
    ReplyEnded,
    ReplyVoided,
)
from turnloop_core.types.items import Reply, StopReason, Turn
from turnloop_core.types.usage import Usage
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class Attempted:
    """What came of an attempt: the turn it added, if any; an error if the run cannot go on; how a
    stream broke off, after which it may.
    """

    end: AttemptEnd
    reason: str = ""
    turn: Turn | None = None
    error: TurnloopError | None = None
    cut: StreamCutError | None = None


async def attempt(parts: Parts, number: int) -> Attempted:
    """Make one request and do what the reply asks for.

    Raises:
        LogError: the log cannot be written.
    """
    parts.emit(AttemptStarted(number))
    asking = Asking(parts, Narrator(parts.emit, parts.ledger))
    try:
        try:
            await asking.ask()
        except StreamCutError as error:
            done = Attempted(AttemptEnd.CUT_STREAM, str(error), cut=error)
        except RejectedCallError as error:
            done = Attempted(AttemptEnd.REJECTED_CALL, str(error))
        except ContextOverflowError as error:
            done = Attempted(AttemptEnd.OVERFLOW, str(error), error=error)
        except LogError:
            raise
        except TurnloopError as error:
            done = Attempted(AttemptEnd.FAULT, str(error), error=error)
        else:
            done = await _take(parts, asking)
    except anyio.get_cancelled_exc_class():
        _answer_the_rest(parts, asking.reply)
        _close(parts, number, asking, Attempted(AttemptEnd.INTERRUPTED, "interrupted"))
        raise
    _close(parts, number, asking, done)
    return done


async def _take(parts: Parts, asking: Asking) -> Attempted:
    """An answer that came to its end, or was closed: a turn if it can be one."""
    if asking.stopped is not None:
        return Attempted(asking.stopped.end, asking.stopped.reason)
    assembler = asking.assembler
    end, reason = _outcome(assembler)
    if stray := _stray(end, assembler, parts.tools.names):
        return Attempted(AttemptEnd.STRAY_CALL, stray)
    if end not in (AttemptEnd.TURN, AttemptEnd.CUT_TEXT, AttemptEnd.REFUSED):
        return Attempted(end, reason)
    reply = assembler.reply(parts.model.origin)
    if not reply.text.strip() and not reply.calls:
        return Attempted(end, reason)
    asking.reply = reply
    number = parts.log.append(ReplyRecord(reply)).n
    parts.emit(ReplyEnded(reply))
    if reply.calls:
        await dispatch(parts, number, reply)
    return Attempted(end, reason, _turn(parts, number))


def _stray(end: AttemptEnd, assembler: Assembler, names: tuple[str, ...]) -> str:
    """That a call was left as text, or as reasoning where nothing else came; "" when none was."""
    if assembler.calls_begun or end not in (AttemptEnd.TURN, AttemptEnd.REASONING):
        return ""
    from turnloop_core.loop.stray_calls import stray_call  # its patterns take long to compile

    where = "text" if end is AttemptEnd.TURN else "reasoning"
    name = stray_call(assembler.text if where == "text" else assembler.reasoning, names)
    return f"a call of {name} was left as {where}: it was not run" if name else ""


def _outcome(assembler: Assembler) -> tuple[AttemptEnd, str]:
    assert assembler.end is not None
    stop, raw = assembler.end.stop, assembler.end.raw_stop
    if stop is StopReason.MAX_TOKENS:
        if assembler.calls_begun:
            return AttemptEnd.CUT_CALL, f"the output limit cut {assembler.last_call}"
        if assembler.is_blank:
            return _nothing(assembler), "the output limit was reached before anything was said"
        return AttemptEnd.CUT_TEXT, "the output limit cut the text"
    if stop in (StopReason.ERROR, StopReason.INCOMPLETE):
        return AttemptEnd.CUT_STREAM, f"the provider ended the reply early ({raw or stop})"
    if stop is StopReason.REFUSAL:
        return AttemptEnd.REFUSED, raw or "refusal"
    if not assembler.is_blank:
        return AttemptEnd.TURN, ""
    if stop is StopReason.TOOL_USE:
        return _nothing(assembler), "a tool call was announced, and none came"
    return _nothing(assembler), "neither text nor a tool call"


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


def _close(parts: Parts, number: int, asking: Asking, done: Attempted) -> None:
    """Put the attempt on record."""
    assembler = asking.assembler
    usage = asking.usage
    kept = asking.reply is not None
    if not kept and assembler.text:
        parts.emit(ReplyVoided(done.reason))
    seconds = parts.ledger.take()
    parts.tally.add(usage)
    _learn(parts, asking.estimated, assembler.usage)
    parts.log.append(
        AttemptRecord(
            number,
            done.end,
            done.reason,
            asking.partial,
            usage,
            seconds,
            len(asking.tries),
            parts.model.origin,
            asking.thinking,
            parts.model.max_output,
            asking.estimated,
            asking.discarded,
            asking.tries,
        )
    )
    parts.emit(AttemptEnded(number, done.end, done.reason, usage, seconds))


def _learn(parts: Parts, estimated: int, usage: Usage) -> None:
    if usage.reported and usage.total_input and estimated:
        parts.estimator.observe(estimated, usage.total_input)
