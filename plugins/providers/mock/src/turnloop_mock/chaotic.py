"""Chaos mode: replies whose calls are broken on purpose, and a last one that counts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from turnloop_core.api import (
    CallArguments,
    CallStart,
    Delta,
    End,
    ErrorKind,
    ProviderError,
    Request,
    Result,
    StopReason,
    TextDelta,
    ToolSchema,
    View,
)
from turnloop_mock.asked import newest_prompt, wants_summary
from turnloop_mock.chaos import Chaos, ChaosCall
from turnloop_mock.options import MockOptions
from turnloop_mock.pieces import in_pieces

MOST_NAMED = 5  # calls whose results are not what they should be


class Chaotic:
    """Broken calls to each prompt, so many replies of them, then a plain answer.

    Each reply has a seed of its own, so a session that is resumed goes on where it was.
    """

    def __init__(self, options: MockOptions) -> None:
        self._options = options
        self._made: dict[str, ChaosCall] = {}  # by the call's id
        self._next: int | None = None  # number of the next reply with calls
        self._prompt: int | None = None
        self._to_prompt = 0  # replies with calls to the newest prompt

    def answer(self, request: Request) -> Sequence[Delta | ProviderError]:
        if wants_summary(request):
            return [TextDelta("Calls were made, most of them broken."), End(StopReason.END_TURN)]
        self._look_at(request.view)
        assert self._next is not None
        if self._to_prompt >= self._options.turns:
            text = self._account(request.view)
            return [*(TextDelta(piece) for piece in in_pieces(text)), End(StopReason.END_TURN)]
        self._next, self._to_prompt = self._next + 1, self._to_prompt + 1
        return list(self._reply(self._next, request.view.prefix.tools))

    def _look_at(self, view: View) -> None:
        """Find out where we are, at the first request and after each prompt."""
        with_calls = [turn for turn in view.turns if turn.reply.calls]
        if self._next is None:
            self._next = len(with_calls)
        prompt = newest_prompt(view)
        if prompt is not None and prompt != self._prompt:
            self._prompt = prompt
            self._to_prompt = sum(turn.id > prompt for turn in with_calls)

    def _reply(self, number: int, tools: Sequence[ToolSchema]) -> Iterator[Delta]:
        calls = calls_of(self._options, number, tools)
        text = f"Reply {self._to_prompt} of {self._options.turns}: calls: {len(calls)}."
        yield from (TextDelta(piece) for piece in in_pieces(text))
        for place, call in enumerate(calls, 1):
            block, call_id = f"call{place}", f"chaos_{number}_{place}"
            self._made[call_id] = call
            yield CallStart(block, call.name, call_id)
            yield from (CallArguments(block, piece) for piece in in_pieces(call.arguments, 200))
        yield End(StopReason.TOOL_USE)

    def _account(self, view: View) -> str:
        """How many came back as what they are, of those that are still in view."""
        results = [
            (call_id, self._made[call_id], result)
            for turn in view.turns
            for call_id, result in (
                (c.id, r) for c, r in zip(turn.reply.calls, turn.results, strict=True)
            )
            if call_id in self._made
        ]
        odd = [_complaint(*one) for one in results if not _is_as_it_should(*one[1:])]
        right = sum(call.truth is None for _, call, _ in results)
        told = (
            f"Chaos is over (seed {self._options.seed}): {len(results)} calls, of which "
            f"{len(results) - right} were broken on purpose and {right} were right. "
            f"{len(results) - len(odd)} came back as what they are, {len(odd)} did not."
        )
        return "\n".join([told, *odd[:MOST_NAMED]])


def calls_of(options: MockOptions, number: int, tools: Sequence[ToolSchema]) -> list[ChaosCall]:
    """The calls of a reply.

    Args:
        options: seed, shares and numbers.
        number: of the reply, from 1, in the session.
        tools: as they are offered with the request.
    """
    seed = f"{options.seed}/{number}"
    count = options.calls or Random(seed).randint(1, 3)  # noqa: S311 - as in `Chaos`
    valid = [(call.name, call.arguments) for call in options.valid]
    chaos = Chaos(seed, options.broken, valid)
    return [chaos.next(tools) for _ in range(count)]


def _is_as_it_should(call: ChaosCall, result: Result) -> bool:
    if call.truth is not None:
        return result.error is call.truth
    return result.error in (None, ErrorKind.TOOL_ERROR)  # it ran; what it found is its own matter


def _complaint(call_id: str, call: ChaosCall, result: Result) -> str:
    should = call.truth or "run"
    return f"{call_id} ({call.how}) should be {should} and is {result.error or 'no error'}"
