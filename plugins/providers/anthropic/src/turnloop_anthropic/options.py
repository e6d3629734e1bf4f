"""What an entry of kind `anthropic` may say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from turnloop_core.api import HttpOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicOptions(HttpOptions):
    """Settings of an endpoint that speaks the Anthropic messages API.

    In `extra_body` a null takes a field out of the request, for servers that refuse it; `messages`
    cannot be replaced.

    Attributes:
        auth: how the key is sent: as `x-api-key`, or as a bearer token, which some gateways want.
        betas: names of beta features, sent in the header `anthropic-beta`.
        cache: mark what may be cached, where the model charges less for it.
        cache_ttl: how long what is cached is kept; an hour costs more to write.
        thinking_style: how the model is told to think: by a budget of tokens, by adaptive thinking
            and an effort, or not at all; "" goes by the model's exact id.
    """

    auth: Literal["x-api-key", "bearer"] = "x-api-key"
    betas: tuple[str, ...] = ()
    cache: bool = True
    cache_ttl: Literal["5m", "1h"] = "5m"
    thinking_style: Literal["", "budget", "adaptive", "none"] = ""
