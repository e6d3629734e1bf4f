"""Settings to provider: presets, keys, addresses, capabilities, and real requests on loopback."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from turnloop_core.errors import AuthError, SettingsError
from turnloop_core.ports.provider import Request
from turnloop_core.testing.contexts import registered
from turnloop_core.testing.loopback import Answer, Loopback, chat_chunks, pieces, sse
from turnloop_core.transport.client import Transport
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.deltas import CallArguments, CallStart, Delta, End, Sent, TextDelta
from turnloop_core.types.items import Prompt, StopReason
from turnloop_core.types.usage import Usage
from turnloop_core.types.view import Prefix, View
from turnloop_openai_compat import plugin
from turnloop_openai_compat.options import OpenAICompatOptions
from turnloop_openai_compat.provider import OpenAICompat, create

ENTRY = registered(plugin, "register_providers")["openai_compat"]
REQUEST = Request(View(Prefix("Be good."), (Prompt(1, "Hi"),)), "m", 100)


async def no_sleep(_: float) -> None:
    await anyio.lowlevel.checkpoint()


def make(secrets: Mapping[str, str] | None = None, **fields: Any) -> OpenAICompat:
    options = OpenAICompatOptions(**{"kind": "openai_compat", "model": "m", **fields})
    context: Any = SimpleNamespace(
        name="p",
        options=options,
        secret=dict(secrets or {}).get,
        transport=Transport(sleep=no_sleep),
    )
    return create(context)


def preset(name: str) -> OpenAICompat:
    return make(**ENTRY.presets[name])


def hear(provider: OpenAICompat, request: Request = REQUEST) -> list[Delta]:
    async def go() -> list[Delta]:
        deltas = [delta async for delta in provider.stream(request)]
        await provider._transport.aclose()
        return deltas

    return anyio.run(go)


def test_presets() -> None:
    facts = {
        name: (entry["model"], entry.get("api_key_env"), entry.get("tool_verbosity"))
        for name, entry in ENTRY.presets.items()
    }
    assert facts == {
        "openai": ("gpt-4.1", "OPENAI_API_KEY", None),
        "groq": ("openai/gpt-oss-120b", "GROQ_API_KEY", "terse"),
        "nvidia": ("z-ai/glm-5.2", "NVIDIA_API_KEY", None),
        "blaxel": ("gpt-4o-mini", "BL_API_KEY", None),
        "ollama": ("qwen2.5-coder:14b", None, None),
    }
    assert all(entry["kind"] == "openai_compat" for entry in ENTRY.presets.values())


def test_limits_of_presets() -> None:
    def limits(name: str, model: str) -> tuple[int, int, int]:
        can = preset(name).capabilities(model)
        return can.max_context, can.max_output, can.max_concurrent_requests

    assert limits("groq", "openai/gpt-oss-120b") == (7_000, 1_500, 0)
    assert limits("groq", "another") == (7_000, 1_500, 0)
    assert limits("nvidia", "z-ai/glm-5.2") == (200_000, 8_192, 1)
    assert limits("openai", "gpt-4.1") == (1_047_576, 32_768, 0)


def test_the_address_of_blaxel_must_be_set() -> None:
    with pytest.raises(SettingsError, match="base_url is missing") as raised:
        preset("blaxel")
    assert "providers.p.base_url" in raised.value.hint


def test_capabilities_are_declared_or_conservative() -> None:
    plain = make(base_url="http://h/v1")
    assert plain.capabilities("m") == Capabilities()
    assert plain.capabilities("vendor/gpt-4.1") == Capabilities()
    assert plain.capabilities("gpt-4.1").known
    priced = make(base_url="http://h/v1", caps={"max_context": 9_000, "price_in_per_mtok": 3})
    assert asdict(priced.capabilities("m")) == asdict(Capabilities()) | {
        "max_context": 9_000,
        "price_in_per_mtok": 3,
        "known": True,
    }
    assert priced.capabilities("other") == Capabilities(max_context=9_000)


@pytest.mark.parametrize(
    ("caps", "message"),
    [
        ({"max_contxt": 1}, "caps has no field 'max_contxt'"),
        ({"max_context": "many"}, "caps.max_context is wrong"),
        ({"reasoning_binding": "sometimes"}, "caps.reasoning_binding is wrong"),
    ],
)
def test_wrong_caps_are_named(caps: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make(base_url="http://h/v1", caps=caps)


def test_a_missing_key_sends_nothing() -> None:
    with Loopback() as server:
        for secrets in ({}, {"P_KEY": "  "}):
            provider = make(secrets, base_url=server.url, api_key_env="P_KEY")
            with pytest.raises(AuthError, match="P_KEY is not set") as raised:
                hear(provider)
            assert "export P_KEY=" in raised.value.hint
        assert server.requests == []


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/x?api-version=1", "/x/chat/completions?api-version=1"),
        ("", "/chat/completions"),
    ],
)
def test_addresses(base: str, path: str) -> None:
    with Loopback(Answer(body=sse(*chat_chunks(text="ok")))) as server:
        hear(make(base_url=server.url + base))
    assert [got.path for got in server.requests] == [path]


def test_headers() -> None:
    with Loopback(Answer(body=sse(*chat_chunks(text="ok")))) as server:
        hear(
            make(
                {"P_KEY": " the-key\n"},
                base_url=server.url,
                api_key_env="P_KEY",
                headers={"X-Title": "mine"},
            )
        )
    [got] = server.requests
    assert got.headers["authorization"] == "Bearer the-key"
    assert got.headers["x-title"] == "mine"
    assert got.headers["content-type"] == "application/json"


ARGUMENTS = '{"path": "gr\u00f6\u00dfe.txt"}'
STREAM = sse(
    *chat_chunks(text="Hi \u20ac.", calls=[("x", "Read", ARGUMENTS)], usage=(9, 4), size=30)
)


def heard(deltas: list[Delta]) -> tuple[str, list[CallStart], str, Delta]:
    return (
        "".join(d.text for d in deltas if isinstance(d, TextDelta)),
        [d for d in deltas if isinstance(d, CallStart)],
        "".join(d.fragment for d in deltas if isinstance(d, CallArguments)),
        deltas[-1],
    )


def test_a_reply_at_every_cut() -> None:
    expected = (
        "Hi \u20ac.",
        [CallStart("call_0", "Read", "x")],
        ARGUMENTS,
        End(StopReason.TOOL_USE, Usage(9, 4), "tool_calls"),
    )
    bodies = [[STREAM[:at], STREAM[at:]] for at in range(1, len(STREAM))]
    bodies += [pieces(STREAM, size) for size in (1, 7, 64)]

    async def go(url: str) -> None:
        provider = make(base_url=url)
        for _ in bodies:
            deltas = [delta async for delta in provider.stream(REQUEST)]
            assert heard(deltas) == expected
        await provider._transport.aclose()

    with Loopback(*[Answer(body=body) for body in bodies]) as server:
        anyio.run(go, server.url)


def test_a_whole_completion_instead_of_a_stream() -> None:
    whole = b'{"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}'
    with Loopback(Answer(body=whole)) as server:
        deltas = hear(make(base_url=server.url))
    assert deltas[:2] == [Sent(), TextDelta("Hi")]
    assert isinstance(deltas[-1], End)
