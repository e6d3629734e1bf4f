"""Provider: talks to a model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from turnloop_core.types.capabilities import Capabilities, Thinking
from turnloop_core.types.deltas import Delta
from turnloop_core.types.view import View
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model.

    Attributes:
        view: what the model is shown. Items keep their identity between requests of a session, so
            an adapter encodes each once.
        model: the id that the endpoint expects.
        max_output: tokens that the reply may have.
        thinking: how much the model is to think; adapters map it to their wire.
        session: id of the session, for endpoints that route by it.
    """

    view: View
    model: str
    max_output: int
    thinking: Thinking = "on"
    session: str = ""


class Provider(Protocol):
    """Talks to a model over one wire.

    Attributes:
        name: the name in settings under which it was made.
        model: the model used when the user names none.
    """

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    def capabilities(self, model: str) -> Capabilities:
        """What `model` can do, looked up by its exact id; conservative defaults when unknown."""
        ...

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Send the request and give the reply piece by piece.

        Transport retries happen inside and are told by `Waiting`, `Sent` and `Restart`. The stream
        ends in exactly one `End`. Closing the iterator early closes the connection.

        Raises:
            ProviderError: the subclass says what helps. A body that ends without an ending mark
                raises `StreamCutError`; a request that is too long `ContextOverflowError`.
        """
        ...

    async def aclose(self) -> None:
        """Release connections."""
        ...
