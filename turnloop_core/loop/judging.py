"""Whether the run goes on: all judges are asked, the strictest word holds."""

from __future__ import annotations

from collections.abc import Sequence
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

NOTHING = (AttemptEnd.EMPTY, AttemptEnd.REASONING)
MAX_CUT_STREAMS = 3  # in a row; after that the line is not to be trusted


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
            case AttemptEnd.CUT_TEXT:
                part = f" (part {in_a_row})" if in_a_row > 1 else ""
                return Nudge(
                    f"Your reply reached the output limit of {self._max_output:,} tokens{part}. "
                    "Continue exactly where it stopped."
                )
            case AttemptEnd.CUT_CALL if in_a_row > 1:
                return Halt(
                    f"two replies in a row were cut by the output limit of {self._max_output:,} "
                    "tokens within a tool call; none of these calls was run"
                )
            case AttemptEnd.CUT_CALL:
                return Nudge(
                    f"Your reply reached the output limit of {self._max_output:,} tokens within a "
                    "tool call. The call was not run and nothing of that reply was kept. Do it in "
                    "smaller parts: several calls, each well below the limit."
                )
            case AttemptEnd.REFUSED:
                return Halt(f"the model declined to answer ({last.reason or 'refusal'})")
            case AttemptEnd.EMPTY | AttemptEnd.REASONING if in_a_row > 1:
                return Halt("two replies in a row were empty")
            case AttemptEnd.EMPTY | AttemptEnd.REASONING:
                return Nudge(
                    "Your last reply held neither text nor a tool call. Call a tool, or say in "
                    "words what you found or what you need."
                )
            case AttemptEnd.CUT_STREAM if in_a_row >= MAX_CUT_STREAMS:
                return Halt(f"{in_a_row} replies in a row were cut off: {last.reason}")
        return Go()


def _in_a_row(run: RunSoFar, ends: tuple[AttemptEnd, ...]) -> int:
    return sum(1 for _ in takewhile(lambda a: a.end in ends, reversed(run.attempts)))


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
