"""What is alike in all adapters with a wire: the key, the limits, the request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from turnloop_core.caps import capabilities_of, checked_caps
from turnloop_core.errors import AuthError, SettingsError
from turnloop_core.prices import PriceLibrary
from turnloop_core.transport.request import Decoder, HttpRequest
from turnloop_core.transport.retry import RetryPolicy
from turnloop_core.transport.speaker import Speaker
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.deltas import Delta

if TYPE_CHECKING:
    from turnloop_core.context import FactoryContext
    from turnloop_core.transport.options import HttpOptions


class Endpoint:
    """One entry under `providers` whose kind has a wire.

    Args:
        context: of the factory; its `options` are `HttpOptions`.
        known: exact id of a model -> what the adapter knows of it.
        base_url: where the endpoint is when the settings do not say.
        hints: as in `HttpRequest`.
        too_long: as in `HttpRequest`.

    Attributes:
        name: the entry's name in settings.
        model: the model that the entry names.

    Raises:
        SettingsError: the address is missing, or `caps` is wrong.
    """

    def __init__(
        self,
        context: FactoryContext,
        known: Mapping[str, Capabilities],
        *,
        base_url: str = "",
        hints: Mapping[int, str] | None = None,
        too_long: tuple[str, ...] = (),
    ) -> None:
        options: HttpOptions = context.options
        self.name = context.name
        self.model = options.model
        self._options = options
        self._base = _base(self.name, options.base_url or base_url)
        self._caps = checked_caps(self.name, options.caps)
        _check_numbers(self.name, options)
        self._known = known
        self._able: dict[str, Capabilities] = {}  # asked at every request
        self._prices = PriceLibrary(options.vendor, context.scope.home)
        self._secret = context.secret
        self._transport = context.transport
        self._hints = hints or {}
        self._too_long = too_long
        patience: dict[str, Any] = {"max_retries": options.max_retries}
        if options.cold_boot_budget_s > 0:
            patience["boot_budget_s"] = options.cold_boot_budget_s
            patience["boots_from_nothing"] = True
        self._policy = RetryPolicy(**patience)

    def capabilities(self, model: str) -> Capabilities:
        """What `model` can do: what settings say, over what is known of its exact id."""
        can = self._able.get(model)
        if can is None:
            look_up = self._prices.look_up
            can = capabilities_of(model, self.model, self._caps, self._known, look_up)
            self._able[model] = can
        return can

    def url(self, path: str, query: str = "") -> str:
        """The address of `path`.

        Args:
            path: begins with a slash; not added to a base that ends with it.
            query: added to what the base has of it.
        """
        base, _, own = self._base.partition("?")
        base = base.rstrip("/")
        whole = base if base.endswith(path) else base + path
        parts = "&".join(part for part in (own, query) if part)
        return f"{whole}?{parts}" if parts else whole

    def key(self) -> str:
        """The key, "" when the entry names none.

        Raises:
            AuthError: the variable is not set.
        """
        name = self._options.api_key_env
        if not name:
            return ""
        key = (self._secret(name) or "").strip()
        if not key:
            raise AuthError(
                f"{self.name}: no key: {name} is not set",
                hint=f"export {name}=..., or put it into .env of a trusted project",
            )
        return key

    def stream(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes | Sequence[bytes],
        decoder: Callable[[Speaker], Decoder],
        *,
        can: Capabilities,
    ) -> AsyncIterator[Delta]:
        """Send a request and give its answer as deltas.

        Args:
            url: from `url`.
            headers: the adapter's own; those of the settings win.
            body: JSON bytes, or their pieces.
            decoder: makes a fresh decoder for each try.
            can: what the model can do.

        Raises:
            ProviderError: as classified.
        """
        options = self._options
        fixed = {"content-type": "application/json", "accept": "text/event-stream"}
        request = HttpRequest(
            provider=self.name,
            url=url,
            headers={**fixed, **headers, **options.headers},
            body=body,
            key_name=options.api_key_env,
            timeout_s=options.timeout_s,
            max_concurrent=can.max_concurrent_requests,
            health_url=options.health_url,
            policy=self._policy,
            hints=self._hints,
            too_long=self._too_long,
        )
        return self._transport.stream(request, lambda: decoder(request.speaker))


def _check_numbers(provider: str, options: HttpOptions) -> None:
    for name, least in (("max_retries", 0), ("cold_boot_budget_s", 0), ("timeout_s", 0.001)):
        value = getattr(options, name)
        if value is not None and value < least:
            raise SettingsError(
                f"provider {provider}: {name} is {value}, which is too small",
                key=f"providers.{provider}.{name}",
                hint="null for no limit" if name == "timeout_s" else "0 or more",
            )


def _base(provider: str, base_url: str) -> str:
    base = base_url.strip()
    if not base:
        raise SettingsError(
            f"provider {provider}: base_url is missing",
            key=f"providers.{provider}.base_url",
            hint=f'set providers.{provider}.base_url, "https://HOST/v1" for most',
        )
    return base
