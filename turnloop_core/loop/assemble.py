"""Deltas to a reply: the one place where pieces become a whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from turnloop_core.errors import BadReplyError
from turnloop_core.types.content import Block, Call, Reasoning, Text
from turnloop_core.types.deltas import (
    CallArguments,
    CallStart,
    Delta,
    End,
    OpaqueData,
    ReasoningDelta,
    Restart,
    TextDelta,
    UsageSoFar,
)
from turnloop_core.types.items import Reply, StopReason
from turnloop_core.types.usage import NO_USAGE, Usage


@dataclass(slots=True)
class _Open:
    """A block under construction."""

    what: str  # text, reasoning or call
    pieces: list[str] = field(default_factory=list)
    opaque: Any = None
    id: str = ""
    name: str = ""


class Assembler:
    """Takes the deltas of one reply, in order.

    Args:
        id_seed: makes the ids of calls that came without one unique in the session.
    """

    def __init__(self, id_seed: str) -> None:
        self._id_seed = id_seed
        self._blocks: dict[str, _Open] = {}
        self._usage = NO_USAGE  # as far as it was told before the end
        self.end: End | None = None

    def feed(self, delta: Delta) -> None:
        """Take one delta.

        Raises:
            BadReplyError: the provider broke the contract (pieces after the end, arguments of a
                call that never began).
        """
        if self.end is not None:
            raise BadReplyError("the provider plugin went on after the end of the reply")
        match delta:
            case TextDelta(text, block):
                self._block(block, "text").pieces.append(text)
            case ReasoningDelta(text, block):
                self._block(block, "reasoning").pieces.append(text)
            case CallStart(block, name, call_id):
                call = self._block(block, "call")
                call.name, call.id = name, call_id
            case CallArguments(block, fragment):
                if block not in self._blocks:
                    raise BadReplyError("arguments came for a call that never began")
                self._blocks[block].pieces.append(fragment)
            case OpaqueData(block, data, target):
                self._block(block, target).opaque = data
            case UsageSoFar(usage):
                self._usage = usage
            case Restart():
                self._blocks.clear()
            case End():
                self.end = delta
            case _:
                pass  # narration of the transport is not part of the reply

    def _block(self, key: str, what: str) -> _Open:
        return self._blocks.setdefault(key, _Open(what))

    @property
    def usage(self) -> Usage:
        """Tokens of the request, as far as they were told."""
        return self._usage if self.end is None else self.end.usage

    @property
    def text(self) -> str:
        """The visible text so far."""
        return "".join("".join(b.pieces) for b in self._blocks.values() if b.what == "text")

    @property
    def calls_begun(self) -> int:
        return sum(b.what == "call" for b in self._blocks.values())

    @property
    def last_call(self) -> str:
        """The call that was begun last, in words: its name, and how much of it has come."""
        calls = [block for block in self._blocks.values() if block.what == "call"]
        size = sum(len(piece) for piece in calls[-1].pieces) if calls else 0
        return f"a call of {calls[-1].name or 'a tool'} after {size:,} characters" if calls else ""

    @property
    def reasoning(self) -> str:
        """The readable reasoning so far."""
        return "".join("".join(b.pieces) for b in self._blocks.values() if b.what == "reasoning")

    @property
    def has_reasoning(self) -> bool:
        return any(b.what == "reasoning" and b.pieces for b in self._blocks.values())

    @property
    def is_blank(self) -> bool:
        """Neither visible text nor a call has come."""
        return not self.calls_begun and not self.text.strip()

    def reply(self, origin: str) -> Reply:
        """The whole reply. Blank blocks are left out, and every call gets an id of its own.

        Raises:
            ValueError: the end has not come yet.
        """
        if self.end is None:
            raise ValueError("a reply without its end is not a reply")
        cut = self.end.stop is StopReason.MAX_TOKENS
        # Calls of a reply that was cut or refused must not run: who knows what was still to come.
        void = cut or self.end.stop is StopReason.REFUSAL
        blocks = tuple(b for b in self._built() if not (void and isinstance(b, Call)))
        return Reply(blocks, self.end.stop, origin, self.end.usage, cut)

    def _built(self) -> list[Block]:
        taken: set[str] = set()
        built: list[Block] = []
        for block in self._blocks.values():
            text = "".join(block.pieces)
            if block.what == "call":
                call_id = self._own_id(block.id, taken)
                taken.add(call_id)
                built.append(Call(call_id, block.name, text, block.opaque))
            elif block.opaque is not None or text.strip():
                kind = Text if block.what == "text" else Reasoning
                built.append(kind(text, block.opaque))
        return built

    def _own_id(self, wanted: str, taken: set[str]) -> str:
        if wanted and wanted not in taken:
            return wanted
        number = len(taken)
        while (made := f"call_{self._id_seed}_{number}") in taken:
            number += 1
        return made
