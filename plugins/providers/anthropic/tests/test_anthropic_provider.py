"""What the provider sends by its settings, and what it says when that fails."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from anthropic_events import begin, end, stream, text

from turnloop_anthropic.options import AnthropicOptions
from turnloop_anthropic.provider import create
from turnloop_core.errors import AuthError, ContextOverflowError, RequestRefusedError
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.loopback import Answer, Loopback, Recorded
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.provider_bench import Heard, hear
from turnloop_core.transport.client import Transport

FINE = Answer(body=stream(begin(), *text(0, "Hello."), *end("end_turn")))
KEY = "KEY-of-the-test"


def exchange(answer: Answer = FINE, **settings: Any) -> tuple[list[Recorded], Heard]:
    """One request of a provider with these settings: what the server got, what came back."""

    async def go(server: Loopback, base: str) -> Heard:
        transport = Transport()
        with temporary_project({}) as project:
            entry = {"kind": "anthropic", "model": "claude-sonnet-4-5", "base_url": base}
            options = AnthropicOptions(**{**entry, "max_retries": 0, **settings})
            secrets = {"CLAUDE_KEY": KEY}
            context = factory_context(
                project, "claude", options=options, secrets=secrets, transport=transport
            )
            provider = create(context)
            try:
                return await hear(provider)
            finally:
                await provider.aclose()
                await transport.aclose()

    with Loopback(answer) as server:
        base = server.url + settings.pop("path", "/v1")
        heard = anyio.run(go, server, base)
        return server.requests, heard


def headers(**settings: Any) -> dict[str, str]:
    (got,), heard = exchange(**settings)
    assert heard.text == "Hello."
    ours = {"x-api-key", "authorization", "anthropic-version", "anthropic-beta", "x-mine"}
    return {name: value for name, value in got.headers.items() if name in ours}


INTERLEAVED = "interleaved-thinking-2025-05-14"
VERSION = {"anthropic-version": "2023-06-01"}


def test_headers() -> None:
    plain = VERSION | {"anthropic-beta": INTERLEAVED}
    assert headers() == plain
    assert headers(api_key_env="CLAUDE_KEY") == plain | {"x-api-key": KEY}
    bearer = headers(api_key_env="CLAUDE_KEY", auth="bearer")
    assert bearer == plain | {"authorization": f"Bearer {KEY}"}
    betas = headers(betas=("one-2026-01-01", INTERLEAVED))
    assert betas["anthropic-beta"] == f"{INTERLEAVED},one-2026-01-01"
    own = {"x-mine": "1", "anthropic-version": "2030-01-01", "anthropic-beta": "mine"}
    assert headers(headers=own) == own


@pytest.mark.parametrize("model", ["gateway/some-model", "claude-opus-5"])
def test_no_beta_for_models_that_do_not_need_it(model: str) -> None:
    assert headers(model=model) == VERSION
    assert headers(model=model, betas=("one",)) == VERSION | {"anthropic-beta": "one"}


def test_addresses() -> None:
    for path in ("/v1", "/v1/", "/v1/messages"):
        (got,), _ = exchange(path=path)
        assert (got.method, got.path) == ("POST", "/v1/messages")
    (got,), _ = exchange(path="/anthropic/v1?key=1")
    assert got.path == "/anthropic/v1/messages?key=1"


def test_a_gateway_by_settings_alone() -> None:
    model = "vendor/claude-like"
    (got,), _ = exchange(model=model)
    plain = got.json
    assert (plain["model"], plain["max_tokens"]) == (model, 256)
    assert not {"thinking", "output_config"} & plain.keys()
    assert b"cache_control" not in got.body
    caps = {"max_output": 30_000, "supports_prompt_caching": True}
    (got,), _ = exchange(model=model, caps=caps, thinking_style="budget")
    assert got.json["thinking"] == {"type": "enabled", "budget_tokens": 8_000}
    assert b"cache_control" in got.body
    (got,), _ = exchange(model=model, caps=caps | {"reasoning": True})
    assert got.json["thinking"]["type"] == "enabled"
    (got,), _ = exchange(model=model, caps=caps, thinking_style="adaptive", cache=False)
    assert got.json["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert b"cache_control" not in got.body


def test_extra_body() -> None:
    extra = {"thinking": None, "top_p": 0.5, "messages": ["x"], "system": None}
    (got,), _ = exchange(extra_body=extra)
    assert "thinking" not in got.json
    assert "system" not in got.json
    assert got.json["top_p"] == 0.5
    assert got.json["messages"][0]["role"] == "user"
    assert got.body.count(b'"messages":') == 1


def test_a_whole_message_in_place_of_a_stream() -> None:
    body = (
        b'{"type":"message","role":"assistant","content":[{"type":"text","text":"Hello."}],'
        b'"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}'
    )
    _, heard = exchange(Answer(body=body))
    assert heard.text == "Hello."
    assert heard.error is None


def test_no_key_no_request() -> None:
    got, heard = exchange(api_key_env="NO_SUCH_KEY")
    assert got == []
    assert isinstance(heard.error, AuthError)
    assert "NO_SUCH_KEY is not set" in str(heard.error)


def refused(status: int, kind: str, message: str) -> Any:
    body = f'{{"type":"error","error":{{"type":"{kind}","message":"{message}"}}}}'
    _, heard = exchange(Answer(status, body=body.encode()), api_key_env="CLAUDE_KEY")
    return heard.error


def test_errors_say_what_to_do() -> None:
    gone = refused(404, "not_found_error", "model: claude-sonnet-4-5")
    assert isinstance(gone, RequestRefusedError)
    assert "--model" in gone.hint
    over = refused(400, "invalid_request_error", "input length and max_tokens exceed context limit")
    assert isinstance(over, ContextOverflowError)
    wrong = refused(401, "authentication_error", f"invalid x-api-key {KEY}")
    assert isinstance(wrong, AuthError)
    assert KEY not in str(wrong)
    assert "CLAUDE_KEY" in wrong.hint
