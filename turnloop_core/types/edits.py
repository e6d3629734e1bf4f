"""Edits: records that thin the view. None of them can remove a call or a result.

A strategy proposes edits; core validates and appends them, and the view is folded again.
Items are named by their `id`, calls by their place within the reply, from 0.
"""

from __future__ import annotations

from typing import ClassVar

from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class ShrinkResult:
    """The content of one result becomes this text; pictures in it go."""

    kind: ClassVar[str] = "shrink_result"
    turn: int
    call: int
    text: str


@dataclass(frozen=True, slots=True)
class TrimArguments:
    """Some string arguments of one call become markers.

    Attributes:
        turn: id of the turn.
        call: place of the call.
        arguments: argument name -> marker that stands for its value.
    """

    kind: ClassVar[str] = "trim_arguments"
    turn: int
    call: int
    arguments: dict[str, str]


@dataclass(frozen=True, slots=True)
class DropReasoning:
    """The reasoning blocks of these turns go.

    Attributes:
        turns: their numbers.
        attached: what the provider attached to texts and calls goes as well. Only for a server that
            refuses what it signed itself; in the plan of a strategy it means nothing.
    """

    kind: ClassVar[str] = "drop_reasoning"
    turns: tuple[int, ...]
    attached: bool = False


@dataclass(frozen=True, slots=True)
class ShrinkAttachment:
    """One attachment of a prompt becomes this text; the user's own words cannot be shrunk."""

    kind: ClassVar[str] = "shrink_attachment"
    prompt: int
    attachment: int
    text: str


@dataclass(frozen=True, slots=True)
class StubNudge:
    """A nudge that has done its work becomes a short text."""

    kind: ClassVar[str] = "stub_nudge"
    nudge: int
    text: str


@dataclass(frozen=True, slots=True)
class Summarise:
    """All items from the start up to and including `last` become one summary.

    A summary that stood there before is replaced, so there is never more than one.
    """

    kind: ClassVar[str] = "summarise"
    last: int
    text: str


Edit = ShrinkResult | TrimArguments | DropReasoning | ShrinkAttachment | StubNudge | Summarise


_MARK = "\u27e6trimmed: "


def trim_marker(size: int, path: str) -> str:
    """What stands for the body of an old write: unmistakable, so that it is never written back.

    Args:
        size: bytes that were written.
        path: where to.
    """
    return f"{_MARK}wrote {size} bytes to {path}\u27e7"


def holds_trim_marker(text: str) -> bool:
    """Whether a marker of `trim_marker` stands in `text`."""
    return _MARK in text
