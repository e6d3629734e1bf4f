"""Items: what the view is made of. A turn is whole or it cannot be built."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from turnloop_core.types.content import Block, Call, PromptBlock, Reasoning, Text
from turnloop_core.types.results import Result
from turnloop_core.types.usage import NO_USAGE, Usage
from turnloop_core.values import dataclass


class StopReason(StrEnum):
    """Why a reply ended, in one vocabulary for all wires."""

    END_TURN = "end_turn"
    TOOL_USE = "tool_use"
    MAX_TOKENS = "max_tokens"
    REFUSAL = "refusal"
    ERROR = "error"
    INCOMPLETE = "incomplete"  # the body ended without any ending mark


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the user says.

    Attributes:
        id: number of its record in the log.
        text: the user's own words.
        attachments: inlined files and pictures.
        context: what the harness adds at the end (date, mode), fixed when the prompt was made.
        steering: it was said while a run was going on, and belongs to that run.
    """

    kind: ClassVar[str] = "prompt"
    id: int
    text: str
    attachments: tuple[PromptBlock, ...] = ()
    context: str = ""
    steering: bool = False

    @property
    def blocks(self) -> tuple[PromptBlock, ...]:
        """All of it, in the order in which the model is to see it; no empty text."""
        parts = (Text(self.text), *self.attachments, Text(self.context))
        return tuple(p for p in parts if not isinstance(p, Text) or p.text.strip())


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole reply of the model.

    Attributes:
        blocks: text, reasoning and calls in the order in which they came.
        stop: why it ended.
        origin: `provider/model` that made it; opaque data goes back to that model only.
        usage: tokens of the request.
        cut: the output limit ended it within plain text; it holds no calls then.
    """

    blocks: tuple[Block, ...]
    stop: StopReason
    origin: str = ""
    usage: Usage = NO_USAGE
    cut: bool = False

    def __post_init__(self) -> None:
        ids = [c.id for c in self.blocks if isinstance(c, Call)]
        if self.cut and ids:
            raise ValueError("a reply that was cut holds no calls: they may never run")
        if len(set(ids)) != len(ids):
            raise ValueError("two calls of one reply share an id")

    @property
    def calls(self) -> tuple[Call, ...]:
        return tuple(block for block in self.blocks if isinstance(block, Call))

    @property
    def text(self) -> str:
        """The visible answer."""
        return "".join(block.text for block in self.blocks if isinstance(block, Text))

    @property
    def reasoning(self) -> str:
        return "".join(block.text for block in self.blocks if isinstance(block, Reasoning))


@dataclass(frozen=True, slots=True)
class Turn:
    """A reply together with one result for each of its calls, in the order of the calls.

    Raises:
        ValueError: when the results do not match the calls one to one.
    """

    kind: ClassVar[str] = "turn"
    id: int
    reply: Reply
    results: tuple[Result, ...] = ()

    def __post_init__(self) -> None:
        if len(self.results) != len(self.reply.calls):
            raise ValueError(
                f"turn {self.id}: {len(self.reply.calls)} calls, {len(self.results)} results"
            )


@dataclass(frozen=True, slots=True)
class NudgeItem:
    """Words of the harness to the model.

    After a turn with calls it belongs to that turn's results; after a turn without calls it is a
    user message. `origin` names who nudged (a judge, the output limit, the cap).
    """

    kind: ClassVar[str] = "nudge"
    id: int
    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class Summary:
    """Stands for everything before it. There is never more than one in a view."""

    kind: ClassVar[str] = "summary"
    id: int
    text: str


Item = Prompt | Turn | NudgeItem | Summary
