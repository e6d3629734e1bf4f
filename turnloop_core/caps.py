"""`caps` of a provider's entry in settings: what the user says that a model can do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from turnloop_core.errors import SettingsError
from turnloop_core.registry import did_you_mean
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.codec import CodecError, from_json


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
    return dict(caps)


def capabilities_of(
    model: str,
    configured: str,
    caps: Mapping[str, Any],
    known: Mapping[str, Capabilities] | None = None,
) -> Capabilities:
    """What `model` can do.

    Args:
        model: exact id; a part of one never matches.
        configured: the model that the entry names: it is what `caps` speaks of. For another model
            limits still hold, since they often belong to the account, but prices do not.
        caps: checked values that override what is known.
        known: exact id -> what is known; anything else gets the conservative defaults.
    """
    base = (known or {}).get(model, Capabilities())
    if model == configured and caps:
        return replace(base, **{"known": True, **caps})
    return replace(base, **{n: v for n, v in caps.items() if not n.startswith(("price", "cost"))})
