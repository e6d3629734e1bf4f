"""What a run works with: made once by `app`, handed down whole."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from turnloop_core.log.estimate import Estimator
from turnloop_core.log.writer import LogWriter
from turnloop_core.loop.gate import Gate
from turnloop_core.loop.hooks import Emitter, Interceptors
from turnloop_core.loop.ledger import Ledger
from turnloop_core.ports.compactor import Compactor
from turnloop_core.ports.judge import Judge, JudgeContext
from turnloop_core.ports.provider import Provider
from turnloop_core.ports.tool import CallContext, Tool
from turnloop_core.registry import ToolEntry
from turnloop_core.types.capabilities import Capabilities, Thinking
from turnloop_core.types.content import Call
from turnloop_core.types.subjects import Decision, Subject
from turnloop_core.types.usage import NO_USAGE, Usage
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool with the flags that its plugin registered."""

    entry: ToolEntry
    tool: Tool


class Toolbox:
    """The tools of a session, by name."""

    def __init__(self, offered: Sequence[Offered]) -> None:
        self._by_name: Mapping[str, Offered] = {o.entry.name: o for o in offered}
        self._by_folded = {name.casefold(): o for name, o in self._by_name.items()}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)

    def __iter__(self) -> Any:
        return iter(self._by_name.values())

    def find(self, name: str) -> tuple[Offered | None, bool]:
        """The tool of that name, and whether only the case of the letters differed."""
        exact = self._by_name.get(name)
        if exact is not None:
            return exact, False
        return self._by_folded.get(name.strip().casefold()), True


@dataclass(frozen=True, slots=True)
class Model:
    """Who answers, and with which settings."""

    provider: Provider
    name: str
    capabilities: Capabilities
    max_output: int
    thinking: Thinking = "on"

    @property
    def origin(self) -> str:
        """`provider/model`: where opaque data belongs."""
        return f"{self.provider.name}/{self.name}"


@dataclasses.dataclass(slots=True)
class Tally:
    """What a run has added up to so far."""

    attempts: int = 0
    usage: Usage = field(default_factory=Usage)
    refused: int = 0
    reported: bool = False
    thinking: Thinking | None = None  # what it was reduced to, for the rest of the run

    def add(self, usage: Usage) -> None:
        self.usage = self.usage + usage
        self.reported = self.reported or usage.reported

    @property
    def total(self) -> Usage:
        return self.usage if self.reported else NO_USAGE


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run works with.

    Attributes:
        session: id of the session.
        model: who answers.
        log: the record, and the view that is folded from it.
        emit: where events go.
        ledger: where the time goes.
        tools: what the model can call.
        gate: permission.
        interceptors: what stands before and after.
        judges: who says whether to go on; core's own come first.
        compactor: the strategy, None when there is none.
        estimator: tokens of what was not sent yet.
        cap: attempts that a run may have.
        thinking_cap: tokens of reasoning before a reply says anything; 0 for no cap.
        repetition_limit: words that one passage may fill by following itself; 0 for no limit.
        context_of: (call, subjects, what the user was asked about it and consented to) -> what the
            running call may use.
        mask: text -> text without key values.
        sleep: seconds -> a wait that can be interrupted.
        clock: monotonic seconds.
        tally: sums of the current run.
        bench: what judges may use.
        warm_up: called once the first request is on its way: does in a thread what the calls of
            the reply will need.
    """

    session: str
    model: Model
    log: LogWriter
    emit: Emitter
    ledger: Ledger
    tools: Toolbox
    gate: Gate
    interceptors: Interceptors
    judges: tuple[Judge, ...]
    compactor: Compactor | None
    estimator: Estimator
    cap: int
    thinking_cap: int
    repetition_limit: int
    context_of: Callable[[Call, tuple[Subject, ...], Decision | None], CallContext]
    mask: Callable[[str], str]
    sleep: Callable[[float], Awaitable[None]]
    clock: Callable[[], float]
    tally: Tally
    bench: JudgeContext
    warm_up: Callable[[], None]
