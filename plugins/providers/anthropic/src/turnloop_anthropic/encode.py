"""The view as a request body. Each item is encoded once; what was sent is never written anew."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from turnloop_anthropic.blocks import Block, Look, Role, encode_item
from turnloop_anthropic.options import AnthropicOptions
from turnloop_anthropic.thinking import Plan
from turnloop_core.api import History, Prefix, Request, dumps, merged

# A conversation begins with the user on this wire, and is the model's to answer at its end.
BEGUN = "(The conversation began before this point.)"
GO_ON = "Go on."


class Encoder:
    """Makes the bodies of one provider's requests.

    What does not change from request to request is kept as bytes: system prompt and tools, and the
    blocks of the items that were there before. Marks for the cache are put in when the pieces are
    handed over, so that what is kept never changes.
    """

    def __init__(self, options: AnthropicOptions) -> None:
        self._options = options
        self._history: History[Block] = History()
        self._transcript = Transcript()
        self._opening: tuple[tuple[object, ...], Prefix, bytes] = ((), Prefix(), b"")

    def body(self, request: Request, look: Look, plan: Plan, *, cache: bool) -> Sequence[bytes]:
        """The body, in pieces. The messages stand last, and only grow from request to request.

        Args:
            request: what is asked.
            look: what the blocks depend on.
            plan: what is said of thinking.
            cache: what may be cached is marked.
        """
        items = request.view.items
        kept, new = self._history.grow(items, lambda item: encode_item(item, look), look)
        self._transcript.take(new, kept=kept)
        mark = dumps({"cache_control": self._mark()})[1:-1] if cache else b""
        start = self._start(request, plan, cache=cache)
        return (start, *self._transcript.pieces(mark), b"]}")

    def _mark(self) -> dict[str, str]:
        if self._options.cache_ttl == "5m":  # what holds when nothing is said
            return {"type": "ephemeral"}
        return {"type": "ephemeral", "ttl": self._options.cache_ttl}

    def _start(self, request: Request, plan: Plan, *, cache: bool) -> bytes:
        """Everything up to the messages; encoded again when a part of it is another."""
        wanted = (request.model, plan, cache)
        known, prefix, start = self._opening
        if known != wanted or prefix is not request.view.prefix:
            prefix = request.view.prefix
            start = dumps(self._head(request, plan, cache=cache))[:-1] + b',"messages":['
            self._opening = (wanted, prefix, start)
        return start

    def _head(self, request: Request, plan: Plan, *, cache: bool) -> dict[str, Any]:
        prefix = request.view.prefix
        head: dict[str, Any] = {
            "model": request.model,
            "max_tokens": plan.max_tokens,
            "stream": True,
            **plan.fields,
        }
        tools: list[dict[str, Any]] = [
            {"name": t.name, "description": t.description, "input_schema": t.parameters}
            for t in prefix.tools
        ]
        text = prefix.system
        system: list[dict[str, Any]] = [{"type": "text", "text": text}] if text.strip() else []
        # The tools stand before the system prompt, so that one mark covers both.
        if cache and (last := [*system, *reversed(tools)][:1]):
            last[0]["cache_control"] = self._mark()
        if tools:
            head["tools"] = tools
        if system:
            head["system"] = system
        head = merged(head, self._options.extra_body)
        head.pop("messages", None)
        return head


class Transcript:
    """The messages of one conversation, joined: one piece for each block.

    Blocks of one role that follow each other are one message, since the roles must take turns.
    """

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._role: Role | None = None  # of the message that is open
        self._last_user = -1  # place of the newest block of the user
        self._ends: list[int] = []  # places that were marked; what stood before them is cached

    def take(self, blocks: Sequence[Block], *, kept: bool) -> None:
        """Append blocks; what was there before stays when it is `kept`, and goes otherwise."""
        before = self._pieces
        if not kept:
            self._pieces, self._role, self._last_user = [], None, -1
        for block in blocks:
            self._add(block)
        if not kept:
            same = sum(1 for _ in takewhile(_equal, zip(before, self._pieces, strict=False)))
            self._ends = [end for end in self._ends if end < same]

    def pieces(self, mark: bytes) -> list[bytes]:
        """The messages with the marks of this request; the last one is closed.

        Args:
            mark: goes into the block at the end, and into the one where the request before ended:
                the server looks for what it has a few blocks back only, and a turn may have more.
                Empty for none.
        """
        pieces = [*self._pieces]
        if mark:
            if self._last_user >= 0 and self._last_user not in self._ends[-1:]:
                self._ends.append(self._last_user)
            for end in self._ends[-2:]:
                pieces[end] = pieces[end][:-1] + b"," + mark + b"}"
        if self._role != "user":
            text = GO_ON if pieces else BEGUN
            pieces.append(self._opened("user") + dumps({"type": "text", "text": text}))
        return [*pieces, b"]}"]

    def _add(self, block: Block) -> None:
        if self._role is None and block.role != "user":
            self._add(Block("user", dumps({"type": "text", "text": BEGUN})))
        self._pieces.append(self._opened(block.role) + block.json)
        self._role = block.role
        if block.role == "user":
            self._last_user = len(self._pieces) - 1

    def _opened(self, role: Role) -> bytes:
        """What stands before a block."""
        if role == self._role:
            return b","
        return (b"]}," if self._role else b"") + b'{"role":"%b","content":[' % role.encode()


def _equal(pair: tuple[bytes, bytes]) -> bool:
    return pair[0] == pair[1]
