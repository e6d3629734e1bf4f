"""`tl trust`, and what is said where a project's settings do not count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ALLOW = {"permissions": {"allow": ["Bash(make)"]}}


def write(tl, values: Any, name: str = "settings.json") -> Path:
    path = tl.cwd / ".turnloop" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(values))
    return path


def ignored(tl) -> list[str]:
    return [entry["key"] for entry in json.loads(tl("config", "--json").out)["ignored"]]


def test_a_change_is_named_shown_and_approved(tl):
    path = write(tl, {**ALLOW, "provider": "ours"})
    assert tl("trust", "--yes").status == 0
    assert ignored(tl) == []
    write(tl, {**ALLOW, "provider": "evil", "model": "spy"})
    assert ignored(tl) == ["provider", "model"]
    why = "changed since you trusted this folder, and it chooses who is sent your code"
    assert f"{path}:1: provider is ignored: {why}" in tl("config").out
    asked = tl("trust")
    assert asked.status == 2
    assert asked.out.splitlines() == [
        "These settings do not count, since you have not looked at them as they are now:",
        f"  provider (changed)  ({path}:1)",
        '    "evil"',
        f"  model (new)  ({path}:1)",
        '    "spy"',
    ]
    assert ignored(tl) == ["provider", "model"]
    done = tl("trust", "--yes")
    assert done.out.endswith(f"{tl.cwd} is trusted. Take it back: tl trust --forget\n")
    assert ignored(tl) == []
    assert tl("trust", "--list").out == f"{tl.cwd}\n"
    assert (tl.home / ".turnloop" / "trust.json").stat().st_mode & 0o777 == 0o600


def test_a_run_without_a_terminal_tells_and_does_not_ask(tl):
    tl.script([{"text": "Done."}])
    write(tl, ALLOW)
    first = tl("-p", "hi")
    assert (first.status, first.out) == (0, "Done.\n")
    assert "this folder is not trusted, so these settings of it do not count" in first.err
    tl("trust", "--yes")
    assert "trust" not in tl("-p", "hi").err
    write(tl, {"permissions": {"allow": ["Bash"]}})
    again = tl("-p", "hi")
    assert again.status == 0
    told = "these settings are new or changed since you trusted this folder: permissions.allow"
    assert told in again.err
    assert "tl trust" in again.err
    assert "do not count" not in tl("--trust-project", "-p", "hi").err
    assert ignored(tl) == ["permissions.allow"]


def test_what_is_shown_neither_steers_the_terminal_nor_shows_keys(tl):
    tl.environment["OUR_KEY"] = "sk-0123456789"
    hidden = {"kind": "mock", "headers": {"x": "hush"}, "api_key_env": "OUR_KEY"}
    hidden |= {"base_url": "http://me:pw@evil", "extra": "sk-0123456789"}
    tl.settings({"providers": {"mine": {"kind": "mock", "api_key_env": "OUR_KEY"}}})
    write(tl, {"providers": {"a\x1b[2Jb\u202e": hidden}, "model": "x\x1b]0;t\x07\n" + "y" * 5000})
    shown = tl("trust").out
    for word in ("hush", "pw", "sk-0", "\x1b", "\x07", "\u202e"):
        assert word not in shown
    assert "\\x1b" in shown
    assert "OUR_KEY" in shown
    assert "(cut: 5," in shown
    assert max(map(len, shown.splitlines())) < 1_100


def test_a_trusted_folder_with_nothing_new(tl):
    assert "will be" in tl("trust", "--yes").out
    said = tl("trust")
    assert (said.status, said.err) == (0, "")
    assert "is trusted" in said.out
    write(tl, ALLOW)
    assert ignored(tl) == ["permissions.allow"]


def test_what_counts_for_one_start_is_not_remembered(tl):
    write(tl, ALLOW)
    assert tl("--trust-project", "-p", "hi").status == 0
    assert not (tl.home / ".turnloop" / "trust.json").exists()
    assert tl("--trust-project", "trust").status == 2  # it is shown and asked about all the same
    assert tl("--trust-project", "trust", "--yes").status == 0
    assert ignored(tl) == []


def test_a_list_of_an_older_version(tl):
    write(tl, ALLOW)
    store = tl.home / ".turnloop" / "trust.json"
    store.parent.mkdir()
    store.write_text(json.dumps({"folders": [str(tl.cwd)]}))
    told = tl("-p", "hi").err
    assert "this folder was trusted before single settings were looked at" in told
    assert "tl trust" in told
    assert json.loads(store.read_text()) == {"folders": [str(tl.cwd)]}
    assert tl("trust", "--yes").status == 0
    assert tl("-p", "hi").err.count("trust") == 0


def test_a_plugin_is_not_switched_off_by_a_change(tl):
    write(tl, {"plugins": {"disabled": ["todo"]}})
    tl("trust", "--yes")
    assert _loaded(tl, "shell")
    assert not _loaded(tl, "todo")
    write(tl, {"plugins": {"disabled": ["shell"]}})
    assert _loaded(tl, "shell")
    assert _loaded(tl, "todo")


def _loaded(tl, name: str) -> bool:
    records = json.loads(tl("plugins", "--json").out)["plugins"]
    return any(r["name"] == name and r["status"] == "loaded" for r in records)


@pytest.mark.parametrize("text", ['{"folders": 1}', "{", '{"folders": {"/x": {"a": 1}}}'])
def test_a_damaged_list_is_an_error_that_names_it(tl, text):
    write(tl, ALLOW)
    store = tl.home / ".turnloop" / "trust.json"
    store.parent.mkdir()
    store.write_text(text)
    for arguments in (("-p", "hi"), ("trust", "--yes"), ("config",)):
        ran = tl(*arguments)
        assert ran.status == 2
        assert str(store) in ran.err
    assert store.read_text() == text
