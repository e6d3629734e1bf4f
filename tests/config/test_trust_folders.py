"""Which folders are trusted, and the file that says it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.config.layers import Loaded, read_layers
from turnloop_core.config.trust import Trust
from turnloop_core.config.trust_store import TrustStore
from turnloop_core.errors import SettingsError

SECTIONS = {"hooks": None, "mcp_servers": None}
SAID: dict[str, Any] = {
    "provider": "ours",
    "providers": {"ours": {"kind": "wire", "base_url": "https://ours"}, "b": {"kind": "wire"}},
    "permissions": {"allow": ["Bash(make)"], "deny": ["Read(x)"]},
    "plugins": {"disabled": ["noisy"]},
    "hooks": {"Stop": ["./check.sh"]},
}
ALL = ["provider", "providers.ours", "providers.b", "permissions.allow", "plugins.disabled"]
ALL += ["hooks"]


def load(world) -> Loaded:
    trust = TrustStore(world.home).of(world.root)
    return read_layers(world.root, world.home, {}).resolve([], SECTIONS, trust)


def trust(world, loaded: Loaded | None = None) -> None:
    """What `tl trust` does after the user's yes."""
    pending = (loaded or load(world)).pending
    seen = {item.action.label: item.action.digest for item in pending}
    TrustStore(world.home).trust(world.root, seen)


def standing(world) -> list[tuple[str, str]]:
    return [(item.action.name, item.standing) for item in load(world).pending]


def test_a_folder_of_an_older_file_is_trusted_and_nothing_in_it_approved(world) -> None:
    world.write("project", SAID)
    store = TrustStore(world.home)
    store.path.parent.mkdir(exist_ok=True)
    store.path.write_text(json.dumps({"folders": [str(world.root), "/elsewhere"]}))
    loaded = load(world)
    assert loaded.trusted
    assert standing(world) == [(key, "unseen") for key in ALL]
    assert "trusted before single settings were looked at" in loaded.ignored[0].why
    trust(world)
    assert standing(world) == []
    kept = json.loads(store.path.read_text())["folders"]
    assert list(kept) == [str(world.root), "/elsewhere"]
    assert kept["/elsewhere"] is None
    assert TrustStore(world.home).of(Path("/elsewhere")).approved is None


def test_trust_in_everything_is_for_one_start(world) -> None:
    world.write("project", SAID)
    loaded = read_layers(world.root, world.home, {}).resolve([], SECTIONS, Trust.of(True))
    assert (loaded.pending, loaded.trusted) == ((), True)
    assert not TrustStore(world.home).path.exists()


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
def test_only_the_exact_real_folder_is_trusted(world) -> None:
    world.write("project", SAID)
    trust(world)
    store = TrustStore(world.home)
    inner = world.root / "vendor" / "inner"
    (inner / ".turnloop").mkdir(parents=True)
    assert not store.of(inner).trusted
    assert not store.of(world.root.with_name("PROJECT")).trusted
    assert not store.of(Path(f"{world.root}/../project2")).trusted
    (world.base / "link").symlink_to(world.root)
    assert store.of(world.base / "link").trusted
    world.root.rename(world.base / "moved")
    assert not store.of(world.base / "moved").trusted
    assert not store.of(world.base / "link" / "x").trusted


def test_a_repository_that_says_it_is_a_worktree_of_a_trusted_one_is_not_trusted(world) -> None:
    world.write("project", SAID)
    (world.root / ".git").mkdir()
    trust(world)
    other = world.base / "other"
    (other / ".turnloop").mkdir(parents=True)
    (other / ".turnloop" / "settings.json").write_text(json.dumps(SAID))
    (other / ".git").write_text(f"gitdir: {world.root}/.git/worktrees/other\n")
    layers = read_layers(other, world.home, {})
    assert layers.root.path == other
    known = TrustStore(world.home).of(layers.root.path)
    assert not known.trusted
    assert [item.standing for item in layers.resolve([], SECTIONS, known).pending][:1] == [
        "untrusted"
    ]


def test_another_repository_in_the_place_of_a_trusted_one_is_looked_at(world) -> None:
    world.write("project", SAID)
    trust(world)
    world.root.rename(world.base / "away")
    world.write("project", {"hooks": {"Stop": ["./evil.sh"]}})
    assert standing(world) == [("hooks", "changed")]


def test_forgetting_forgets_what_was_approved(world) -> None:
    world.write("project", SAID)
    trust(world)
    store = TrustStore(world.home)
    assert store.forget(world.root)
    assert standing(world)[0] == ("provider", "untrusted")
    store.trust(world.root)
    assert standing(world)[0] == ("provider", "new")


def test_a_no_is_remembered_until_the_folder_is_trusted(world) -> None:
    store = TrustStore(world.home)
    assert store.declined(world.root) == ""
    store.decline(world.root, "abc")
    assert (store.declined(world.root), store.is_trusted(world.root)) == ("abc", False)
    store.trust(world.root)
    assert (store.declined(world.root), store.is_trusted(world.root)) == ("", True)


@pytest.mark.parametrize(
    "text",
    [
        '{"folders": {"/a": 1}}',
        '{"folders": {"/a": {"x": 1}}}',
        '{"folders": [null]}',
        '{"folders": {}, "declined": []}',
        '{"folders": {}, "folders": {"/a": {}}}',
        "{}",
        "",
    ],
)
def test_a_damaged_file_is_an_error_that_loses_nothing(world, text: str) -> None:
    store = TrustStore(world.home)
    store.path.parent.mkdir(exist_ok=True)
    store.path.write_text(text)
    for act in (store.of, store.trust, store.forget, store.declined):
        with pytest.raises(SettingsError) as caught:
            act(world.root)
        assert str(store.path) in str(caught.value)
    assert store.path.read_text() == text
