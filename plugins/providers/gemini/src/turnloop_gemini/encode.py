"""The view as a request body. What was sent is never written anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from turnloop_core.api import (
    Capabilities,
    History,
    Item,
    Prefix,
    Request,
    Thinking,
    View,
    dataclass,
    dumps,
    merged,
    reply_limit,
)
from turnloop_gemini.contents import Content, Look, contents_of
from turnloop_gemini.declarations import declaration
from turnloop_gemini.models import Traits
from turnloop_gemini.thinking import thinking_config

# A turn that calls must follow the user's words or the results of a call. Nothing that the loop
# does puts it elsewhere, but a view that begins with a turn, or lost a blank prompt, would.
FILLER = dumps({"role": "user", "parts": [{"text": "Go on."}]})


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the head of a body depends on, beside the prefix."""

    max_output: int
    thinking: Thinking
    traits: Traits
    can: Capabilities


class Encoder:
    """Makes the bodies of one provider's requests.

    Args:
        extra_body: merged into each.
    """

    def __init__(self, extra_body: Mapping[str, Any]) -> None:
        self._extra = {name: v for name, v in extra_body.items() if name != "contents"}
        self._history: History[Content] = History()
        self._contents: list[bytes] = []  # each with a comma before it
        self._last = ""
        self._head: tuple[_Wanted | None, Prefix, bytes] = (None, Prefix(), b"")

    def body(
        self, request: Request, look: Look, traits: Traits, can: Capabilities
    ) -> Sequence[bytes]:
        """The body, in pieces. The contents stand last, and only grow from request to request."""
        wanted = _Wanted(request.max_output, request.thinking, traits, can)
        start = self._start(wanted, request.view.prefix)
        contents = self._grown(request.view, look)
        if not contents:
            return (start, b"]}")
        return (start, contents[0][1:], *contents[1:], b"]}")

    def _grown(self, view: View, look: Look) -> list[bytes]:
        def encode(item: Item) -> Sequence[Content]:
            return contents_of(item, look)

        kept, new = self._history.grow(view.items, encode, look)
        if not kept:
            self._contents, self._last = [], ""
        for content in new:
            if content.kind == "calls" and self._last not in ("user", "results"):
                self._contents.append(b"," + FILLER)
            self._contents.append(b"," + content.data)
            self._last = content.kind
        return self._contents

    def _start(self, wanted: _Wanted, prefix: Prefix) -> bytes:
        """Everything up to the contents; made again when a part of it is another."""
        known, known_prefix, start = self._head
        if known != wanted or known_prefix is not prefix:
            head = dumps(merged(_head(wanted, prefix), self._extra))[:-1]
            start = head + (b"," if len(head) > 1 else b"") + b'"contents":['
            self._head = (wanted, prefix, start)
        return start


def _head(wanted: _Wanted, prefix: Prefix) -> dict[str, Any]:
    head: dict[str, Any] = {}
    if prefix.system.strip():
        head["systemInstruction"] = {"parts": [{"text": prefix.system}]}
    if prefix.tools:
        head["tools"] = [{"functionDeclarations": [declaration(tool) for tool in prefix.tools]}]
    limit = reply_limit(wanted.max_output, wanted.thinking, wanted.can)
    generation: dict[str, Any] = {"maxOutputTokens": limit}
    if (thinking := thinking_config(wanted.thinking, wanted.traits, limit)) is not None:
        generation["thinkingConfig"] = thinking
    head["generationConfig"] = generation
    return head
