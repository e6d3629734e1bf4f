"""Interceptor: stands between the loop and what it is about to do. It cannot allow."""

from __future__ import annotations

from typing import Any, Protocol

from turnloop_core.types.content import Call
from turnloop_core.types.results import Result
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class Intervention:
    """What an interceptor wants.

    Attributes:
        deny: the reason why it must not happen; "" lets it go on.
        add_text: text that the model gets in addition.
        arguments: replacement for the arguments of a call; they are validated and judged again.
        nudge: text to the model that keeps the run going (`on_stop`).
    """

    deny: str = ""
    add_text: str = ""
    arguments: dict[str, Any] | None = None
    nudge: str = ""


NOTHING = Intervention()


class Interceptor(Protocol):
    """Called in the order of registration. An exception in `before_call` counts as deny, elsewhere
    it is reported and the rest goes on.
    """

    @property
    def name(self) -> str: ...

    async def before_prompt(self, text: str) -> Intervention:
        """A prompt is about to be logged; `deny` refuses it."""
        ...

    async def before_call(self, call: Call, arguments: dict[str, Any]) -> Intervention:
        """A call was validated, and is about to be judged."""
        ...

    async def after_call(self, call: Call, result: Result) -> Intervention:
        """A call has its result; `add_text` is appended to what the model sees."""
        ...

    async def before_compact(self, reason: str) -> Intervention:
        """The view is about to be thinned; `deny` keeps it, unless the request would not fit."""
        ...

    async def on_stop(self, reason: str) -> Intervention:
        """The run is about to end as done; `nudge` keeps it going."""
        ...
