"""`caps` of a provider's entry in settings: what the user says that a model can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any

from turnloop_core.errors import SettingsError
from turnloop_core.registry import did_you_mean
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.codec import CodecError, from_json

_LEAST = MappingProxyType({"max_context": 1, "max_output": 1})


def checked_caps(provider: str, caps: Mapping[str, Any]) -> Mapping[str, Any]:
    """The `caps` of an entry, as they stand.

    Args:
        provider: name in settings, for messages.
        caps: names and values of `Capabilities`.

    Raises:
        SettingsError: a name or a value is wrong.
    """
    names = [f.name for f in fields(Capabilities)]
    for name, value in caps.items():
        key = f"providers.{provider}.caps.{name}"
        if name not in names:
            raise SettingsError(
                f"provider {provider}: caps has no field {name!r}",
                key=key,
                hint=did_you_mean(name, names),
            )
        try:
            from_json(Capabilities, {name: value})
        except CodecError as error:
            raise SettingsError(
                f"provider {provider}: caps.{name} is wrong: {error}", key=key
            ) from error
        if isinstance(value, (int, float)) and value < _LEAST.get(name, 0):
            raise SettingsError(
                f"provider {provider}: caps.{name} is {value}, which is too small",
                key=key,
                hint=f"{_LEAST.get(name, 0)} or more",
            )
    return dict(caps)


def capabilities_of(
    model: str,
    configured: str,
    caps: Mapping[str, Any],
    known: Mapping[str, Capabilities] | None = None,
    look_up: Callable[[str], Capabilities | None] = lambda _: None,
) -> Capabilities:
    """What `model` can do.

    Args:
        model: exact id; a part of one never matches.
        configured: the model that the entry names: it is what `caps` speaks of. For another model
            limits still hold, since they often belong to the account, but prices do not.
        caps: checked values that override what is known.
        known: exact id -> what is known; anything else gets the conservative defaults.
        look_up: asks a library; only for what neither `caps` nor `known` says.
    """
    own = model == configured
    said = {n: v for n, v in caps.items() if own or not n.startswith(("price", "cost"))}
    base = (known or {}).get(model)
    if base is None:
        base = (None if _is_enough(said) else look_up(model)) or Capabilities()
    elif base.price_in_per_mtok is None and not _is_priced(said):
        base = _with_prices(base, look_up(model))
    if own and caps:
        said = {"known": True, **said}
    return replace(base, **said)


def _is_priced(said: Mapping[str, Any]) -> bool:
    return any(name in said for name in ("price_in_per_mtok", "cost_per_hour"))


def _is_enough(said: Mapping[str, Any]) -> bool:
    """Whether a library could add nothing that matters."""
    return "max_context" in said and _is_priced(said)


def _with_prices(base: Capabilities, other: Capabilities | None) -> Capabilities:
    if other is None:
        return base
    prices = {f.name: getattr(other, f.name) for f in fields(other) if f.name.startswith("price")}
    return replace(base, **prices)
