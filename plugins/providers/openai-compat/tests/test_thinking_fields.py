"""How much to think, in the fields of each endpoint."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from turnloop_core.ports.provider import Request
from turnloop_core.types.capabilities import Capabilities, Thinking
from turnloop_core.types.items import Prompt
from turnloop_core.types.view import Prefix, View
from turnloop_openai_compat.encode import Encoder
from turnloop_openai_compat.models import KNOWN
from turnloop_openai_compat.options import OpenAICompatOptions
from turnloop_openai_compat.presets import PRESETS

LEVELS = get_args(Thinking)  # on, off, low, medium, high
PLAIN = {"model", "stream", "stream_options", "messages", "max_tokens", "max_completion_tokens"}


def sent(level: Any, can: Capabilities, model: str = "m", **fields: Any) -> dict[str, Any]:
    """What a level adds to the request."""
    options = OpenAICompatOptions(**{"kind": "openai_compat", "model": model, **fields})
    asked = Request(View(Prefix(), (Prompt(1, "Hi"),)), model, 100, level)
    body = json.loads(b"".join(Encoder("p", options).body(asked, can)))
    return {name: value for name, value in body.items() if name not in PLAIN}


def table(can: Capabilities, model: str = "m", **fields: Any) -> list[Any]:
    """The word for effort at each level, None where none is sent."""
    return [sent(level, can, model, **fields).get("reasoning_effort") for level in LEVELS]


def caps(thinking_off: Any, **fields: Any) -> Capabilities:
    return Capabilities(**{"reasoning": True, "thinking_off": thinking_off, **fields})


@pytest.mark.parametrize(
    ("can", "fields", "words"),
    [
        (Capabilities(), {}, [None, None, None, None, None]),
        (Capabilities(thinking_off="flag"), {}, [None, None, None, None, None]),
        (caps("never"), {}, [None, None, "low", "medium", "high"]),
        (caps("never"), {"lowest_effort": "none"}, [None, None, "low", "medium", "high"]),
        (caps("flag"), {}, [None, None, "low", "medium", "high"]),
        (caps("flag"), {"lowest_effort": "none"}, [None, "none", "low", "medium", "high"]),
        (caps("lowest_effort"), {}, [None, "low", "low", "medium", "high"]),
        (
            caps("lowest_effort"),
            {"lowest_effort": "minimal"},
            [None, "minimal", "low", "medium", "high"],
        ),
        (caps("lowest_effort"), {"effort_field": ""}, [None, None, None, None, None]),
    ],
)
def test_words(can: Capabilities, fields: dict[str, Any], words: list[Any]) -> None:
    assert table(can, **fields) == words


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("gpt-4.1", [None, None, None, None, None]),
        ("o3", [None, "low", "low", "medium", "high"]),
        ("gpt-5", [None, "minimal", "low", "medium", "high"]),
        ("gpt-5.1", ["medium", "none", "low", "medium", "high"]),
        ("gpt-5.6-terra", ["none", "none", "none", "none", "none"]),
        ("openai/gpt-oss-120b", [None, "low", "low", "medium", "high"]),
    ],
)
def test_words_of_known_models(model: str, words: list[Any]) -> None:
    assert table(KNOWN[model], model) == words


def test_the_field_has_the_name_that_the_endpoint_gives_it() -> None:
    assert sent("high", caps("flag"), effort_field="effort") == {"effort": "high"}


def test_bodies_of_the_settings() -> None:
    fields: dict[str, Any] = {"thinking_body": {"think": True}, "thinking_off_body": {"think": 0}}
    for can in (Capabilities(), caps("never"), caps("flag")):
        for level in LEVELS:
            assert sent(level, can, **fields)["think"] == (0 if level == "off" else True)
    wins = sent("low", caps("flag"), thinking_body={"reasoning_effort": "max"})
    assert wins == {"reasoning_effort": "max"}


def test_nvidia_switches_in_its_template_and_takes_no_effort() -> None:
    entry = dict(PRESETS["nvidia"])
    can = Capabilities(**entry["caps"])
    for level in LEVELS:
        switch = "disabled" if level == "off" else "enabled"
        kwargs = {"thinking": {"type": switch}}
        assert sent(level, can, **entry) == {"chat_template_kwargs": kwargs}


def test_extra_fields_are_merged_deeply_and_null_takes_away() -> None:
    extra = {
        "chat_template_kwargs": {"thinking": {"budget": 5}, "other": 1},
        "max_tokens": None,
        "nothing": None,
        "new": {"kept": 1, "gone": None},
    }
    got = sent("on", Capabilities(), **PRESETS["nvidia"], extra_body=extra)
    assert got == {
        "chat_template_kwargs": {"thinking": {"type": "enabled", "budget": 5}, "other": 1},
        "new": {"kept": 1},
    }
    options = OpenAICompatOptions(
        kind="openai_compat",
        model="m",
        extra_body={"stream_options": {"continuous_usage_stats": True}},
    )
    asked = Request(View(Prefix(), (Prompt(1, "Hi"),)), "m", 100)
    body = json.loads(b"".join(Encoder("p", options).body(asked, Capabilities())))
    assert body["stream_options"] == {"include_usage": True, "continuous_usage_stats": True}
