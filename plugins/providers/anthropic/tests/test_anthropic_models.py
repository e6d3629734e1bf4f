"""The table of models, its prices, and the preset."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from turnloop_anthropic import plugin
from turnloop_anthropic.models import KNOWN, style_of
from turnloop_anthropic.options import AnthropicOptions
from turnloop_anthropic.provider import create
from turnloop_core.testing.contexts import factory_context, registered
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.capabilities import Capabilities

PRICES = {
    "input_mtok": "price_in_per_mtok",
    "output_mtok": "price_out_per_mtok",
    "cache_read_mtok": "price_cached_per_mtok",
    "cache_write_mtok": "price_cache_write_per_mtok",
}


def test_the_preset() -> None:
    (entry,) = registered(plugin, "register_providers").values()
    assert entry.name == "anthropic"
    assert entry.presets == {
        "anthropic": {
            "kind": "anthropic",
            "model": "claude-sonnet-4-5",
            "api_key_env": "ANTHROPIC_API_KEY",
            "vendor": "anthropic",
        }
    }


@pytest.mark.parametrize("model", KNOWN)
def test_prices_are_those_of_the_price_library(model: str) -> None:
    pytest.importorskip("genai_prices", reason="the price library is not installed")
    from genai_prices.data import providers

    vendor = next(p for p in providers if p.id == "anthropic")
    # dated ids are listed by their beginning alone; the library is asked as it wants to be here
    listed = next(m for m in vendor.models if m.match.is_match(model))
    assert model.startswith(listed.id)
    prices: Any = listed.get_prices(datetime.now(UTC))
    can = KNOWN[model]
    ours = {name: getattr(can, name) for name in PRICES.values()}
    theirs = {
        name: float(getattr(price, "base", price))
        for field, name in PRICES.items()
        if (price := getattr(prices, field)) is not None
    }
    assert ours == pytest.approx(theirs)
    assert can.max_context == listed.context_window


def test_every_model_is_told_to_think_in_one_way() -> None:
    assert {model: style_of(model) for model in KNOWN if style_of(model) is None} == {}
    assert style_of("claude-sonnet-4-5-2") is None


def test_windows_hold_what_may_be_written() -> None:
    for model, can in KNOWN.items():
        assert can.known and can.reasoning and can.supports_vision, model
        assert 16_000 < can.max_output < can.max_context, model


def capabilities(model: str, of: str = "", **settings: Any) -> Capabilities:
    with temporary_project({}) as project:
        options = AnthropicOptions(kind="anthropic", model=model, **settings)
        return create(factory_context(project, "c", options=options)).capabilities(of or model)


def test_a_style_in_settings_makes_an_unknown_model_think() -> None:
    assert capabilities("gateway/x") == Capabilities()
    thinks = capabilities("gateway/x", thinking_style="budget")
    assert (thinks.reasoning, thinks.thinking_off) == (True, "flag")
    assert thinks.reasoning_binding == "last_turn"
    caps = {"thinking_off": "never"}
    kept = capabilities("gateway/x", thinking_style="adaptive", caps=caps)
    assert (kept.reasoning, kept.thinking_off) == (True, "never")


def test_a_style_in_settings_speaks_of_the_model_there() -> None:
    assert not capabilities("claude-sonnet-4-5", thinking_style="none").reasoning
    other = capabilities("gateway/x", "claude-sonnet-4-5", thinking_style="none")
    assert other == KNOWN["claude-sonnet-4-5"]


def test_what_settings_say_of_reasoning_holds() -> None:
    said = capabilities("x", thinking_style="budget", caps={"reasoning": False})
    assert not said.reasoning
