"""Whether the run goes on: all judges are asked, the strictest word holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from turnloop_core.ports.judge import (
    Done,
    Go,
    Halt,
    Judge,
    JudgeContext,
    Judgement,
    Nudge,
    RunSoFar,
)
from turnloop_core.types.events import AttemptEnd
from turnloop_core.values import dataclass

NOTHING = (AttemptEnd.EMPTY, AttemptEnd.REASONING)
MAX_CUT_STREAMS = 3  # in a row; after that the line is not to be trusted
MAX_REJECTED = 2  # nudges in a row because the server itself refused the model's call


class CompletionJudge:
    """A turn without calls is the end of the work."""

    name = "completion"

    async def judge(self, run: RunSoFar, context: JudgeContext) -> Judgement:
        last = run.attempts[-1]
        if last.end is AttemptEnd.TURN and last.turn is not None and not last.turn.reply.calls:
            return Done()
        return Go()


class RecoveryJudge:
    """What to tell the model after a reply that did not become a plain turn.

    Args:
        max_output: the output limit in tokens, which the nudge names.
    """

    name = "recovery"

    def __init__(self, max_output: int) -> None:
        self._max_output = max_output

    async def judge(self, run: RunSoFar, context: JudgeContext) -> Judgement:
        last = run.attempts[-1]
        if last.end is AttemptEnd.TURN:
            return Go()
        in_a_row = _in_a_row(run, NOTHING if last.end in NOTHING else (last.end,))
        match last.end:
            case AttemptEnd.CUT_TEXT if _says_it_again(run):
                return Halt("the output limit cut the same text three times in a row")
            case AttemptEnd.CUT_TEXT:
                part = f" (part {in_a_row})" if in_a_row > 1 else ""
                return Nudge(
                    f"Your reply reached the output limit of {self._max_output:,} tokens{part}. "
                    "Continue exactly where it stopped."
                )
            case AttemptEnd.REFUSED:
                return Halt(f"the model declined to answer ({last.reason or 'refusal'})")
            case AttemptEnd.CUT_STREAM if in_a_row >= MAX_CUT_STREAMS:
                return Halt(f"{in_a_row} replies in a row were cut off: {last.reason}")
            case AttemptEnd.REJECTED_CALL:
                return _rejected(run, in_a_row)
        if (words := _WORDS.get(last.end)) is None:
            return Go()
        limit = f"{self._max_output:,}"
        if in_a_row > 1:
            return Halt(words.halt.format(limit=limit))
        return Nudge(words.nudge.format(limit=limit, reason=last.reason))


@dataclass(frozen=True, slots=True)
class _Words:
    """What to say after the first reply that came to nothing in some way, and after the second."""

    nudge: str
    halt: str


_EMPTY = _Words(
    "Your last reply held neither text nor a tool call. Call a tool, or say in words what you "
    "found or what you need.",
    "two replies in a row were empty",
)
_WORDS: Mapping[AttemptEnd, _Words] = {
    AttemptEnd.EMPTY: _EMPTY,
    AttemptEnd.REASONING: _EMPTY,
    AttemptEnd.CUT_CALL: _Words(
        "Your reply reached the output limit of {limit} tokens: {reason}. The call was not run and "
        "nothing of that reply was kept. Do it in smaller parts: several calls, each well below "
        "the limit.",
        "two replies in a row were cut by the output limit of {limit} tokens within a tool call; "
        "none of these calls was run",
    ),
    AttemptEnd.CUT_THINKING: _Words(
        "Your last reply was closed: {reason}. Nothing of it was kept. Decide with what you know: "
        "call a tool now, or answer.",
        "two replies in a row did nothing but think, up to the cap (thinking_cap)",
    ),
    AttemptEnd.DEGENERATE: _Words(
        "Your last reply was closed because it said the same words over and over. Nothing of it "
        "was kept. Take the next step in a few words.",
        "two replies in a row said the same words over and over (repetition_limit)",
    ),
    AttemptEnd.STRAY_CALL: _Words(
        "In your last reply {reason}. Calls that are written into the text never run. Call tools "
        "through the interface for tool calls.",
        "two replies in a row left a tool call as text: this server does not turn what the model "
        "writes into calls (its parser for the model's calls is off, or the model cannot call "
        "tools)",
    ),
}


def _rejected(run: RunSoFar, in_a_row: int) -> Judgement:
    reason = run.attempts[-1].reason
    if in_a_row > MAX_REJECTED:
        return Halt(f"the server rejected {in_a_row} tool calls in a row: {reason}")
    names = ", ".join(tool.name for tool in run.view.prefix.tools) or "none"
    again = "again " if in_a_row > 1 else ""
    return Nudge(
        f"Your last tool call was {again}rejected before it ran: {reason}. The tools are: {names}. "
        "Write a name exactly as it stands there, with arguments that fit its schema."
    )


def _in_a_row(run: RunSoFar, ends: tuple[AttemptEnd, ...]) -> int:
    return sum(1 for _ in takewhile(lambda a: a.end in ends, reversed(run.attempts)))


def _says_it_again(run: RunSoFar) -> bool:
    """Whether the last three replies are one: going on where it stopped does not work."""
    texts = [attempt.turn.reply.text for attempt in run.attempts[-3:] if attempt.turn is not None]
    return len(texts) == 3 and len(set(texts)) == 1


async def ask_all(
    judges: Sequence[Judge], run: RunSoFar, context: JudgeContext, already_said: Sequence[str]
) -> tuple[Judgement, str, tuple[str, ...]]:
    """The strictest judgement, who gave it, and what went wrong with judges that raised.

    Nudges are merged. A nudge that has gone out before is a halt: it did not help.
    """
    said: list[tuple[str, Judgement]] = []
    problems: list[str] = []
    for judge in judges:
        try:
            said.append((judge.name, await judge.judge(run, context)))
        except Exception as error:  # a foreign judge may raise anything
            problems.append(f"judge {judge.name} raised {type(error).__name__}: {error}")
    for name, judgement in said:
        if isinstance(judgement, Halt):
            return judgement, name, tuple(problems)
    nudges = [(name, j.text) for name, j in said if isinstance(j, Nudge)]
    if nudges:
        names = "+".join(name for name, _ in nudges)
        text = "\n\n".join(text for _, text in nudges)
        if text in already_said:
            return Halt(f"no progress after this was said: {text}"), names, tuple(problems)
        return Nudge(text), names, tuple(problems)
    done = next(((name, j) for name, j in said if isinstance(j, Done)), None)
    if done is not None:
        return done[1], done[0], tuple(problems)
    return Go(), "", tuple(problems)
