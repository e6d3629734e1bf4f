"""The provider: settings and a view in, deltas out."""

from __future__ import annotations

from collections.abc import AsyncIterator

from turnloop_core.api import (
    Capabilities,
    Delta,
    Endpoint,
    FactoryContext,
    Request,
    SettingsError,
    Speaker,
)
from turnloop_openai_compat.decode import Decoder
from turnloop_openai_compat.encode import Encoder
from turnloop_openai_compat.models import KNOWN
from turnloop_openai_compat.options import OpenAICompatOptions
from turnloop_openai_compat.presets import ADDRESSES

PATH = "/chat/completions"

# How servers of this family say that a request is too long, beside what all wires have in common.
TOO_LONG = (
    "is greater than the context length",
    "reduce the length of the messages",
    "`inputs` tokens + `max_new_tokens` must be",
)


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
        _check_address(context.name, options.base_url)
        self._endpoint = Endpoint(context, KNOWN, too_long=TOO_LONG)
        self.name = self._endpoint.name
        self.model = self._endpoint.model
        self._url = self._endpoint.url(PATH)
        self._think_tags = options.think_tags
        self._encoder = Encoder(self.name, options)

    def capabilities(self, model: str) -> Capabilities:
        """What `model` can do: what settings say, over what is known of its exact id."""
        return self._endpoint.capabilities(model)

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Send the request and give the reply piece by piece.

        Raises:
            AuthError: the key is not set; nothing was sent.
            ProviderError: as the transport classified it.
        """
        can = self.capabilities(request.model)
        key = self._endpoint.key()
        headers = {"authorization": f"Bearer {key}"} if key else {}
        body = self._encoder.body(request, can)
        return self._endpoint.stream(self._url, headers, body, self._decoder, can=can)

    async def aclose(self) -> None:
        """Nothing to do: connections belong to the transport, which all providers share."""

    def _decoder(self, speaker: Speaker) -> Decoder:
        return Decoder(speaker, think_tags=self._think_tags)


def _check_address(name: str, base_url: str) -> None:
    if not base_url.strip() and name in ADDRESSES:
        raise SettingsError(
            f"provider {name}: base_url is missing",
            key=f"providers.{name}.base_url",
            hint=ADDRESSES[name],
        )
