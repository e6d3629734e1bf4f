"""Calls to results. Nothing that a model writes or a tool does gets past here as an exception."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anyio

from turnloop_core.errors import LogError, PathChangedError, TurnloopError
from turnloop_core.log.records import CallRecord, ResultRecord
from turnloop_core.loop import arguments as args_of
from turnloop_core.loop.bounds import MAX_RESULT_CHARS, head_and_tail
from turnloop_core.loop.gate import Refusal
from turnloop_core.loop.parts import Offered, Parts
from turnloop_core.types.content import Call, Text
from turnloop_core.types.events import CallEnded, CallStarted
from turnloop_core.types.items import Reply
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.subjects import Decision, Subject, Verdict

MAX_SIDE_BY_SIDE = 8

CONSENT_KINDS = frozenset({ErrorKind.NO_CONSENT})


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a result belongs: reply record, place of the call, the call."""

    turn: int
    index: int
    call: Call


@dataclass(frozen=True, slots=True)
class Ready:
    """A call that was understood and judged, but has not run."""

    offered: Offered
    args: Any
    subjects: tuple[Subject, ...]
    decision: Decision
    summary: str
    replaced: dict[str, Any] | None
    corrected: bool
    add_text: str


Prepared = Ready | Refusal


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
    slots = [Slot(turn, index, call) for index, call in enumerate(reply.calls)]
    if len(slots) > 1 and _all_parallel_safe(parts, slots):
        prepared = [(slot, await _prepare(parts, slot.call)) for slot in slots]
        if any(isinstance(p, Ready) and p.decision.verdict is Verdict.ASK for _, p in prepared):
            for slot, ready in prepared:
                await _one(parts, slot, ready)
        else:
            await _side_by_side(parts, prepared)
        return
    for slot in slots:
        # Judged just before it runs: the call before may have changed what it would touch.
        await _one(parts, slot, await _prepare(parts, slot.call))


def _all_parallel_safe(parts: Parts, slots: list[Slot]) -> bool:
    found = [parts.tools.find(slot.call.name)[0] for slot in slots]
    return all(offered is None or offered.entry.parallel_safe for offered in found)


async def _side_by_side(parts: Parts, prepared: list[tuple[Slot, Prepared]]) -> None:
    limiter = anyio.CapacityLimiter(MAX_SIDE_BY_SIDE)
    failures: list[LogError] = []

    async def guarded(slot: Slot, ready: Prepared) -> None:
        try:
            async with limiter:
                await _one(parts, slot, ready)
        except LogError as error:  # kept, so that it does not come out wrapped in a group
            failures.append(error)

    with parts.ledger.state("tools"):  # around all of them, so that they count once
        async with anyio.create_task_group() as group:
            for slot, ready in prepared:
                group.start_soon(guarded, slot, ready)
    if failures:
        raise failures[0]


async def _one(parts: Parts, slot: Slot, prepared: Prepared) -> None:
    """Run one prepared call, or say why not; either way it has its result afterwards."""
    if isinstance(prepared, Ready):
        refusal = await _refusal(parts, prepared)
        if refusal is None:
            await _run(parts, slot, prepared)
            return
        prepared = refusal
    if prepared.kind in CONSENT_KINDS:
        parts.tally.refused += 1
    _record(parts, slot, Result.say(prepared.text, error=prepared.kind), 0.0)


async def _prepare(parts: Parts, call: Call) -> Prepared:
    """Understand a call and judge it. Asks nobody and runs nothing of the tool but `subjects`."""
    offered, corrected = parts.tools.find(call.name)
    if offered is None:
        return args_of.unknown_tool(call.name, parts.tools)
    name = offered.entry.name
    parsed = args_of.parse(name, call.arguments)
    if isinstance(parsed, Refusal):
        return parsed
    args = args_of.validate(offered, parsed)
    if isinstance(args, Refusal):
        return args
    said = await parts.interceptors.before_call(call, parsed)
    if said.deny:
        return Refusal(ErrorKind.DENIED, f"{name} was not run: {said.deny}")
    if said.arguments is not None:
        args = args_of.validate(offered, said.arguments)
        if isinstance(args, Refusal):
            return args
    try:
        subjects = tuple(offered.tool.subjects(args, parts.context_of(call, ()).scope))
    except TurnloopError as error:
        return Refusal(ErrorKind.TOOL_ERROR, f"{name} was not run: {error.for_model}")
    except Exception as error:
        return Refusal(
            ErrorKind.EXCEPTION,
            f"{name} was not run: what it would touch could not be found out "
            f"({type(error).__name__}: {error}). Try other arguments.",
        )
    decision = parts.gate.decide(name, subjects, read_only=offered.entry.read_only)
    summary = _summary(name, subjects, said.arguments or parsed)
    return Ready(
        offered, args, subjects, decision, summary, said.arguments, corrected, said.add_text
    )


async def _refusal(parts: Parts, ready: Ready) -> Refusal | None:
    name = ready.offered.entry.name
    match ready.decision.verdict:
        case Verdict.ALLOW:
            return None
        case Verdict.DENY:
            return Refusal(
                ErrorKind.DENIED,
                f"{name} was not run: {ready.decision.reason}. Do not try the same in another "
                "form; do it in an allowed way, or say what you would need.",
            )
    return await parts.gate.consent(name, ready.summary, ready.decision)


def _summary(name: str, subjects: tuple[Subject, ...], arguments: dict[str, Any]) -> str:
    """One line for the user: what the call touches, or its first argument."""
    shown = ", ".join(dict.fromkeys(s.display for s in subjects if s.display))
    if not shown:
        first = next((v for v in arguments.values() if isinstance(v, str)), "")
        shown = first
    line = " ".join(shown.split())
    return f"{name}({line[:200]}{'...' if len(line) > 200 else ''})"


async def _run(parts: Parts, slot: Slot, ready: Ready) -> None:
    name, call = ready.offered.entry.name, slot.call
    parts.log.append(CallRecord(slot.turn, slot.index, name, ready.replaced, ready.corrected))
    parts.emit(CallStarted(call, ready.summary))
    began = parts.clock()
    context = parts.context_of(call, ready.subjects)
    result: Result | None = None
    try:
        with parts.ledger.state("tools"):
            result = await _guarded(name, lambda: ready.offered.tool.run(ready.args, context))
        said = await parts.interceptors.after_call(call, result)
    except anyio.get_cancelled_exc_class():
        result = _interrupted(name) if result is None else _finished(parts, result, [])
        _record(parts, slot, result, parts.clock() - began)
        raise
    added = [text for text in (ready.add_text, said) if text]
    _record(parts, slot, _finished(parts, result, added), parts.clock() - began)


def _interrupted(name: str) -> Result:
    return Result.say(
        f"{name} was interrupted while it ran. It may or may not have had its effect: check "
        "before you do it again.",
        error=ErrorKind.INTERRUPTED,
    )


async def _guarded(name: str, run: Callable[[], Any]) -> Result:
    """The tool's result, whatever it does."""
    try:
        result = await run()
    except TimeoutError as error:
        return Result.say(f"{name} timed out: {error}", error=ErrorKind.TIMEOUT)
    except PathChangedError as error:
        return Result.say(f"{name} was refused: {error.for_model}", error=ErrorKind.DENIED)
    except TurnloopError as error:
        return Result.say(error.for_model, error=ErrorKind.TOOL_ERROR)
    except OSError as error:
        return Result.say(
            f"{name} failed: {error.strerror or error}"
            + (f" ({error.filename})" if error.filename else "")
            + ". Check the arguments and the state of the file.",
            error=ErrorKind.TOOL_ERROR,
        )
    except Exception as error:
        return Result.say(
            f"{name} broke down: {type(error).__name__}: {error}. It may have had a part of its "
            "effect; check, then try another way.",
            error=ErrorKind.EXCEPTION,
        )
    if not isinstance(result, Result):
        return Result.say(
            f"{name} gave {type(result).__name__} and not a result; this is a fault of the tool.",
            error=ErrorKind.EXCEPTION,
        )
    return result


def _finished(parts: Parts, result: Result, added: list[str]) -> Result:
    """Bounded, with keys masked, and never without words."""
    blocks = [*result.content, *(Text(text) for text in added)]
    content = tuple(
        Text(head_and_tail(parts.mask(b.text), MAX_RESULT_CHARS)) if isinstance(b, Text) else b
        for b in blocks
        if not isinstance(b, Text) or b.text.strip()
    )
    display = None if result.display is None else parts.mask(result.display)
    return Result(content or (Text("(no output)"),), display, result.facts, result.error)


def _record(parts: Parts, slot: Slot, result: Result, seconds: float) -> None:
    parts.log.append(ResultRecord(slot.turn, slot.index, result, round(seconds, 6)))
    parts.emit(CallEnded(slot.call, result, seconds))
