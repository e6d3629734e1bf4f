"""Settings that every provider with a wire has."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from turnloop_core.context import ProviderOptions
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpOptions(ProviderOptions):
    """What an entry under `providers` may say about how to reach it.

    Attributes:
        base_url: address of the endpoint; most end in `/v1`.
        api_key_env: name of the variable that holds the key; "" when none is needed.
        headers: sent with every request.
        timeout_s: longest silence of the server in seconds; null for no limit, for endpoints that
            load their model first.
        health_url: answers with success when the model is loaded; asked before the first request,
            and while the endpoint boots.
        cold_boot_budget_s: how long the model may load, in seconds; 0 for the usual patience.
        max_retries: further tries after the first, where waiting helps.
        extra_body: merged into the request's JSON.
        vendor: whose price list holds, by the id of the price library; "" asks no library.
    """

    base_url: str = ""
    api_key_env: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    timeout_s: float | None = 120.0
    health_url: str = ""
    cold_boot_budget_s: float = 0.0
    max_retries: int = 6
    extra_body: dict[str, Any] = field(default_factory=dict)
    vendor: str = ""
