"""What an entry of kind `gemini` may say."""

from __future__ import annotations

from typing import Literal

from turnloop_core.api import HttpOptions, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiOptions(HttpOptions):
    """Settings of an endpoint that speaks the Gemini API.

    In `extra_body` a null takes a field out of the request, at any depth; `contents` is left alone.

    Attributes:
        thinking_style: how the model is told how much to think: `budget` (a number of tokens),
            `level` (a word) or `none` (not at all); "" goes by the model's id.
        signs_calls: the model refuses a call in the history that bears no signature, so that
            calls of other models get a placeholder; null goes by the model's id.
    """

    thinking_style: Literal["", "budget", "level", "none"] = ""
    signs_calls: bool | None = None
