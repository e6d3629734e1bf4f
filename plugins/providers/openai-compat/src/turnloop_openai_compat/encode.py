"""The view as a request body. Each item is encoded once; what was sent is never written anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from turnloop_core.api import (
    Capabilities,
    History,
    Prefix,
    Request,
    View,
    dumps,
    merged,
    reply_limit,
)
from turnloop_openai_compat.messages import Message, Style, messages_of
from turnloop_openai_compat.models import KNOWN
from turnloop_openai_compat.options import OpenAICompatOptions
from turnloop_openai_compat.thinking import thinking_fields

BETWEEN = dumps({"role": "assistant", "content": "I have the results."})


class Encoder:
    """Makes the bodies of one provider's requests.

    What does not change from request to request is kept as bytes: system prompt and tools, and the
    messages of the items that were there before. So a request costs what is new in it.

    Args:
        provider: its name in settings.
        options: the entry's.
    """

    def __init__(self, provider: str, options: OpenAICompatOptions) -> None:
        self._provider = provider
        self._options = options
        self._history: History[Message] = History()
        self._messages: list[bytes] = []  # of the newest view, each with a comma before it
        self._last_role = ""
        self._opening: tuple[Any, Prefix | None, bytes] = (None, None, b"")

    def body(self, request: Request, can: Capabilities) -> Sequence[bytes]:
        """The pieces of the body of a request to a model that `can` this and that."""
        messages = self._grown(request.view, self._style(request.model, can))
        start = self._start(request, can)
        if request.view.prefix.system.strip() or not messages:
            return (start, *messages, b"]}")
        return (start, messages[0][1:], *messages[1:], b"]}")

    def _style(self, model: str, can: Capabilities) -> Style:
        options = self._options
        field = options.reasoning_field
        if not field and (options.glm_reasoning or can.needs_reasoning_back):
            field = "reasoning_content"
        return Style(
            origin=f"{self._provider}/{model}",
            vision=can.supports_vision,
            reasoning_field=field,
            short_ids=options.call_ids == "short",
            no_content="" if options.no_content == "empty" else None,
        )

    def _grown(self, view: View, style: Style) -> list[bytes]:
        kept, new = self._history.grow(view.items, lambda item: messages_of(item, style), style)
        if not kept:
            self._messages, self._last_role = [], ""
        between = self._options.after_tools == "assistant"
        for role, message in new:
            if between and (self._last_role, role) == ("tool", "user"):
                self._messages.append(b"," + BETWEEN)
            self._messages.append(b"," + message)
            self._last_role = role
        return self._messages

    def _start(self, request: Request, can: Capabilities) -> bytes:
        """Everything up to the system message; encoded again when a part of it is another."""
        wanted = (request.model, request.max_output, request.thinking, can)
        known, prefix, start = self._opening
        if known != wanted or prefix is not request.view.prefix:
            prefix = request.view.prefix
            start = dumps(self._head(request, can))[:-1] + b',"messages":['
            if prefix.system.strip():
                start += dumps({"role": "system", "content": prefix.system})
            self._opening = (wanted, prefix, start)
        return start

    def _head(self, request: Request, can: Capabilities) -> dict[str, Any]:
        options = self._options
        head: dict[str, Any] = {
            "model": request.model,
            "stream": True,
            "stream_options": {"include_usage": True},
            _limit_field(request.model, can, options): reply_limit(
                request.max_output, request.thinking, can
            ),
        }
        if request.view.prefix.tools:
            head["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.parameters,
                    },
                }
                for tool in request.view.prefix.tools
            ]
        head = merged(head, thinking_fields(request.thinking, request.model, can, options))
        head = merged(head, options.extra_body)
        head.pop("messages", None)
        return head


def _limit_field(model: str, can: Capabilities, options: OpenAICompatOptions) -> str:
    """Models of the vendor that think refuse the older name."""
    if options.output_limit_field:
        return options.output_limit_field
    return "max_completion_tokens" if can.reasoning and model in KNOWN else "max_tokens"
