"""Calls to results. Nothing that a model writes or a tool does gets past here as an exception."""

from __future__ import annotations

from dataclasses import field

import anyio

from turnloop_core.log.records import CallRecord, NudgeRecord, ResultRecord
from turnloop_core.loop.outcome import finished, guarded, interrupted
from turnloop_core.loop.parts import Parts
from turnloop_core.loop.prepare import BY_USER, Prepared, Ready, consent, prepare
from turnloop_core.types.content import Call
from turnloop_core.types.events import CallEnded, CallStarted, Nudged
from turnloop_core.types.items import Reply
from turnloop_core.types.results import ErrorKind, Refusal, Result
from turnloop_core.values import dataclass

MAX_SIDE_BY_SIDE = 8


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a result belongs: reply record, place of the call, the call."""

    turn: int
    index: int
    call: Call


@dataclass(frozen=True, slots=True)
class _Batch:
    """The calls of one reply. `added` is what interceptors want the model to read."""

    parts: Parts
    added: list[str] = field(default_factory=list)


async def dispatch(parts: Parts, turn: int, reply: Reply) -> None:
    """Give every call of a reply its result, in the log.

    Calls run side by side only if all of them are `parallel_safe` and none needs a question.

    Args:
        parts: what the run works with.
        turn: number of the reply's record.
        reply: the reply; a call that cannot run gets an error result.

    Raises:
        LogError: the log cannot be written; nothing runs that is not logged.
    """
    batch = _Batch(parts)
    slots = [Slot(turn, index, call) for index, call in enumerate(reply.calls)]
    if len(slots) > 1 and _all_parallel_safe(parts, slots):
        prepared = [(slot, await prepare(parts, slot.call)) for slot in slots]
        if any(isinstance(p, Ready) and p.asks for _, p in prepared):
            for slot, ready in prepared:
                await _one(batch, slot, ready)
        else:
            await _side_by_side(batch, prepared)
    else:
        for slot in slots:
            # Judged just before it runs: the call before may have changed what it would touch.
            await _one(batch, slot, await prepare(parts, slot.call))
    if batch.added:
        text = parts.mask("\n".join(batch.added))
        parts.log.append(NudgeRecord(text, "interceptor"))
        parts.emit(Nudged(text, "interceptor"))


def _all_parallel_safe(parts: Parts, slots: list[Slot]) -> bool:
    found = [parts.tools.find(slot.call.name)[0] for slot in slots]
    return all(offered is None or offered.entry.parallel_safe for offered in found)


async def _side_by_side(batch: _Batch, prepared: list[tuple[Slot, Prepared]]) -> None:
    limiter = anyio.CapacityLimiter(MAX_SIDE_BY_SIDE)
    failures: list[Exception] = []

    async def one(slot: Slot, ready: Prepared) -> None:
        try:
            async with limiter:
                await _one(batch, slot, ready)
        except Exception as error:  # kept, so that it does not come out wrapped in a group
            failures.append(error)
            group.cancel_scope.cancel()

    with batch.parts.ledger.state("tools"):  # around all of them, so that they count once
        async with anyio.create_task_group() as group:
            for slot, ready in prepared:
                group.start_soon(one, slot, ready)
    if failures:
        raise failures[0]


async def _one(batch: _Batch, slot: Slot, prepared: Prepared) -> None:
    """Run one prepared call, or say why not; either way it has its result afterwards."""
    parts = batch.parts
    if isinstance(prepared, Ready):
        allowed = await consent(parts, prepared)
        if not isinstance(allowed, Refusal):
            await _run(batch, slot, prepared, allowed)
            return
        prepared = allowed
    refused = Result.say(prepared.text, display=prepared.display or None, error=prepared.kind)
    _record(parts, slot, finished(refused, parts.mask), 0.0)


async def _run(batch: _Batch, slot: Slot, ready: Ready, allowed_by: str) -> None:
    parts, name = batch.parts, ready.offered.entry.name
    parts.log.append(
        CallRecord(slot.turn, slot.index, name, ready.replaced, ready.corrected, allowed_by)
    )
    parts.emit(CallStarted(slot.call, ready.summary))
    consented = ready.decision if ready.asks and allowed_by == BY_USER else None
    context = parts.context_of(ready.call, ready.subjects, consented)
    began = parts.clock()
    try:
        with parts.ledger.state("tools"):
            result = await guarded(name, lambda: ready.offered.tool.run(ready.args, context))
    except anyio.get_cancelled_exc_class():
        _record(parts, slot, interrupted(name), parts.clock() - began)
        raise
    # On record before anything else may take its time, or be interrupted.
    result = finished(result, parts.mask)
    _record(parts, slot, result, parts.clock() - began)
    added = (ready.add_text, await parts.interceptors.after_call(ready.call, result))
    batch.added.extend(f"After {name}: {text}" for text in added if text)


def _record(parts: Parts, slot: Slot, result: Result, seconds: float) -> None:
    # Refused before it ran, or while it ran: the run is done, but not as it would have been.
    if result.error is ErrorKind.NO_CONSENT:
        parts.tally.refused += 1
    parts.log.append(ResultRecord(slot.turn, slot.index, result, round(seconds, 6)))
    parts.emit(CallEnded(slot.call, result, seconds))
