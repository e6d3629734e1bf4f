"""The provider: settings and a view in, deltas out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from turnloop_anthropic.blocks import Look
from turnloop_anthropic.decode import Decoder
from turnloop_anthropic.encode import Encoder
from turnloop_anthropic.models import KNOWN, Style, style_of
from turnloop_anthropic.options import AnthropicOptions
from turnloop_anthropic.thinking import Loop, Plan, begins_with_a_thought, plan, replaced
from turnloop_core.api import Capabilities, Delta, Endpoint, FactoryContext, Request

BASE_URL = "https://api.anthropic.com/v1"
VERSION = "2023-06-01"
INTERLEAVED = "interleaved-thinking-2025-05-14"
HINTS = {404: "the model may be retired: name another (tl --model ID); or check base_url"}
TOO_LONG = ("exceed context limit",)  # of input and `max_tokens` together


def create(context: FactoryContext) -> Anthropic:
    """Make the provider that an entry in settings describes.

    Raises:
        SettingsError: `caps` is wrong.
    """
    return Anthropic(context)


class Anthropic:
    """An endpoint that speaks the Anthropic messages API."""

    def __init__(self, context: FactoryContext) -> None:
        options: AnthropicOptions = context.options
        self._options = options
        self._endpoint = Endpoint(context, KNOWN, base_url=BASE_URL, hints=HINTS, too_long=TOO_LONG)
        self._encoder = Encoder(options)
        self._loop = Loop()
        self.name = self._endpoint.name
        self.model = self._endpoint.model

    def capabilities(self, model: str) -> Capabilities:
        """What `model` can do: what settings say, over what is known of its exact id."""
        can = self._endpoint.capabilities(model)
        if self._options.cache_ttl == "1h" and can.price_in_per_mtok is not None:
            can = replace(can, price_cache_write_per_mtok=2 * can.price_in_per_mtok)
        style = self._options.thinking_style
        if not style or model != self.model or "reasoning" in self._options.caps:
            return can
        if style == "none":
            return replace(can, reasoning=False)
        if can.reasoning:
            return can
        off = "thinking_off" in self._options.caps
        return replace(
            can,
            reasoning=True,
            reasoning_binding="last_turn",
            thinking_off=can.thinking_off if off else "flag",
        )

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Send the request and give the reply piece by piece.

        Raises:
            AuthError: the key is not set; nothing was sent.
            ProviderError: as the transport classified it.
        """
        can = self.capabilities(request.model)
        planned = self._plan(request, can)
        look = Look(self._origin(request), can.supports_vision, planned.carries)
        cache = self._options.cache and can.supports_prompt_caching
        body = self._encoder.body(request, look, planned, cache=cache)
        url = self._endpoint.url("/messages")
        return self._endpoint.stream(
            url, self._headers(request.model, planned), body, Decoder, can=can
        )

    async def aclose(self) -> None:
        """Nothing to do: connections belong to the transport, which all providers share."""

    def _origin(self, request: Request) -> str:
        return f"{self.name}/{request.model}"

    def _plan(self, request: Request, can: Capabilities) -> Plan:
        known = KNOWN.get(request.model)
        ceiling = max(can.max_output, known.max_output if known else 0)
        first = self._loop.first(request.view.items)
        planned = plan(
            request,
            can,
            self._style(request.model),
            ceiling=ceiling,
            may_think=first is None or begins_with_a_thought(first, self._origin(request)),
        )
        extra = self._options.extra_body
        return replaced(planned, extra["thinking"], can) if "thinking" in extra else planned

    def _style(self, model: str) -> Style:
        """How a model is told to think; one that is not known, but thinks, by a budget: other
        servers of this wire take that.
        """
        chosen = self._options.thinking_style if model == self.model else ""
        return chosen or style_of(model) or "budget"

    def _headers(self, model: str, planned: Plan) -> dict[str, str]:
        headers = {"anthropic-version": VERSION}
        if key := self._endpoint.key():
            bearer = self._options.auth == "bearer"
            headers |= {"authorization": f"Bearer {key}"} if bearer else {"x-api-key": key}
        # Servers other than the vendor's refuse the name of a feature that a model has not got.
        interleaved = (INTERLEAVED,) if planned.budgeted and style_of(model) == "budget" else ()
        if betas := dict.fromkeys((*interleaved, *self._options.betas)):
            headers["anthropic-beta"] = ",".join(betas)
        return headers
