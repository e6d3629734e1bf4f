"""Deltas: the pieces of a reply as they stream in, in one vocabulary for all wires.

A stream ends in exactly one `End`. A stream that stops without one was cut, and `assemble` treats
it so. Blocks are keyed: pieces with the same `block` belong together, and blocks keep the order in
which their first piece came.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from turnloop_core.types.items import StopReason
from turnloop_core.types.usage import NO_USAGE, Usage
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class TextDelta:
    kind: ClassVar[str] = "text_delta"
    text: str
    block: str = "text"


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    kind: ClassVar[str] = "reasoning_delta"
    text: str
    block: str = "reasoning"


@dataclass(frozen=True, slots=True)
class CallStart:
    """A call begins. `id` is empty where the wire has none."""

    kind: ClassVar[str] = "call_start"
    block: str
    name: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class CallArguments:
    """A piece of the JSON text of a call's arguments."""

    kind: ClassVar[str] = "call_arguments"
    block: str
    fragment: str


@dataclass(frozen=True, slots=True)
class OpaqueData:
    """Vendor data for a block; a block of its own when nothing else has this key.

    Attributes:
        block: the key.
        data: JSON value, kept and sent back as it is.
        target: what to make when the block does not exist yet.
    """

    kind: ClassVar[str] = "opaque_data"
    block: str
    data: Any
    target: Literal["reasoning", "text"] = "reasoning"


@dataclass(frozen=True, slots=True)
class UsageSoFar:
    """Tokens as far as the wire has told them, for streams that never come to their `End`."""

    kind: ClassVar[str] = "usage_so_far"
    usage: Usage


@dataclass(frozen=True, slots=True)
class Waiting:
    """The transport waits before it goes on; narrated to the user, and booked in the time ledger.

    Attributes:
        what: `retry`, `boot` (the model is loading) or `capacity` (own limit of requests).
        seconds: how long, as far as known.
        reason: one line.
        number: which retry this is, from 1; 0 for other waits.
    """

    kind: ClassVar[str] = "waiting"
    what: Literal["retry", "boot", "capacity"]
    seconds: float
    reason: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Sent:
    """A request went out (again): what follows is its answer. Ends a `Waiting`."""

    kind: ClassVar[str] = "sent"


@dataclass(frozen=True, slots=True)
class Restart:
    """What came so far in this attempt is void; the request is made again."""

    kind: ClassVar[str] = "restart"
    reason: str


@dataclass(frozen=True, slots=True)
class End:
    """The one terminal delta.

    Attributes:
        stop: why the reply ended.
        usage: tokens of the request.
        raw_stop: the word on the wire.
    """

    kind: ClassVar[str] = "end"
    stop: StopReason
    usage: Usage = NO_USAGE
    raw_stop: str = ""


Delta = (
    TextDelta
    | ReasoningDelta
    | CallStart
    | CallArguments
    | OpaqueData
    | UsageSoFar
    | Waiting
    | Sent
    | Restart
    | End
)
