"""Prices come from the library only for the vendor that is named and the id that stands there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from turnloop_core.caps import capabilities_of, checked_caps
from turnloop_core.errors import SettingsError
from turnloop_core.prices import PriceLibrary
from turnloop_core.types.capabilities import Capabilities

pytest.importorskip("genai_prices", reason="the price library is not installed")


def test_an_id_that_the_vendor_lists(tmp_path: Path) -> None:
    assert PriceLibrary("openai", tmp_path).look_up("gpt-4o-mini") == Capabilities(
        max_context=128_000,
        price_in_per_mtok=0.15,
        price_out_per_mtok=0.6,
        price_cached_per_mtok=0.075,
        known=True,
    )


@pytest.mark.parametrize(
    ("vendor", "model"),
    [
        ("", "gpt-4o-mini"),
        ("openai", "glm-5.2"),
        ("nobody", "gpt-4o-mini"),
        ("openai", "gpt-4o-mini-x"),
        ("openai", "x-gpt-4o-mini"),
        ("openai", "openai/gpt-4o-mini"),
        ("openai", "gpt-4o-min"),
        ("anthropic", "claude-sonnet-4-5-20990101"),  # the library matches the beginning
    ],
)
def test_what_is_only_like_a_listed_id_is_not_found(
    vendor: str, model: str, tmp_path: Path
) -> None:
    assert PriceLibrary(vendor, tmp_path).look_up(model) is None


def test_an_answer_is_kept_and_a_spoilt_cache_is_none(tmp_path: Path) -> None:
    library = PriceLibrary("openai", tmp_path)
    first = library.look_up("gpt-4o-mini")
    file = tmp_path / ".turnloop" / "cache" / "prices.json"
    kept = json.loads(file.read_bytes())
    kept["openai/gpt-4o-mini"]["says"]["price_in_per_mtok"] = 99.0
    file.write_text(json.dumps(kept))
    found = library.look_up("gpt-4o-mini")
    assert found is not None
    assert found.price_in_per_mtok == 99.0
    kept["openai/gpt-4o-mini"]["says"] = {"price_in_per_mtok": "much"}
    odd = {**kept["openai/gpt-4o-mini"], "says": None}
    ages = ("abc", True, None, 1e300, -1)
    when = [json.dumps({"openai/gpt-4o-mini": {**odd, "at": at}}) for at in ages]
    half = {"openai/gpt-4o-mini": {**odd, "says": {"max_context": 0.5}}}
    for spoilt in (
        json.dumps(kept),
        *when,
        json.dumps(half),
        "[]",
        "{",
        '{"openai/gpt-4o-mini": 3}',
    ):
        file.write_text(spoilt)
        assert library.look_up("gpt-4o-mini") == first


def test_an_old_answer_is_asked_anew(tmp_path: Path) -> None:
    library = PriceLibrary("openai", tmp_path)
    first = library.look_up("gpt-4o-mini")
    file = tmp_path / ".turnloop" / "cache" / "prices.json"
    kept = json.loads(file.read_bytes())
    kept["openai/gpt-4o-mini"] |= {"at": 0, "says": {"price_in_per_mtok": 99.0}}
    file.write_text(json.dumps(kept))
    assert library.look_up("gpt-4o-mini") == first


def test_the_library_is_asked_only_for_what_nobody_said() -> None:
    asked: list[str] = []

    def look_up(model: str) -> Capabilities:
        asked.append(model)
        return Capabilities(max_context=7, price_in_per_mtok=1.0, known=True)

    known = {"a": Capabilities(max_context=1, known=True, price_in_per_mtok=2.0)}
    unpriced = {"a": Capabilities(max_context=1, known=True)}
    said = {"max_context": 5, "cost_per_hour": 3.0}
    assert capabilities_of("a", "a", {}, known, look_up) == known["a"]
    assert capabilities_of("b", "b", said, known, look_up).max_context == 5
    assert asked == []
    assert capabilities_of("a", "a", {}, unpriced, look_up) == Capabilities(
        max_context=1, known=True, price_in_per_mtok=1.0
    )
    assert capabilities_of("b", "b", {}, known, look_up).max_context == 7
    assert asked == ["a", "b"]


@pytest.mark.parametrize(
    "caps",
    [
        {"max_context": 0},
        {"max_output": -5},
        {"price_in_per_mtok": -1.0},
        {"max_concurrent_requests": -1},
    ],
)
def test_numbers_that_cannot_be(caps: dict[str, float]) -> None:
    with pytest.raises(SettingsError, match="too small"):
        checked_caps("p", caps)
