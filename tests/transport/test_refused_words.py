"""Which words of a server mean that it refuses earlier reasoning, or the call of its model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from turnloop_core.errors import (
    ProviderError,
    ReasoningRefusedError,
    RejectedCallError,
    RequestRefusedError,
)
from turnloop_core.transport.errors import classify, classify_event


def said_so(body: Any) -> ProviderError:
    return classify(400, {}, json.dumps(body).encode())


def said(message: str) -> ProviderError:
    return said_so({"error": {"message": message, "type": "invalid_request_error"}})


REFUSED_REASONING = [
    # messages APIs
    "messages.1.content.0: Invalid `signature` in `thinking` block",
    "messages.3.content.0.thinking.signature: Field required",
    "messages.3.content.0.thinking.signature: Input should be a valid string",
    (
        "messages.7.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant"
        " message cannot be modified. These blocks must remain as they were in"
        " the original response."
    ),
    "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
    "messages.5.content.0.thinking: each thinking block must contain thinking",
    (
        "messages.1.content.0: When thinking is disabled, an `assistant` message in the final"
        " position cannot contain `thinking`. To use thinking blocks, enable"
        " `thinking` in your request."
    ),
    "ValidationException: messages.1.content.0: Invalid `signature` in `thinking` block",
    # generateContent
    "Thought signature is not valid.",
    "Corrupted thought signature.",
    "Invalid thought_signature in part 2 of content 3",
    (
        "Function call is missing a thought_signature in functionCall parts. This is required for"
        " tools to work correctly. Additional data, function call `Read`, position 2."
    ),
    "Unable to decode thought signature",
    "MISSING_THOUGHT_SIGNATURE",
    "Invalid JSON payload received. Unknown name \"thoughtSignature\" at 'contents[1].parts[0]'",
    # chat completions and responses
    (
        "The encrypted content gAAAAABo+x/z could not be verified. Reason: Encrypted content could"
        " not be decrypted or parsed."
    ),
    "invalid_encrypted_content",
    "Item 'rs_68af01' of type 'reasoning' was provided without its required following item.",
    "Item with id 'rs_68af01' not found. Items are not persisted when `store` is set to false.",
    (
        "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' :"
        " property 'reasoning_content' is unsupported)]"
    ),
    (
        "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' :"
        " property 'reasoning' is unsupported)]"
    ),
    "Extra inputs are not permitted, field: 'messages[2].assistant.reasoning_content'",
    "messages.2.assistant.reasoning_content: Extra inputs are not permitted",
    "reasoning_details is not supported by this provider",
]

SETTINGS_OF_THINKING = [
    "invalid model for reasoning effort",
    "thinking.budget_tokens must be less than max_tokens",
    "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation",
    "thinking.budget_tokens: Input should be greater than or equal to 1024",
    "missing required parameter: thinking.budget_tokens",
    "thinking.enabled.budget_tokens: Field required",
    "`temperature` may only be set to 1 when thinking is enabled",
    "Thinking may not be enabled when tool_choice forces tool use.",
    "thinking.type: Input should be 'enabled' or 'disabled'",
    "adaptive thinking is not supported on this model",
    "claude-3-5-haiku does not support thinking: invalid request",
    (
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found"
        " `tool_use`. When `thinking` is enabled, a final `assistant` message"
        " must start with a thinking block."
    ),
    "reasoning_effort is not supported with this model",
    "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
    "Unsupported value: 'reasoning_effort' does not support 'none' with this model.",
    "Unknown parameter: 'reasoning_effort'.",
    "Unknown parameter: 'reasoning'.",
    "Invalid value: 'none'. Supported values of reasoning.effort are: 'minimal', 'low'.",
    "property 'reasoning' is unsupported",
    "`reasoning_format` is not supported with this model: invalid value 'parsed'",
    "Function tools with reasoning_effort are not supported for this model on chat completions.",
    "Budget 0 is invalid. This model only works in thinking mode.",
    "The thinking budget 0 is invalid. Please choose a value between 128 and 32768.",
    "Thinking level is not supported for this model.",
    "Unable to submit request because thinking_budget is out of range.",
    (
        'Invalid JSON payload received. Unknown name "thinkingLevel" at'
        " 'generation_config.thinking_config': Cannot find field."
    ),
    "Invalid value at 'generation_config.thinking_config.thinking_budget' (TYPE_INT32), \"x\"",
    "thinking is enabled but reasoning_content is missing in assistant tool call message 2",
    "The model 'qwq-thinking' is not found",
    "model `kimi-k2-thinking` not found",
    "Invalid signature",
    "The request signature we calculated does not match the signature you provided.",
    "invalid image: the file could not be decrypted",
    "I thought the signature of this function was invalid",
]


@pytest.mark.parametrize("message", REFUSED_REASONING)
def test_reasoning_that_was_refused(message: str) -> None:
    assert type(said(message)) is ReasoningRefusedError
    event = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    assert type(classify_event(event)) is ReasoningRefusedError


@pytest.mark.parametrize("message", SETTINGS_OF_THINKING)
def test_other_complaints_about_thinking_are_faults(message: str) -> None:
    assert type(said(message)) is RequestRefusedError


def test_a_code_alone_names_refused_reasoning() -> None:
    body = {"error": {"message": "Bad input.", "code": "invalid_encrypted_content"}}
    assert type(said_so(body)) is ReasoningRefusedError


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "Failed to call a function.", "code": "tool_use_failed"}},
        {"error": {"message": "tool call validation failed", "type": "tool_use_failed"}},
    ],
)
def test_a_call_that_the_server_rejected(body: Any) -> None:
    error = said_so(body)
    assert type(error) is RejectedCallError
    assert error.said == body["error"]["message"]
    assert type(classify_event(body)) is RejectedCallError
