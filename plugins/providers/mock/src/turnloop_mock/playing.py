"""Plays a script: each request gets the next turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from turnloop_core.api import (
    CallArguments,
    CallStart,
    Delta,
    End,
    Prompt,
    ProviderError,
    ReasoningDelta,
    Request,
    RequestRefusedError,
    Result,
    Sent,
    StopReason,
    StreamCutError,
    TextDelta,
    View,
    Waiting,
)
from turnloop_mock.pieces import in_pieces
from turnloop_mock.script import ExpectPart, Script, TurnPart

OVER = "The script is over: it has {count} and this was request {number}."


class Playing:
    """A script in play.

    A session that is resumed goes on where it was: the first request skips as many turns as the
    view already has, and what led to none of them (errors, cut replies) in between.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._next: int | None = None

    def answer(self, request: Request) -> Sequence[Delta | ProviderError]:
        if self._next is None:
            self._next = _start(self._script.turns, sum(1 for _ in request.view.turns))
        place, self._next = self._next, self._next + 1
        if place >= len(self._script.turns):
            count = len(self._script.turns)
            turns = "1 turn," if count == 1 else f"{count} turns,"
            text = OVER.format(count=turns, number=place + 1)
            return [*(TextDelta(piece) for piece in in_pieces(text)), End(StopReason.END_TURN)]
        turn = self._script.turns[place]
        astray = _astray(turn.expect, request.view)
        if astray:
            return [
                RequestRefusedError(
                    f"{self._script.where(place, 'expect')}: turn {place + 1} of the script does "
                    f"not fit: {astray}",
                    hint="change the script, or what the run does before this turn",
                )
            ]
        return list(_steps(turn, place))


def _start(turns: Sequence[TurnPart], done: int) -> int:
    """Where to go on when `done` turns of the script already stand in the view."""
    place = 0
    while done > 0 and place < len(turns):
        done -= turns[place].makes_a_turn
        place += 1
    return place + done  # more turns than the script has: it is over


def _astray(expect: ExpectPart, view: View) -> str:
    """What does not hold of the request, "" when all does."""
    prompt = next((i.text for i in reversed(view.items) if isinstance(i, Prompt)), "")
    for text in expect.prompt_contains:
        if text not in prompt:
            return f"the prompt does not contain {text!r}: {_short(prompt)}"
    offered = {tool.name for tool in view.prefix.tools}
    missing = [name for name in expect.tools if name not in offered]
    if missing:
        return f"these tools are not offered: {', '.join(missing)}"
    return _astray_result(expect, _last_result(view))


def _astray_result(expect: ExpectPart, result: Result | None) -> str:
    if not expect.last_result_contains and expect.last_result_ok is None:
        return ""
    if result is None:
        return "there is no result yet"
    for text in expect.last_result_contains:
        if text not in result.text:
            return f"the last result does not contain {text!r}: {_short(result.text)}"
    if expect.last_result_ok is not None and result.ok is not expect.last_result_ok:
        return f"the last result is {result.error or 'no error'}: {_short(result.text)}"
    return ""


def _last_result(view: View) -> Result | None:
    results = [result for turn in view.turns for result in turn.results]
    return results[-1] if results else None


def _short(text: str, limit: int = 400) -> str:
    line = " / ".join(line.strip() for line in text.splitlines() if line.strip())
    return line if len(line) <= limit else f"{line[: limit // 2]} ... {line[-limit // 2 :]}"


def _steps(turn: TurnPart, place: int) -> Iterator[Delta | ProviderError]:
    for number, wait in enumerate(turn.waits, 1):
        retry = number if wait.what == "retry" else 0
        yield Waiting(wait.what, wait.seconds, wait.reason, retry)
        yield Sent()
    content = _content(turn, place)
    yield from content if turn.cut is None else _first(turn.cut, content)
    if turn.cut is not None:
        yield StreamCutError("the script cut the connection", cause="dropped")
    elif turn.error is not None:
        yield turn.error.error
    elif turn.usage is not None:
        yield End(turn.stop_reason, turn.usage.usage)
    else:
        yield End(turn.stop_reason)


def _content(turn: TurnPart, place: int) -> Iterator[Delta]:
    yield from (ReasoningDelta(piece) for piece in in_pieces(turn.reasoning))
    yield from (TextDelta(piece) for piece in in_pieces(turn.text))
    for number, call in enumerate(turn.calls):
        block = f"call{number}"
        yield CallStart(block, call.name, call.id or f"mock_{place + 1}_{number + 1}")
        for piece in in_pieces(call.arguments):
            yield CallArguments(block, piece)


def _first(left: int, deltas: Iterator[Delta]) -> Iterator[Delta]:
    """As much of a reply as the first `left` characters of it hold."""
    for delta in deltas:
        if left <= 0:
            return
        if isinstance(delta, CallArguments):
            delta = CallArguments(delta.block, delta.fragment[:left])  # noqa: PLW2901
            left -= len(delta.fragment)
        elif isinstance(delta, (TextDelta, ReasoningDelta)):
            delta = type(delta)(delta.text[:left], delta.block)  # noqa: PLW2901
            left -= len(delta.text)
        yield delta
