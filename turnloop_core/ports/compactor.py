"""Compactor: decides what the view can do without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.edits import Edit
from turnloop_core.types.items import Item
from turnloop_core.types.view import View
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """The window as exact arithmetic, in tokens: what history may have is what is left.

    Attributes:
        window: prompt and completion together.
        reserved_output: kept free for the reply.
        system: the system prompt.
        tools: the tool schemas.
        used: the history as estimated, corrected by what the provider reported.
        cold: no request was made for so long that the provider's cache is gone.
        attempts_so_far: attempts of this run.
        attempts_left: attempts that the cap leaves.
        urgent: the request does not fit, or the provider said so: something must go.
        estimate: tokens of one item.
    """

    window: int
    reserved_output: int
    system: int
    tools: int
    used: int
    estimate: Callable[[Item], int]
    cold: bool = False
    attempts_so_far: int = 0
    attempts_left: int = 0
    urgent: bool = False

    @property
    def history(self) -> int:
        """Tokens that the history may have."""
        return self.window - self.reserved_output - self.system - self.tools

    @property
    def free(self) -> int:
        return self.history - self.used

    @property
    def pressure(self) -> float:
        """Share of the history's room that is used; over 1 does not fit."""
        return self.used / self.history if self.history > 0 else float("inf")


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """The strategy wants one model call: summarise up to an item.

    Attributes:
        last: id of the last item to be summarised.
        instructions: what to tell the model, as a system prompt.
        material: what to summarise, as text; the strategy makes it fit.
        max_output: tokens that the summary may have.
        assemble: model's text -> the summary as it is to stand in the view (todos and manifest
            added); raises ValueError when the text cannot be used.
    """

    last: int
    instructions: str
    material: str
    max_output: int
    assemble: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Plan:
    """What the strategy wants done.

    Attributes:
        edits: applied first, in one batch.
        summary: asked for afterwards, when the edits were not enough.
        reason: one line for the user.
    """

    edits: tuple[Edit, ...] = ()
    summary: SummaryRequest | None = None
    reason: str = ""


class Compactor(Protocol):
    """A strategy. It proposes; core validates, appends and folds."""

    @property
    def name(self) -> str: ...

    def plan(self, view: View, budget: Budget, capabilities: Capabilities) -> Plan:
        """Called before every request. An empty plan is the usual answer."""
        ...
