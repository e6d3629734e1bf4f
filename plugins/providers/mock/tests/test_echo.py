"""Echo mode, and what holds for the mock in any mode."""

from __future__ import annotations

import sys
import time

import anyio
import pytest

from turnloop_core.api import (
    Capabilities,
    End,
    Prompt,
    Provider,
    ProviderError,
    Reply,
    SettingsError,
    StopReason,
    TextDelta,
    Turn,
)
from turnloop_core.testing.contexts import factory_context, registered
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.provider_bench import Heard, hear, request
from turnloop_core.types.items import NudgeItem
from turnloop_mock import plugin
from turnloop_mock.echo import NOTICE
from turnloop_mock.options import MockOptions
from turnloop_mock.provider import create


def echo(**options: object) -> Provider:
    with temporary_project() as project:
        made = MockOptions(kind="mock", **options)  # type: ignore[arg-type]
        return create(factory_context(project, "mock", options=made))


def answer(*items: Prompt | Turn) -> Heard:
    provider = echo()
    return anyio.run(hear, provider, request(provider, *items))


DONE = Turn(2, Reply((), StopReason.END_TURN))


def test_the_first_answer_says_how_to_get_a_real_model() -> None:
    assert answer(Prompt(1, "  Hello. ")).text == f"Hello.\n\n{NOTICE}"
    assert answer(Prompt(1, "Hello."), DONE, Prompt(3, "Again.")).text == "Again."


def test_the_newest_prompt_is_repeated() -> None:
    assert answer(Prompt(1, "a"), DONE, Prompt(3, "b"), NudgeItem(4, "n", "t")).text == "b"
    assert answer(Prompt(1, "a"), DONE, Prompt(3, " ")).text == "(nothing was said)"


def test_the_answer_comes_in_small_pieces_and_ends() -> None:
    heard = answer(Prompt(1, "x" * 100), DONE)
    assert heard.deltas == (
        *[TextDelta("x" * 12)] * 8,
        TextDelta("xxxx"),
        End(StopReason.END_TURN),
    )


def test_the_delay_lies_between_pieces(monkeypatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(anyio, "sleep", sleep)
    provider = echo(delay_s=0.25)
    heard = anyio.run(hear, provider, request(provider, Prompt(1, "x" * 24), DONE))
    assert slept == [0.25] * len(heard.deltas)


def test_a_stream_can_be_cancelled() -> None:
    async def go() -> float:
        start = time.monotonic()
        with anyio.move_on_after(0.01):
            await hear(echo(delay_s=30.0))
        return time.monotonic() - start

    assert anyio.run(go) < 10


def test_capabilities_come_from_settings_too() -> None:
    provider = echo(model="mine", caps={"max_context": 9_000})
    assert provider.model == "mine"
    assert provider.capabilities("mine").max_context == 9_000
    assert provider.capabilities("mine").known
    assert provider.capabilities("mock-1") == Capabilities()
    with pytest.raises(SettingsError, match="caps has no field 'window'"):
        echo(caps={"window": 1})


def test_what_the_plugin_offers() -> None:
    (provider,) = registered(plugin, "register_providers").values()
    assert provider.presets == {"mock": {"kind": "mock", "mode": "echo"}}
    (settings,) = registered(plugin, "register_settings").values()
    assert settings.defaults == {"provider": "mock"}
    assert list(registered(plugin, "register_commands")) == ["demo"]


def test_no_error_of_the_script_is_foreign() -> None:
    from turnloop_mock.script import ErrorPart

    with pytest.raises(ValueError, match=r"AuthError, .*UnreachableError"):
        ErrorPart(kind="SettingsError")
    assert isinstance(ErrorPart(kind="StreamCutError").error, ProviderError)


def test_registering_imports_nothing_heavy() -> None:
    import subprocess

    code = "import sys, turnloop_mock.plugin as p; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    heavy = {"anyio", "pydantic", "yaml", "click", "httpcore", "turnloop_mock.provider"}
    assert "turnloop_mock.plugin" in loaded.split()
    assert heavy & set(loaded.split()) == set()
