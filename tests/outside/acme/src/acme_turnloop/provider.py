"""The provider: a desk that is reached over HTTP and answers in JSON lines."""

from __future__ import annotations

from collections.abc import AsyncIterator

from acme_turnloop.decode import Decoder
from acme_turnloop.encode import entries, head
from turnloop_core.api import (
    AuthError,
    Capabilities,
    Delta,
    FactoryContext,
    HttpOptions,
    HttpRequest,
    ItemCache,
    LineParser,
    Request,
    capabilities_of,
    checked_caps,
)

KNOWN = {"desk-2": Capabilities(max_context=40_000, max_output=2_000, known=True)}


def create(context: FactoryContext) -> Desk:
    """Make the provider of one entry in settings."""
    return Desk(context)


class Desk:
    """One desk."""

    def __init__(self, context: FactoryContext) -> None:
        self._options: HttpOptions = context.options
        self._caps = checked_caps(context.name, self._options.caps)
        self._context = context
        self._cache: ItemCache[bytes] = ItemCache()
        self.name = context.name
        self.model = self._options.model

    def capabilities(self, model: str) -> Capabilities:
        return capabilities_of(model, self.model, self._caps, KNOWN)

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        said = [part for part in self._cache.encoded(request.view.items, entries) if part]
        asked = HttpRequest(
            provider=self.name,
            url=f"{self._options.base_url.rstrip('/')}/talk",
            headers=self._headers(),
            body=(head(request), b',"transcript":[', b",".join(said), b"]}"),
            key_name=self._options.api_key_env,
            timeout_s=self._options.timeout_s,
            framing=LineParser,
        )
        return self._context.transport.stream(asked, lambda: Decoder(self.name))

    async def aclose(self) -> None:
        """The transport keeps the connections."""

    def _headers(self) -> dict[str, str]:
        headers = {"content-type": "application/json", "accept": "application/x-ndjson"}
        if variable := self._options.api_key_env:
            key = self._context.secret(variable)
            if not key:
                raise AuthError(f"{self.name}: {variable} is not set", hint=f"export {variable}=…")
            headers["x-desk-key"] = key
        return headers | self._options.headers
