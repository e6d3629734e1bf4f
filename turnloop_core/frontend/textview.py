"""A run as text: the answer on one stream, what goes on on the other."""

from __future__ import annotations

from turnloop_core.frontend.console import Output, one_line, printable
from turnloop_core.frontend.render import Line, Renderer
from turnloop_core.types.events import (
    AttemptStarted,
    CallProgress,
    Event,
    Nudged,
    ReplyEnded,
    ReplyVoided,
    RunEnd,
    RunEnded,
    TextShown,
)


class TextView:
    """Shows events of a run.

    On a terminal the text of every reply streams to `answer`. Anywhere else `answer` gets the last
    answer only, once the run is over: text that came with calls, or before a nudge, goes to
    `notes`, and text that was voided is never written.

    Args:
        answer: where answers go.
        notes: where everything else goes; the same object when both share a terminal.
    """

    def __init__(self, answer: Output, notes: Output) -> None:
        self._answer = answer
        self._notes = notes
        self._stream = answer.terminal
        self._renderer = Renderer()
        self._held = ""  # the newest answer, not yet written
        self._continues = False  # the output limit cut it: the next reply goes on with it
        self._shown = False  # text of this reply has streamed

    def on_event(self, event: Event) -> None:
        match event:
            case TextShown():
                self._text(event.text)
            case ReplyEnded():
                self._reply(event)
            case ReplyVoided():
                self._voided(event)
            case AttemptStarted() | Nudged():
                self._shown = False
                if not self._continues:
                    self._aside()
            case CallProgress():
                self._notes.passing(event.text.rstrip().rpartition("\n")[2])
            case RunEnded():
                self._finish(event)
        for line in self._renderer.lines(event):
            self.note(line)

    def note(self, line: Line) -> None:
        """A line about what goes on."""
        if self._stream and self._notes.terminal:
            self._answer.fresh_line()
        self._notes.line(line.text, line.style)

    def _text(self, text: str) -> None:
        if not self._stream:
            return
        if not self._shown:
            self._answer.fresh_line()
            text = text.lstrip("\n")
        self._shown = self._shown or bool(text)
        self._answer.write(printable(text))

    def _reply(self, event: ReplyEnded) -> None:
        reply = event.reply
        if self._stream:
            if not reply.cut:
                self._answer.fresh_line()
            return
        self._held += reply.text
        self._continues = reply.cut
        if reply.calls:
            self._aside()

    def _voided(self, event: ReplyVoided) -> None:
        if self._shown:
            self.note(Line(f"what this reply showed is void: {one_line(event.reason)}", "warning"))
        self._shown = False

    def _aside(self) -> None:
        """What was held is not the last answer."""
        if self._held.strip():
            self._notes.line(printable(self._held.strip("\n")), "dim")
        self._held = ""

    def _finish(self, event: RunEnded) -> None:
        self._continues = False
        if self._stream:
            self._answer.fresh_line()
        elif event.end in (RunEnd.DONE, RunEnd.LIMIT, RunEnd.HALTED):
            if self._held.strip():
                self._answer.line(printable(self._held.strip("\n")))
            self._held = ""
        else:
            self._aside()
