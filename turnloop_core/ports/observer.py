"""Observer: sees events, changes nothing."""

from __future__ import annotations

from typing import Protocol

from turnloop_core.types.events import Event


class Observer(Protocol):
    """Sees every event. An exception is reported once, and the observer is not called again."""

    @property
    def name(self) -> str: ...

    def on_event(self, event: Event) -> None:
        """Called in the loop's own thread; must return at once."""
        ...

    def status(self) -> str:
        """A short item for the status line, "" for none."""
        ...

    def exit_note(self) -> str:
        """A line printed when the program ends, "" for none."""
        ...
