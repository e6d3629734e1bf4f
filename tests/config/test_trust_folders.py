"""Which folders are trusted, and the file that says it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from turnloop_core.config.layers import read_layers
from turnloop_core.config.trust import Trust
from turnloop_core.errors import SettingsError


def test_a_folder_of_an_older_file_is_trusted_and_nothing_in_it_approved(world) -> None:
    world.write("project", world.said())
    store = world.remembered
    store.path.parent.mkdir(exist_ok=True)
    store.path.write_text(json.dumps({"folders": [str(world.root), "/elsewhere"]}))
    loaded = world.start()
    assert loaded.trusted
    assert world.standing() == [(key, "unseen") for key in world.needing]
    assert "trusted before single settings were looked at" in loaded.ignored[0].why
    world.trust()
    assert world.standing() == []
    kept = json.loads(store.path.read_text())["folders"]
    assert list(kept) == [str(world.root), "/elsewhere"]
    assert kept["/elsewhere"] is None
    assert world.remembered.of(Path("/elsewhere")).approved is None


def test_trust_in_everything_is_for_one_start(world) -> None:
    world.write("project", world.said())
    loaded = read_layers(world.root, world.home, {}).resolve([], world.sections, Trust.of(True))
    assert (loaded.pending, loaded.trusted) == ((), True)
    assert not world.remembered.path.exists()


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
def test_only_the_exact_real_folder_is_trusted(world) -> None:
    world.write("project", world.said())
    world.trust()
    store = world.remembered
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
    world.write("project", world.said())
    (world.root / ".git").mkdir()
    world.trust()
    other = world.base / "other"
    (other / ".turnloop").mkdir(parents=True)
    (other / ".turnloop" / "settings.json").write_text(json.dumps(world.said()))
    (other / ".git").write_text(f"gitdir: {world.root}/.git/worktrees/other\n")
    layers = read_layers(other, world.home, {})
    assert layers.root.path == other
    known = world.remembered.of(layers.root.path)
    assert not known.trusted
    assert [item.standing for item in layers.resolve([], world.sections, known).pending][:1] == [
        "untrusted"
    ]


def test_another_repository_in_the_place_of_a_trusted_one_is_looked_at(world) -> None:
    world.write("project", world.said())
    world.trust()
    world.root.rename(world.base / "away")
    world.write("project", {"hooks": {"Stop": ["./evil.sh"]}})
    assert world.standing() == [("hooks", "changed")]


def test_forgetting_forgets_what_was_approved(world) -> None:
    world.write("project", world.said())
    world.trust()
    store = world.remembered
    assert store.forget(world.root)
    assert world.standing()[0] == ("provider", "untrusted")
    store.trust(world.root)
    assert world.standing()[0] == ("provider", "new")


def test_a_no_is_remembered_until_the_folder_is_trusted(world) -> None:
    store = world.remembered
    assert store.declined(world.root) == ""
    store.decline(world.root, "abc")
    assert (store.declined(world.root), store.of(world.root).trusted) == ("abc", False)
    store.trust(world.root)
    assert (store.declined(world.root), store.of(world.root).trusted) == ("", True)


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
    store = world.remembered
    store.path.parent.mkdir(exist_ok=True)
    store.path.write_text(text)
    for act in (store.of, store.trust, store.forget, store.declined):
        with pytest.raises(SettingsError) as caught:
            act(world.root)
        assert str(store.path) in str(caught.value)
    assert store.path.read_text() == text
