"""Replay mode: each request gets what the next request of a recorded session got."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from turnloop_core.api import (
    AttemptEnd,
    Call,
    CallArguments,
    CallStart,
    ContextOverflowError,
    Delta,
    End,
    Event,
    Notice,
    OpaqueData,
    Prompt,
    ProviderError,
    Reasoning,
    ReasoningDelta,
    RejectedCallError,
    Reply,
    Request,
    RequestRefusedError,
    Sent,
    StopReason,
    StreamCutError,
    Summary,
    Text,
    TextDelta,
    Turn,
    UsageSoFar,
    View,
    Waiting,
)
from turnloop_mock.asked import newest_prompt, wants_summary
from turnloop_mock.pieces import in_pieces
from turnloop_mock.recording import Answer, Recording, SummaryAnswer, outcome_of

OVER = "The recording is over: session {name} has {count}, and this was request {number}."
NOT_RECORDED = "(not recorded)"
HINT = "the recorded session came to this end; nothing failed now"


class Replaying:
    """A recording in replay.

    A session that is resumed goes on where it was, as far as its view tells.

    Args:
        recording: what to replay.
        emit: told once when results differ from the recorded ones.
    """

    def __init__(self, recording: Recording, emit: Callable[[Event], None]) -> None:
        self._recording = recording
        self._emit = emit
        self._next: int | None = None
        self._summaries = list(recording.summaries)
        self._given: Answer | None = None  # whose calls run meanwhile
        self._overflow: int | None = None  # the prompt that was too long
        self._astray = False

    def answer(self, request: Request) -> Sequence[Delta | ProviderError]:
        if wants_summary(request):
            return self._summary()
        if self._next is None:
            self._next = place = start(self._recording, request.view)
            self._summaries = [s for s in self._summaries if s.place >= place]
        self._compare(request.view)
        prompt = newest_prompt(request.view)
        if self._overflow is not None and self._overflow != prompt:
            self._next, self._overflow = self._next + 1, None
        answers = self._recording.answers
        if self._next >= len(answers):
            return self._over(len(answers))
        answer = answers[self._next]
        if answer.end is AttemptEnd.OVERFLOW and prompt is not None:
            # The loop makes room and asks again within the attempt: too long it stays.
            self._overflow = prompt
        else:
            self._next += 1
        self._given = answer if answer.outcomes else None
        return list(steps(answer))

    def _over(self, count: int) -> Sequence[Delta | ProviderError]:
        assert self._next is not None
        self._next += 1
        told = "1 reply" if count == 1 else f"{count} replies"
        text = OVER.format(name=self._recording.name, count=told, number=self._next)
        return [*_text(text), End(StopReason.END_TURN)]

    def _summary(self) -> Sequence[Delta | ProviderError]:
        if not self._summaries:
            return [RequestRefusedError("the recording has no summary left", hint=HINT)]
        summary = self._summaries.pop(0)
        return [*_text(summary.text), End(StopReason.END_TURN, summary.usage)]

    def _compare(self, view: View) -> None:
        """Say once that the run is not the recorded one any more."""
        given, self._given = self._given, None
        if given is None or self._astray or given.reply is None:
            return
        last = next((i for i in reversed(view.items) if isinstance(i, Turn)), None)
        if last is None or len(last.results) != len(given.outcomes):
            return
        results = zip(given.reply.calls, last.results, given.outcomes, strict=True)
        odd = next((call for call, result, was in results if outcome_of(result) != was), None)
        if odd is not None:
            self._astray = True
            self._emit(
                Notice(
                    "warning",
                    f"replay: the result of {odd.name} is not the recorded one; the replies stay "
                    "as they were recorded",
                    "replay in the project, and the state of it, that the session began with",
                )
            )


def start(recording: Recording, view: View) -> int:
    """Which answer comes next, when what `view` shows has been."""
    replaced = next((item.text for item in view.items if isinstance(item, Summary)), None)
    done = sum(1 for _ in view.turns) + _replaced(recording.summaries, replaced)
    place = 0
    answers = recording.answers
    while done > 0 and place < len(answers):
        done -= answers[place].reply is not None
        place += 1
    # What led to no turn is not in the view; a prompt that came after it says that it has been.
    prompts = sum(isinstance(item, Prompt) and not item.steering for item in view.items)
    while replaced is None and place < len(answers) and answers[place].reply is None:
        if answers[place].prompt >= prompts:
            break
        place += 1
    return place + done  # more turns than were recorded: it is over


def _replaced(summaries: Sequence[SummaryAnswer], text: str | None) -> int:
    """How many turns the summary stands for."""
    if text is None:
        return 0
    known = (s.turns for s in reversed(summaries) if s.text and s.text in text)
    return next(known, 0)


def steps(answer: Answer) -> Iterator[Delta | ProviderError]:
    """The stream of an answer: what came, then how it ended."""
    for number in range(1, answer.retries + 1):
        yield Waiting("retry", 0.0, "the recorded request was made again", number)
        yield Sent()
    if answer.reply is not None:
        yield from _content(answer.reply)
        raw = answer.reason if answer.reply.stop is StopReason.REFUSAL else ""
        yield End(answer.reply.stop, answer.reply.usage, raw)
        return
    yield from _text(answer.partial)
    yield from _without_a_turn(answer)


def _without_a_turn(answer: Answer) -> Iterator[Delta | ProviderError]:
    """How an attempt ended that led to no turn. The log has its text and its reason; what else it
    held (a call that was cut, reasoning) is not recorded, and something has to stand for it.
    """
    reason, usage = answer.reason, answer.usage
    match answer.end:
        case AttemptEnd.CUT_CALL:
            yield CallStart("call", NOT_RECORDED)
            yield End(StopReason.MAX_TOKENS, usage)
        case AttemptEnd.REFUSED:
            yield End(StopReason.REFUSAL, usage, reason)
        case AttemptEnd.EMPTY:
            yield End(_stop_of_nothing(answer), usage)
        case AttemptEnd.STRAY_CALL if answer.partial.strip():  # the call stands in the text
            yield End(StopReason.END_TURN, usage)
        case AttemptEnd.REASONING | AttemptEnd.CUT_THINKING | AttemptEnd.STRAY_CALL:
            yield ReasoningDelta(NOT_RECORDED)
            yield End(_stop_of_nothing(answer), usage)
        case AttemptEnd.OVERFLOW:
            yield ContextOverflowError(reason or "the recorded request was too long", hint=HINT)
        case AttemptEnd.REJECTED_CALL:
            yield RejectedCallError(reason or "the recorded call was rejected", hint=HINT)
        case AttemptEnd.FAULT:
            yield ProviderError(reason or "the recorded request failed", hint=HINT)
        case AttemptEnd.INTERRUPTED:
            yield ProviderError("the recorded run was interrupted here", hint=HINT)
        case _:  # cut or closed in the middle
            if usage.reported:
                yield UsageSoFar(usage)
            yield StreamCutError(reason or "the recorded reply was cut", cause="dropped")


def _stop_of_nothing(answer: Answer) -> StopReason:
    """The log has no stop reason of a reply that said nothing, but its reason names the limit."""
    return StopReason.MAX_TOKENS if "limit" in answer.reason else StopReason.END_TURN


def _text(text: str) -> Iterator[Delta]:
    return (TextDelta(piece) for piece in in_pieces(text))


def _content(reply: Reply) -> Iterator[Delta]:
    """The blocks of a reply, with the vendor's data. The loop notes that they came from this
    provider, so that data never goes to the vendor that made it, nor to another.
    """
    for place, block in enumerate(reply.blocks):
        key = f"{place}"
        if isinstance(block, Call):
            yield CallStart(key, block.name, block.id)
            yield from (CallArguments(key, piece) for piece in in_pieces(block.arguments))
        elif isinstance(block, Text):
            yield from (TextDelta(piece, key) for piece in in_pieces(block.text))
        elif isinstance(block, Reasoning):
            yield from (ReasoningDelta(piece, key) for piece in in_pieces(block.text))
        else:
            continue  # no delta carries a picture, so no reply that was assembled has one
        if block.opaque is not None:
            yield OpaqueData(key, block.opaque, "text" if isinstance(block, Text) else "reasoning")
