"""Deltas to events: what the front end sees of a stream, and how its time is booked."""

from __future__ import annotations

from turnloop_core.loop.hooks import Subscriber
from turnloop_core.loop.ledger import Ledger, State
from turnloop_core.types.deltas import (
    Delta,
    End,
    ReasoningDelta,
    Restart,
    Sent,
    TextDelta,
    UsageSoFar,
    Waiting,
)
from turnloop_core.types.events import (
    ReasoningShown,
    ReplyVoided,
    TextShown,
    WaitEnded,
    WaitStarted,
)

_WAIT_STATE: dict[str, State] = {
    "retry": "retry_wait",
    "capacity": "retry_wait",
    "boot": "boot_wait",
}


class Narrator:
    """Tells one attempt."""

    def __init__(self, emit: Subscriber, ledger: Ledger) -> None:
        self._emit = emit
        self._ledger = ledger
        self._waiting = ""
        self._shown = False
        self.retries = 0

    def tell(self, delta: Delta) -> None:
        """Tell one delta."""
        match delta:
            case Waiting(what, seconds, reason, number):
                self._end_wait()
                self._waiting = what
                self.retries += what == "retry"
                self._ledger.switch(_WAIT_STATE[what])
                self._emit(WaitStarted(what, seconds, reason, number))
            case Sent():
                self._end_wait()
                self._ledger.switch("model_wait")
            case Restart(reason):
                self._void(reason)
            case End() | UsageSoFar():
                self._end_wait()
            case _:
                self._end_wait()
                self._ledger.switch("model_stream")
                self._show(delta)

    def again(self, reason: str) -> None:
        """The request is made again, for a reason that waiting would not mend."""
        self.retries += 1
        self._void(reason)

    def close(self) -> None:
        """The stream is over, however it ended."""
        self._end_wait()

    def _show(self, delta: Delta) -> None:
        if isinstance(delta, TextDelta) and delta.text:
            self._shown = True
            self._emit(TextShown(delta.text))
        elif isinstance(delta, ReasoningDelta) and delta.text:
            self._emit(ReasoningShown(delta.text))

    def _end_wait(self) -> None:
        if self._waiting:
            self._emit(WaitEnded(self._waiting))
            self._waiting = ""

    def _void(self, reason: str) -> None:
        if self._shown:
            self._emit(ReplyVoided(reason))
            self._shown = False
