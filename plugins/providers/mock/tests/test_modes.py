"""Settings that do not go together are told, not ignored."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from turnloop_core.api import SettingsError
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.project import temporary_project
from turnloop_mock.options import MockOptions, ValidCall
from turnloop_mock.provider import create

READ = ValidCall(name="Read", arguments={"file_path": "x"})


def make(**options: Any) -> Any:
    with temporary_project() as project:
        return create(factory_context(project, "it", options=MockOptions(kind="mock", **options)))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"script": "a.yaml"}, "script has no effect in mode echo"),
        ({"mode": "replay", "session": "x", "script": "a"}, "script has no effect in mode replay"),
        ({"mode": "scripted", "script": "a", "session": "x"}, "session has no effect in mode scr"),
        ({"mode": "replay", "session": "x", "seed": 3}, "seed has no effect in mode replay"),
        ({"broken": 0.5}, "broken has no effect in mode echo"),
        ({"mode": "chaos", "broken": 1.5}, "broken is 1.5"),
        ({"mode": "chaos", "broken": float("nan")}, "broken is nan"),
        ({"mode": "chaos", "calls": -1}, "calls is -1"),
        ({"mode": "chaos", "calls": 5_000}, "calls is 5,000"),
        ({"mode": "chaos", "turns": 0}, "turns is 0"),
        ({"mode": "chaos", "valid": (READ,)}, "valid is never used while broken is 1"),
        ({"mode": "chaos", "broken": 0.5, "valid": (ValidCall(name=" "),)}, "valid has a call wi"),
        ({"mode": "scripted"}, "script is missing"),
        ({"mode": "replay"}, "session is missing"),
    ],
)
def test_what_does_not_go_together_is_named(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        make(**options)
    assert str(caught.value).startswith(f"providers.it.{complaint}")
    assert caught.value.hint
    assert caught.value.key == f"providers.it.{complaint.split(maxsplit=1)[0]}"


def test_what_goes_together_is_taken() -> None:
    for options in (
        {},
        {"mode": "chaos"},
        {"mode": "chaos", "seed": -1, "broken": 0, "calls": 9, "turns": 1, "valid": (READ,)},
    ):
        assert make(**options).name == "it"


def test_a_mode_imports_what_it_needs_and_no_more() -> None:
    code = "import sys, turnloop_mock.provider, turnloop_mock.modes; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    others = ("chaos", "chaotic", "recording", "replaying", "playing", "script")
    assert "turnloop_mock.modes" in loaded.split()
    assert not {f"turnloop_mock.{name}" for name in others} & set(loaded.split())
