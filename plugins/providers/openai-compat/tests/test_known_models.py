"""What is said of models agrees with the price library, by literal ids."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnloop_core.prices import PriceLibrary
from turnloop_core.types.capabilities import Capabilities
from turnloop_openai_compat.models import EFFORTS, KNOWN

PRICES = ("price_in_per_mtok", "price_out_per_mtok", "price_cached_per_mtok")
OPENAI = [name for name, can in KNOWN.items() if can.price_in_per_mtok is not None]


def test_most_are_priced() -> None:
    assert {"gpt-4.1", "gpt-4o-mini", "gpt-5", "gpt-5.1", "o3", "o4-mini"} <= set(OPENAI)


@pytest.mark.parametrize("model", OPENAI)
def test_prices_are_those_of_the_library(model: str, tmp_path: Path) -> None:
    listed = PriceLibrary("openai", tmp_path).look_up(model)
    assert listed is not None, f"{model} is not listed by this id"
    ours = KNOWN[model]
    assert [getattr(ours, p) for p in PRICES] == [getattr(listed, p) for p in PRICES]
    assert ours.max_context == pytest.approx(listed.max_context, rel=0.05)


def test_prices_that_differ_from_place_to_place_come_from_the_vendor(make) -> None:
    entry = {"base_url": "http://h/v1", "model": "openai/gpt-oss-120b"}
    assert make(**entry).capabilities("openai/gpt-oss-120b").price_in_per_mtok is None
    priced = make(**entry, vendor="groq").capabilities("openai/gpt-oss-120b")
    assert (priced.price_in_per_mtok, priced.price_out_per_mtok) == (0.15, 0.6)


@pytest.mark.parametrize("model", KNOWN)
def test_ids_match_exactly(make, model: str) -> None:
    provider = make(base_url="http://h/v1")
    for near in (f"{model}-x", f"x/{model}", model.upper(), model[:-1]):
        if near not in KNOWN:
            assert provider.capabilities(near) == Capabilities()


def test_windows_hold_their_output() -> None:
    for name, can in KNOWN.items():
        assert can.max_output < can.max_context, name
    assert set(EFFORTS) <= set(KNOWN)
