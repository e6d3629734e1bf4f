"""Settings to provider: keys, addresses, capabilities, and real requests on loopback."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import anyio
import pytest

from turnloop_core.errors import AuthError, ContextOverflowError, SettingsError
from turnloop_core.ports.provider import Request
from turnloop_core.testing.loopback import Answer, Loopback, chat_chunks, pieces, sse
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.deltas import (
    CallArguments,
    CallStart,
    Delta,
    End,
    ReasoningDelta,
    Sent,
    TextDelta,
)
from turnloop_core.types.items import Prompt, StopReason
from turnloop_core.types.usage import Usage
from turnloop_core.types.view import Prefix, View

REQUEST = Request(View(Prefix("Be good."), (Prompt(1, "Hi"),)), "m", 100)
SAYS_OK = Answer(body=sse(*chat_chunks(text="ok")))


def test_capabilities_are_declared_or_conservative(make) -> None:
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
def test_wrong_caps_are_named(make, caps: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make(base_url="http://h/v1", caps=caps)


def test_a_missing_key_sends_nothing(make, hear) -> None:
    with Loopback() as server:
        for secrets in ({}, {"P_KEY": "  "}):
            provider = make(secrets=secrets, base_url=server.url, api_key_env="P_KEY")
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
def test_addresses(make, hear, base: str, path: str) -> None:
    with Loopback(SAYS_OK) as server:
        hear(make(base_url=server.url + base))
    assert [got.path for got in server.requests] == [path]


def test_headers(make, hear) -> None:
    with Loopback(SAYS_OK, SAYS_OK) as server:
        hear(
            make(
                secrets={"P_KEY": " the-key\n"},
                base_url=server.url,
                api_key_env="P_KEY",
                headers={"X-Title": "mine"},
            )
        )
        hear(make(base_url=server.url))
    with_key, without = server.requests
    assert with_key.headers["authorization"] == "Bearer the-key"
    assert with_key.headers["x-title"] == "mine"
    assert with_key.headers["content-type"] == "application/json"
    assert "authorization" not in without.headers


@pytest.mark.parametrize(
    "message",
    [
        "The number of tokens to keep from the initial prompt is greater than the context length",
        "Please reduce the length of the messages or completion.",
        "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000",
    ],
)
def test_words_of_this_family_for_too_long(make, hear, message: str) -> None:
    body = json.dumps({"error": {"message": message}}).encode()
    with Loopback(Answer(400, body=body)) as server, pytest.raises(ContextOverflowError):
        hear(make(base_url=server.url))


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


def test_a_reply_at_every_cut(make, transport) -> None:
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
        await transport.aclose()

    with Loopback(*[Answer(body=body) for body in bodies]) as server:
        anyio.run(go, server.url)


def test_a_whole_completion_instead_of_a_stream(make, hear) -> None:
    whole = b'{"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}'
    with Loopback(Answer(body=whole)) as server:
        deltas = hear(make(base_url=server.url))
    assert deltas[:2] == [Sent(), TextDelta("Hi")]
    assert isinstance(deltas[-1], End)


def test_tags_in_the_answer_are_reasoning_where_the_entry_says_so(make, hear) -> None:
    answer = Answer(body=sse(*chat_chunks(text="<think>I see.</think>Yes.", size=3)))
    with Loopback(answer, answer) as server:
        plain = hear(make(base_url=server.url))
        split = hear(make(base_url=server.url, think_tags=True))
    assert "".join(d.text for d in plain if isinstance(d, TextDelta)).startswith("<think>")
    assert "".join(d.text for d in split if isinstance(d, TextDelta)) == "Yes."
    assert "".join(d.text for d in split if isinstance(d, ReasoningDelta)) == "I see."
