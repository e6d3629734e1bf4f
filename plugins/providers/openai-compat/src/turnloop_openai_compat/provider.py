"""The provider: settings and a view in, deltas out."""

from __future__ import annotations

from collections.abc import AsyncIterator

from turnloop_core.api import (
    AuthError,
    Capabilities,
    Delta,
    FactoryContext,
    HttpRequest,
    Request,
    RetryPolicy,
    SettingsError,
    capabilities_of,
    checked_caps,
)
from turnloop_openai_compat.decode import Decoder
from turnloop_openai_compat.encode import Encoder, Style
from turnloop_openai_compat.models import KNOWN
from turnloop_openai_compat.options import OpenAICompatOptions

PATH = "/chat/completions"


def create(context: FactoryContext) -> OpenAICompat:
    """Make the provider that an entry in settings describes.

    Raises:
        SettingsError: the address is missing, or `caps` is wrong.
    """
    return OpenAICompat(context)


class OpenAICompat:
    """An endpoint that speaks OpenAI chat completions."""

    def __init__(self, context: FactoryContext) -> None:
        options: OpenAICompatOptions = context.options
        self.name = context.name
        self.model = options.model
        self._options = options
        self._url = _endpoint(self.name, options.base_url)
        self._caps = checked_caps(self.name, options.caps)
        self._secret = context.secret
        self._transport = context.transport
        self._encoder = Encoder(options)
        self._policy = RetryPolicy()
        if options.cold_boot_budget_s > 0:
            self._policy = RetryPolicy(boot_budget_s=options.cold_boot_budget_s)

    def capabilities(self, model: str) -> Capabilities:
        """What `model` can do: what settings say, over what is known of its exact id."""
        return capabilities_of(model, self.model, self._caps, KNOWN)

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Send the request and give the reply piece by piece.

        Raises:
            AuthError: the key is not set; nothing was sent.
            ProviderError: as the transport classified it.
        """
        sent = self._request(request)
        key_name = self._options.api_key_env
        return self._transport.stream(sent, lambda: Decoder(self.name, key_name, sent.secrets))

    async def aclose(self) -> None:
        """Nothing to do: connections belong to the transport, which all providers share."""

    def _request(self, request: Request) -> HttpRequest:
        can = self.capabilities(request.model)
        style = Style(
            origin=f"{self.name}/{request.model}",
            vision=can.supports_vision,
            reasoning_field=self._options.reasoning_field,
        )
        return HttpRequest(
            provider=self.name,
            url=self._url,
            headers=self._headers(),
            body=self._encoder.body(request, style),
            key_name=self._options.api_key_env,
            timeout_s=self._options.timeout_s,
            max_concurrent=can.max_concurrent_requests,
            health_url=self._options.health_url,
            policy=self._policy,
        )

    def _headers(self) -> dict[str, str]:
        headers = {"content-type": "application/json", "accept": "text/event-stream"}
        if name := self._options.api_key_env:
            key = (self._secret(name) or "").strip()
            if not key:
                raise AuthError(
                    f"{self.name}: no key: {name} is not set",
                    hint=f"export {name}=..., or put it into .env of a trusted project",
                )
            headers["authorization"] = f"Bearer {key}"
        return headers | self._options.headers


def _endpoint(provider: str, base_url: str) -> str:
    """The address of the completions; a query in `base_url` stays at the end."""
    base, mark, query = base_url.strip().partition("?")
    base = base.rstrip("/")
    if not base:
        raise SettingsError(
            f"provider {provider}: base_url is missing",
            key=f"providers.{provider}.base_url",
            hint=f'set providers.{provider}.base_url, "https://HOST/v1" for most',
        )
    return (base if base.endswith(PATH) else base + PATH) + mark + query
