"""Watches a reply while it streams: what is not worth waiting for is closed early."""

from __future__ import annotations

from collections.abc import Callable

from turnloop_core.loop.repetition import Repetition
from turnloop_core.types.deltas import CallStart, Delta, ReasoningDelta, Restart, TextDelta
from turnloop_core.types.events import AttemptEnd
from turnloop_core.values import dataclass

PIECE = 512  # characters that are reckoned together


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a stream was closed.

    Attributes:
        end: `cut_thinking` or `degenerate`.
        reason: one line.
        tokens: estimate of what had been written; the provider counts it all the same.
    """

    end: AttemptEnd
    reason: str
    tokens: int


class Watch:
    """Watches one stream.

    Args:
        cap: tokens of reasoning before anything else has begun; 0 for no cap.
        repetitions: words that one passage may fill by following itself; 0 for no limit.
        tokens_of: text -> estimated tokens.
    """

    def __init__(self, cap: int, repetitions: int, tokens_of: Callable[[str], int]) -> None:
        self._cap = cap
        self._limit = repetitions
        self._tokens_of = tokens_of
        self._words, self._thoughts = Repetition(repetitions), Repetition(repetitions)
        self._began = False  # text or a call: what comes then is not thinking alone
        self._tokens = 0
        self._pending = ""

    def see(self, delta: Delta) -> Stopped | None:
        """Take a delta; why to stop, None to go on."""
        match delta:
            case TextDelta(text):
                self._began = self._began or bool(text.strip())
                self._reckon(text)
                if self._words.feed(text):
                    return self._degenerate()
            case ReasoningDelta(text):
                self._reckon(text)
                if self._thoughts.feed(text):
                    return self._degenerate()
                if self._cap and not self._began and self._tokens > self._cap:
                    return Stopped(
                        AttemptEnd.CUT_THINKING,
                        f"thinking passed {self._cap:,} tokens before anything was said",
                        self._tokens,
                    )
            case CallStart():
                self._began = True
            case Restart():
                self._forget()
        return None

    def _forget(self) -> None:
        self._words, self._thoughts = Repetition(self._limit), Repetition(self._limit)
        self._began, self._tokens, self._pending = False, 0, ""

    def _reckon(self, text: str) -> None:
        self._pending += text
        if len(self._pending) >= PIECE:
            self._tokens += self._tokens_of(self._pending)
            self._pending = ""

    def _degenerate(self) -> Stopped:
        reason = "the reply went on and on with the same words"
        return Stopped(AttemptEnd.DEGENERATE, reason, self._tokens)
