"""What an entry of kind `openai_compat` may say."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from turnloop_core.api import HttpOptions, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAICompatOptions(HttpOptions):
    """Settings of an endpoint that speaks OpenAI chat completions.

    Objects in `extra_body` and its like are merged deeply, and a null takes a field out of the
    request, for servers that refuse it.

    Attributes:
        reasoning_field: the field in which the model wants its earlier reasoning back
            (`reasoning_content`, `reasoning`); "" sends none back, unless the model's
            `needs_reasoning_back` asks for it: then it is `reasoning_content`.
        glm_reasoning: true is another way to say `"reasoning_field": "reasoning_content"`. Reading
            needs no setting: all fields that are in use are read.
        think_tags: `<think>...</think>` at the start of the answer is reasoning.
        thinking_body: merged into the request while thinking is not off.
        thinking_off_body: merged into the request while thinking is off.
        effort_field: takes the word for low, medium and high; "" when the endpoint has none.
        lowest_effort: the word that thinks least, `minimal` or `none` where they are known; "" for
            what is known of the model, else `low`.
        output_limit_field: `max_tokens`, or `max_completion_tokens` where that is refused; "" goes
            by the model.
        call_ids: `short` when the server takes ids of nine letters and digits only.
        no_content: `empty` when the server wants an empty text, not null, where a reply is calls
            alone.
        after_tools: `assistant` when the server refuses a user message right after tool messages:
            a short one of the assistant is put between them.
    """

    reasoning_field: str = ""
    glm_reasoning: bool = False
    think_tags: bool = False
    thinking_body: dict[str, Any] = field(default_factory=dict)
    thinking_off_body: dict[str, Any] = field(default_factory=dict)
    effort_field: str = "reasoning_effort"
    lowest_effort: str = ""
    output_limit_field: str = ""
    call_ids: Literal["any", "short"] = "any"
    no_content: Literal["null", "empty"] = "null"
    after_tools: Literal["user", "assistant"] = "user"
