"""How much the model is to think, in the fields of the endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnloop_core.api import Capabilities, Thinking
from turnloop_openai_compat.models import EFFORTS, USUAL
from turnloop_openai_compat.options import OpenAICompatOptions


def thinking_fields(
    thinking: Thinking, model: str, can: Capabilities, options: OpenAICompatOptions
) -> Mapping[str, Any]:
    """What `thinking` adds to a request.

    The bodies of the settings are sent whatever the model is; a word for effort only to a model
    that is known to think, since others refuse the field.
    """
    fields = options.thinking_off_body if thinking == "off" else options.thinking_body
    word = _effort(thinking, model, can, options)
    return {options.effort_field: word, **fields} if options.effort_field and word else fields


def _effort(thinking: Thinking, model: str, can: Capabilities, options: OpenAICompatOptions) -> str:
    known = EFFORTS.get(model, USUAL)
    if known.always:
        return known.always
    if not can.reasoning:
        return ""
    if thinking == "on":
        return known.on
    if thinking != "off":
        return thinking
    if can.thinking_off == "lowest_effort":
        return options.lowest_effort or known.least
    if can.thinking_off == "flag":  # a word can be the flag; else thinking_off_body is
        return options.lowest_effort or ("none" if known.least == "none" else "")
    return ""
