"""What is known of models, by their exact ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from turnloop_core.api import Capabilities, CodecError, SettingsError, from_json

_GPT = Capabilities(supports_vision=True, supports_prompt_caching=True, known=True)

KNOWN: Mapping[str, Capabilities] = {
    "gpt-4.1": replace(
        _GPT,
        max_context=1_047_576,
        max_output=32_768,
        price_in_per_mtok=2.0,
        price_out_per_mtok=8.0,
        price_cached_per_mtok=0.5,
    ),
    "gpt-4o-mini": replace(
        _GPT,
        max_context=128_000,
        max_output=16_384,
        price_in_per_mtok=0.15,
        price_out_per_mtok=0.6,
        price_cached_per_mtok=0.075,
    ),
}


def declared(provider: str, caps: Mapping[str, Any]) -> Mapping[str, Any]:
    """The `caps` of an entry, checked.

    Raises:
        SettingsError: a name or a value is wrong.
    """
    names = [f.name for f in fields(Capabilities)]
    for name in caps:
        if name not in names:
            raise SettingsError(
                f"provider {provider}: caps has no field {name!r}",
                key=f"providers.{provider}.caps.{name}",
                hint=_nearest(name, names),
            )
        try:
            from_json(Capabilities, {name: caps[name]})
        except CodecError as error:
            raise SettingsError(
                f"provider {provider}: caps.{name} is wrong: {error}",
                key=f"providers.{provider}.caps.{name}",
            ) from error
    return dict(caps)


def capabilities(model: str, configured: str, caps: Mapping[str, Any]) -> Capabilities:
    """What `model` can do.

    Args:
        model: exact id.
        configured: the model that the entry names: it is what `caps` speaks of. For another model
            limits still hold, since they often belong to the account, but prices do not.
        caps: checked values that override what is known.
    """
    known = KNOWN.get(model, Capabilities())
    if model == configured and caps:
        return replace(known, **{"known": True, **caps})
    return replace(known, **{n: v for n, v in caps.items() if not n.startswith(("price", "cost"))})


def _nearest(name: str, names: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
