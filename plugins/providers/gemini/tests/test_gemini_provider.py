"""Settings to provider: preset, key, address, capabilities, prices, and requests on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from turnloop_core.api import Endpoint
from turnloop_core.errors import AuthError, QuotaExhaustedError, RequestRefusedError, SettingsError
from turnloop_core.ports.provider import Request
from turnloop_core.testing.contexts import factory_context, registered
from turnloop_core.testing.loopback import Answer, Loopback, sse
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.provider_suite import Heard, hear
from turnloop_core.transport.client import Transport
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.items import Prompt
from turnloop_core.types.view import Prefix, View
from turnloop_gemini import plugin
from turnloop_gemini.models import KNOWN
from turnloop_gemini.options import GeminiOptions
from turnloop_gemini.provider import BASE_URL, Gemini, create

ENTRY = registered(plugin, "register_providers")["gemini"]
REQUEST = Request(View(Prefix("Be good."), (Prompt(1, "Hi"),)), "gemini-flash-latest", 100)
FINE = Answer(
    body=sse({"candidates": [{"content": {"parts": [{"text": "ok"}]}, "finishReason": "STOP"}]})
)


async def no_sleep(_: float) -> None:
    await anyio.lowlevel.checkpoint()


def within(
    body: Callable[[Gemini], Any], secrets: Mapping[str, str] | None = None, **fields: Any
) -> Any:
    """Run `body` with the preset's provider, some of its settings changed."""

    async def go() -> Any:
        transport = Transport(sleep=no_sleep)
        with temporary_project({}) as project:
            options = GeminiOptions(**{**ENTRY.presets["gemini"], **fields})
            context = factory_context(
                project, "gemini", options=options, secrets=secrets, transport=transport
            )
            result = body(create(context))
            result = await result if hasattr(result, "__await__") else result
            await transport.aclose()
        return result

    return anyio.run(go)


def ask(request: Request = REQUEST, **fields: Any) -> Heard:
    secrets = {"GEMINI_API_KEY": " the-key\n"}
    heard: Heard = within(lambda provider: hear(provider, request), secrets, **fields)
    return heard


def test_the_preset() -> None:
    assert dict(ENTRY.presets) == {
        "gemini": {
            "kind": "gemini",
            "model": "gemini-flash-latest",
            "api_key_env": "GEMINI_API_KEY",
            "vendor": "google",
        }
    }
    assert ENTRY.wire == "turnloop_gemini.wire:WIRE"
    assert BASE_URL == "https://generativelanguage.googleapis.com/v1beta"

    def address(provider: Gemini) -> str:
        endpoint: Endpoint = provider._endpoint
        return endpoint.url("/x", "alt=sse")

    assert within(address) == f"{BASE_URL}/x?alt=sse"


@pytest.mark.parametrize(
    ("base", "model", "path"),
    [
        ("", "gemini-flash-latest", "/models/gemini-flash-latest:streamGenerateContent?alt=sse"),
        ("/v1beta/", "models/g", "/v1beta/models/g:streamGenerateContent?alt=sse"),
        ("/x?tenant=1", "a/b c?", "/x/models/a%2Fb%20c%3F:streamGenerateContent?tenant=1&alt=sse"),
    ],
)
def test_addresses(base: str, model: str, path: str) -> None:
    with Loopback(FINE) as server:
        assert ask(replace(REQUEST, model=model), base_url=server.url + base).text == "ok"
    [got] = server.requests
    assert got.path == path
    assert got.headers["x-goog-api-key"] == "the-key"
    assert got.headers["accept"] == "text/event-stream"
    assert "the-key" not in got.path
    assert b"the-key" not in got.body


def test_a_missing_key_sends_nothing() -> None:
    with Loopback() as server:
        with pytest.raises(AuthError, match="GEMINI_API_KEY is not set"):
            within(lambda provider: provider.stream(REQUEST), base_url=server.url)
        assert server.requests == []


def test_an_endpoint_without_a_key() -> None:
    with Loopback(FINE) as server:
        assert ask(base_url=server.url, api_key_env="", headers={"x-team": "mine"}).text == "ok"
    [got] = server.requests
    assert "x-goog-api-key" not in got.headers
    assert got.headers["x-team"] == "mine"


def test_a_model_that_is_gone_names_the_alias() -> None:
    error = {"error": {"code": 404, "message": "models/g is not found", "status": "NOT_FOUND"}}
    with Loopback(Answer(404, body=json.dumps(error).encode())) as server:
        heard = ask(replace(REQUEST, model="g"), base_url=server.url)
    assert isinstance(heard.error, RequestRefusedError)
    assert "gemini-flash-latest" in heard.error.hint


def test_a_quota_of_zero_is_not_waited_for() -> None:
    error = {"error": {"code": 429, "message": "Quota exceeded, limit: 0. Please retry in 19s."}}
    with Loopback(Answer(429, body=json.dumps(error).encode())) as server:
        heard = ask(base_url=server.url)
    assert isinstance(heard.error, QuotaExhaustedError)
    assert len(server.requests) == 1


def test_the_name_of_the_collection_before_an_id() -> None:
    def facts(provider: Gemini) -> tuple[str, bool, bool]:
        can = provider.capabilities
        return provider.model, can("models/gemini-2.5-pro").known, can("models/x").known

    assert within(facts, model="models/gemini-2.5-flash") == ("gemini-2.5-flash", True, False)


def test_capabilities() -> None:
    can: Capabilities = within(lambda p: p.capabilities("gemini-2.5-pro"))
    assert can == Capabilities(
        max_context=1_048_576,
        max_output=65_536,
        supports_vision=True,
        supports_prompt_caching=True,
        reasoning=True,
        reasoning_binding="last_turn",
        thinking_off="lowest_effort",
        price_in_per_mtok=1.25,
        price_out_per_mtok=10.0,
        price_cached_per_mtok=0.125,
        known=True,
    )
    ways = {model: known.thinking_off for model, known in KNOWN.items()}
    assert {m for m, way in ways.items() if way == "flag"} == {
        "gemini-2.5-flash",
        "gemini-2.5-flash-lite",
    }
    own = within(lambda p: p.capabilities("mine"), model="mine", vendor="", caps={"max_output": 9})
    assert own == Capabilities(max_output=9, known=True)
    with pytest.raises(SettingsError, match="caps has no field"):
        within(lambda p: p, caps={"vision": True})


def test_prices_are_those_of_the_library() -> None:
    pytest.importorskip("genai_prices")

    def prices(can: Capabilities) -> tuple[float | None, ...]:
        return (can.price_in_per_mtok, can.price_out_per_mtok, can.price_cached_per_mtok)

    def listed(provider: Gemini) -> dict[str, Capabilities | None]:
        return {model: provider._endpoint._prices.look_up(model) for model in KNOWN}

    found: dict[str, Capabilities | None] = within(listed)
    for model, known in KNOWN.items():
        if known.price_in_per_mtok is not None:
            library = found[model]
            assert library is not None, model
            assert prices(known) == prices(library), model
    unpriced = {model for model, known in KNOWN.items() if known.price_in_per_mtok is None}
    assert all(found[model] for model in unpriced), "the library fills what is left open"


def test_an_alias_takes_its_price_from_the_library() -> None:
    pytest.importorskip("genai_prices")
    can = within(lambda p: p.capabilities("gemini-flash-latest"))
    assert can.price_in_per_mtok is not None
    assert can.max_context == 1_048_576
    assert (
        within(lambda p: p.capabilities("gemini-flash-latest"), vendor="")
        == KNOWN["gemini-flash-latest"]
    )


def test_one_body_grows_out_of_another() -> None:
    """Only what is new is added, however often the same provider is asked."""
    items = tuple(Prompt(i, f"Prompt {i}") for i in range(1, 6))

    async def go(provider: Gemini) -> None:
        for count in range(1, 6):
            view = View(Prefix("Be good."), items[:count])
            await hear(provider, replace(REQUEST, view=view))

    with Loopback(*[FINE] * 5) as server:
        within(go, base_url=server.url, api_key_env="")
    bodies = [got.body for got in server.requests]
    assert [len(json.loads(body)["contents"]) for body in bodies] == [1, 2, 3, 4, 5]
    for before, after in pairwise(bodies):
        assert after.startswith(before.removesuffix(b"]}"))
