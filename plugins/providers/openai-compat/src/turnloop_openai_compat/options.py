"""What an entry of kind `openai_compat` may say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from turnloop_core.api import HttpOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAICompatOptions(HttpOptions):
    """Settings of an endpoint that speaks OpenAI chat completions.

    In `extra_body` a null takes a field out of the request, for servers that refuse it.

    Attributes:
        reasoning_field: the field in which the model wants its earlier reasoning back
            (`reasoning_content`, `reasoning`); "" sends none back.
        thinking_body: merged into the request's JSON while thinking is on, for endpoints that
            have a switch for it.
        output_limit_field: `max_tokens`, or `max_completion_tokens` where that is refused.
    """

    reasoning_field: str = ""
    thinking_body: dict[str, Any] = field(default_factory=dict)
    output_limit_field: str = "max_tokens"
