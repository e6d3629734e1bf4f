"""What a tool gave, made fit for the record: bounded, masked, an error if it raised."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Callable
from typing import Any

import anyio

from turnloop_core.errors import PathChangedError, TurnloopError
from turnloop_core.loop.bounds import MAX_RESULT_CHARS, head_and_tail
from turnloop_core.types.codec import from_json, to_json
from turnloop_core.types.content import Image, Text
from turnloop_core.types.facts import Fact
from turnloop_core.types.results import ErrorKind, Result

Mask = Callable[[str], str]


async def guarded(name: str, run: Callable[[], Awaitable[Any]]) -> Result:
    """The tool's result, whatever it does. Only a cancellation from outside goes through."""
    try:
        result = await run()
    except anyio.get_cancelled_exc_class():
        if _cancelled_from_outside():
            raise
        return Result.say(
            f"{name} gave up by itself; it may have had a part of its effect. Check, then go on.",
            error=ErrorKind.EXCEPTION,
        )
    except TimeoutError as error:
        return Result.say(f"{name} timed out: {error}", error=ErrorKind.TIMEOUT)
    except PathChangedError as error:
        return Result.say(f"{name} was refused: {error.for_model}", error=ErrorKind.DENIED)
    except TurnloopError as error:
        return Result.say(error.for_model, error=ErrorKind.TOOL_ERROR)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        return Result.say(
            f"{name} failed: {error.strerror or error}{where}. Check the arguments and the state "
            "of the file.",
            error=ErrorKind.TOOL_ERROR,
        )
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a foreign tool may raise anything
        return Result.say(
            f"{name} broke down: {type(error).__name__}: {error}. It may have had a part of its "
            "effect; check, then try another way.",
            error=ErrorKind.EXCEPTION,
        )
    if _is_sound(result):
        return result  # type: ignore[no-any-return]
    return Result.say(
        f"{name} gave something that is not a result; this is a fault of the tool. It may have "
        "had its effect: check.",
        error=ErrorKind.EXCEPTION,
    )


def interrupted(name: str) -> Result:
    """The result of a call that was stopped while it ran."""
    return Result.say(
        f"{name} was interrupted while it ran. It may or may not have had its effect: check "
        "before you do it again.",
        error=ErrorKind.INTERRUPTED,
    )


def finished(result: Result, mask: Mask) -> Result:
    """Bounded, with key values masked, and never without words."""
    content = tuple(
        Text(head_and_tail(mask(b.text), MAX_RESULT_CHARS)) if isinstance(b, Text) else b
        for b in result.content
        if not isinstance(b, Text) or b.text.strip()
    )
    display = result.display
    if display is not None:
        display = head_and_tail(mask(display), MAX_RESULT_CHARS)
    facts = tuple(_masked(fact, mask) for fact in result.facts)
    return Result(content or (Text("(no output)"),), display, facts, result.error)


def _cancelled_from_outside() -> bool:
    """Whether somebody asked for it; a tool's own task that died cancels too."""
    task = asyncio.current_task()
    return anyio.current_effective_deadline() == -math.inf or bool(task and task.cancelling())


def _is_sound(result: Any) -> bool:
    """Whether it is a result through and through, so that the record of it reads back the same."""
    return (
        isinstance(result, Result)
        and isinstance(result.content, tuple)
        and all(isinstance(block, (Text, Image)) for block in result.content)
        and all(isinstance(block.text, str) for block in result.content if isinstance(block, Text))
        and isinstance(result.facts, tuple)
        and all(isinstance(fact, Fact) for fact in result.facts)
        and isinstance(result.display, (str, type(None)))
        and isinstance(result.error, (ErrorKind, type(None)))
        and _is_plain([*(b for b in result.content if isinstance(b, Image)), *result.facts])
    )


def _is_plain(values: list[Any]) -> bool:
    """Whether JSON can hold them: a `Path` in a fact could not be logged."""
    try:
        json.dumps(to_json(values), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _masked(fact: Fact, mask: Mask) -> Fact:
    """The fact with key values masked, however deep they stand."""
    plain = json.dumps(to_json(fact))
    if mask(plain) == plain:
        return fact
    return from_json(Fact, _masked_json(to_json(fact), mask))


def _masked_json(value: Any, mask: Mask) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _masked_json(item, mask) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked_json(item, mask) for item in value]
    return value
