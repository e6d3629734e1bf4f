"""Who speaks in a stream: makes the errors of a decoder, with names and without keys."""

from __future__ import annotations

from typing import Any

from turnloop_core.errors import BadReplyError, ProviderError, StreamCutError
from turnloop_core.types.json_text import parse_wire_json
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class Speaker:
    """The server whose events are decoded.

    Attributes:
        provider: name of the provider, for messages.
        key_name: the variable that holds the key, for hints.
        secrets: values that may not stand in a message.
        too_long: words of this server, in lower case, that mean that the request is too long.
    """

    provider: str = ""
    key_name: str = ""
    secrets: tuple[str, ...] = ()
    too_long: tuple[str, ...] = ()

    def read(self, data: str) -> dict[str, Any]:
        """The object that an event holds.

        Raises:
            BadReplyError: it holds none.
        """
        try:
            value = parse_wire_json(data)
        except ValueError:
            raise self.not_understood(data) from None
        if not isinstance(value, dict):
            raise self.not_understood(data)
        return value

    def error(self, value: Any) -> ProviderError:
        """The error that an error object within the stream stands for."""
        from turnloop_core.transport.errors import classify_event

        return classify_event(
            value,
            provider=self.provider,
            key_name=self.key_name,
            secrets=self.secrets,
            too_long=self.too_long,
        )

    def not_understood(self, data: str) -> BadReplyError:
        """The error for an event that is none of this wire."""
        from turnloop_core.transport.problem import excerpt, without_keys

        said = excerpt(without_keys(data, self.secrets))  # a key that is cut is not found
        return BadReplyError(
            f"{self.provider}: an event of the stream is not what this protocol says: {said}",
            hint="check base_url, and the kind of this provider",
        )

    def cut(self) -> StreamCutError:
        """The error for a body that ended without its ending mark."""
        return StreamCutError(
            f"{self.provider}: the reply ended without its ending mark",
            cause="closed",
            hint="send the prompt again",
        )
