"""Who says how much a model is to think, and within which limits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness import opened, run
from turnloop_core.errors import SettingsError, UsageError
from turnloop_core.testing.fakes import ScriptedProvider
from turnloop_core.testing.project import temporary_project


@pytest.mark.parametrize(
    ("file", "entry", "variable", "flag", "wanted"),
    [
        (None, None, None, None, "on"),
        ("low", None, None, None, "low"),
        ("low", "medium", None, None, "medium"),  # the entry knows its model
        ("low", "medium", "high", None, "high"),
        ("low", "medium", "high", "off", "off"),
        ("low", None, None, "on", "on"),
        (None, "off", None, "on", "on"),
        (None, "off", None, None, "off"),
    ],
)
def test_the_nearest_word_on_thinking_holds(
    file: str | None, entry: str | None, variable: str | None, flag: str | None, wanted: str
) -> None:
    async def scenario() -> None:
        provider = ScriptedProvider("done")
        written: dict[str, Any] = {"thinking": file} if file else {}
        if entry:
            written["providers"] = {"scripted": {"kind": "scripted", "thinking": entry}}
        with temporary_project() as project:
            path = project.home / ".turnloop" / "settings.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(written))
            variables = {"TURNLOOP_THINKING": variable} if variable else {}
            options = {"variables": variables, "thinking": flag}
            async with opened(project, scripted=provider, **options) as o:
                await o.session.run("go")
                assert [request.thinking for request in provider.requests] == [wanted]

    run(scenario)


@pytest.mark.parametrize("where", ["flag", "variable", "entry"])
def test_a_word_that_is_none_is_an_error(where: str) -> None:
    async def scenario() -> None:
        entry = {"scripted": {"kind": "scripted", "thinking": "much"}}
        options: dict[str, Any] = {
            "flag": {"thinking": "much"},
            "variable": {"variables": {"TURNLOOP_THINKING": "much"}},
            "entry": {"settings": {"providers": entry}},
        }[where]
        with temporary_project() as project:
            session = opened(project, "done", **options)
            with pytest.raises(UsageError, match="much"):
                await session.__aenter__()

    run(scenario)


@pytest.mark.parametrize("name", ["thinking_cap", "repetition_limit"])
def test_a_limit_below_0_is_an_error(name: str) -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            session = opened(project, settings={name: -1})
            with pytest.raises(SettingsError, match=f"{name}.*at least 0"):
                await session.__aenter__()

    run(scenario)
