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
    """Tells one attempt, or another request.

    Args:
        emit: where events go.
        ledger: where time is booked.
        asking: the state while an answer is awaited.
    """

    def __init__(self, emit: Subscriber, ledger: Ledger, asking: State = "model_wait") -> None:
        self._emit = emit
        self._asking = asking
        self._ledger = ledger
        self._waiting = ""
        self._shown = False
        self.tries: list[str] = []  # why it was asked again, once for each time

    def tell(self, delta: Delta) -> None:
        """Tell one delta."""
        if isinstance(delta, Restart):
            self._void(delta.reason)
            return
        self.wait(delta)
        if not isinstance(delta, (Waiting, Sent, End, UsageSoFar)):
            self._ledger.switch("model_stream")
            self._show(delta)

    def wait(self, delta: Delta) -> None:
        """Tell of a delta only whether, and how long, one waits."""
        if isinstance(delta, Waiting):
            self._end_wait()
            self._waiting = delta.what
            if delta.what == "retry":
                self.tries.append(delta.reason)
            self._ledger.switch(_WAIT_STATE[delta.what])
            self._emit(WaitStarted(delta.what, delta.seconds, delta.reason, delta.number))
            return
        self._end_wait()
        if isinstance(delta, Sent):
            self._ledger.switch(self._asking)

    def again(self, reason: str) -> None:
        """The request is made again, for a reason that waiting would not mend."""
        self.tries.append(reason)
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
