"""The provider: settings and a view in, deltas out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from urllib.parse import quote

from turnloop_core.api import Capabilities, Delta, Endpoint, FactoryContext, Request
from turnloop_gemini.contents import Look
from turnloop_gemini.decode import Decoder
from turnloop_gemini.encode import Encoder
from turnloop_gemini.models import KNOWN, traits_of
from turnloop_gemini.options import GeminiOptions
from turnloop_gemini.presets import ALIAS

BASE_URL = "https://generativelanguage.googleapis.com/v1beta"
HINTS = {
    404: f"models are retired, and some are closed to new keys: --model {ALIAS} follows the"
    " vendor's own choice; or check base_url"
}


def create(context: FactoryContext) -> Gemini:
    """Make the provider that an entry in settings describes.

    Raises:
        SettingsError: `caps` is wrong.
    """
    options: GeminiOptions = context.options
    return Gemini(replace(context, options=replace(options, model=_bare(options.model))))


class Gemini:
    """An endpoint that speaks the Gemini API."""

    def __init__(self, context: FactoryContext) -> None:
        self._options: GeminiOptions = context.options
        self._endpoint = Endpoint(context, KNOWN, base_url=BASE_URL, hints=HINTS)
        self._encoder = Encoder(self._options.extra_body)
        self.name = self._endpoint.name
        self.model = self._endpoint.model

    def capabilities(self, model: str) -> Capabilities:
        """What `model` can do: what settings say, over what is known of its exact id."""
        return self._endpoint.capabilities(_bare(model))

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Send the request and give the reply piece by piece.

        Raises:
            AuthError: the key is not set; nothing was sent.
            ProviderError: as the transport classified it.
        """
        model = _bare(request.model)
        can = self.capabilities(model)
        traits = traits_of(model, self._options.thinking_style, self._options.signs_calls)
        look = Look(f"{self.name}/{request.model}", can.supports_vision, traits.signs_calls)
        path = f"/models/{quote(model, safe='')}:streamGenerateContent"
        key = self._endpoint.key()
        return self._endpoint.stream(
            self._endpoint.url(path, "alt=sse"),
            {"x-goog-api-key": key} if key else {},
            self._encoder.body(request, look, traits, can),
            Decoder,
            can=can,
        )

    async def aclose(self) -> None:
        """Nothing to do: connections belong to the transport, which all providers share."""


def _bare(model: str) -> str:
    """The id without the name of its collection, which the vendor's lists put before it."""
    return model.removeprefix("models/")
