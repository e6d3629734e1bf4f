"""A provider's entry becomes the options of its kind, or an exact error."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

import pytest

from turnloop_core.config.providers import provider_options
from turnloop_core.context import ProviderOptions
from turnloop_core.errors import ClashError, SettingsError, UnknownNameError
from turnloop_core.registry import ProviderEntry, Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class WireOptions(ProviderOptions):
    base_url: str = ""
    timeout_s: float | None = 60.0


@pytest.fixture
def kinds(monkeypatch: pytest.MonkeyPatch) -> Registry[ProviderEntry]:
    module = ModuleType("wire_for_tests")
    module.WireOptions = WireOptions  # type: ignore[attr-defined]
    monkeypatch.setitem(__import__("sys").modules, "wire_for_tests", module)
    registry: Registry[ProviderEntry] = Registry("provider kind")
    registry.put("wire", ProviderEntry("wire", "wire_for_tests:x", "wire_for_tests:WireOptions"))
    for owner in ("one", "two"):
        registry.put(owner, ProviderEntry("torn", "wire_for_tests:x", "wire_for_tests:WireOptions"))
    return registry


def test_an_entry_becomes_options(world, kinds) -> None:
    entry = {"kind": "wire", "model": "m", "timeout_s": 5, "caps": {"max_context": 9}}
    world.write("user", {"providers": {"local": entry}})
    assert provider_options(world.load(), "local", kinds) == WireOptions(
        kind="wire", model="m", timeout_s=5.0, caps={"max_context": 9}
    )


WRONG = {
    "misspelt": (
        {"kind": "wire", "base_ulr": "x"},
        "5: providers.local.base_ulr: no setting is called so",
        "did you mean providers.local.base_url?",
    ),
    "type": (
        {"kind": "wire", "timeout_s": "5"},
        "5: providers.local.timeout_s: expected a number, found a text",
        "",
    ),
    "no kind": (
        {"model": "m"},
        "3: providers.local: providers.local.kind is missing",
        "kinds: wire",
    ),
    "no such kind": (
        {"kind": "wier"},
        "4: providers.local.kind: no provider kind is called 'wier'",
        'did you mean "wire"?',
    ),
    "kind of a wrong type": ({"kind": 1}, "4: providers.local.kind: expected a text", ""),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_entry_is_named(world, kinds, case: str) -> None:
    entry, message, hint = WRONG[case]
    path = world.write("user", {"providers": {"local": entry}})
    with pytest.raises(SettingsError) as caught:
        provider_options(world.load(), "local", kinds)
    assert (str(caught.value), caught.value.hint) == (f"{path}:{message}", hint)


def test_an_unknown_provider_names_the_nearest_and_who_asked(world, kinds) -> None:
    world.write("user", {"providers": {"local": {"kind": "wire"}}})
    loaded = world.load(environment={"TURNLOOP_PROVIDER": "locla"})
    with pytest.raises(UnknownNameError) as caught:
        provider_options(loaded, "locla", kinds)
    assert str(caught.value) == ("no provider is called 'locla' (environment TURNLOOP_PROVIDER)")
    assert caught.value.hint == "did you mean local?"


def test_a_kind_that_two_plugins_offer_names_both(world, kinds) -> None:
    world.write("user", {"providers": {"x": {"kind": "torn"}}})
    with pytest.raises(ClashError, match="offered by one and by two"):
        provider_options(world.load(), "x", kinds)
