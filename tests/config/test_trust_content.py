"""Trust goes by content: what changed since is ignored again, and only that."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.config.layers import read_layers
from turnloop_core.config.needs_trust import COUNTS_UNTRUSTED
from turnloop_core.config.startup import StartUpAction
from turnloop_core.config.trust import Trust
from turnloop_core.errors import SettingsError


def test_what_stands_there_counts_once_it_is_trusted(world) -> None:
    world.write("project", world.said())
    assert world.standing() == [(key, "untrusted") for key in world.needing]
    world.trust()
    loaded = world.start()
    assert (loaded.pending, loaded.trusted) == ((), True)
    assert loaded.raw["hooks"] == world.said()["hooks"]
    assert loaded.settings.permissions.allow == ("Bash(make)",)


@pytest.mark.parametrize("which", ["project", "local"])
@pytest.mark.parametrize(
    ("keys", "named"),
    [
        ({"hooks": {"Stop": ["./evil.sh"]}}, [("hooks", "changed")]),
        ({"hooks": {"Stop": ["./check.sh"], "Start": ["x"]}}, [("hooks", "changed")]),
        ({"mcp_servers": {"m": {"command": "x"}}}, [("mcp_servers", "new")]),
        ({"provider": "b"}, [("provider", "changed")]),
        (
            {"providers": {"b": {"kind": "wire", "headers": {"a": "b"}}}},
            [("providers.b", "changed")],
        ),
        ({"providers": {"c": {"kind": "wire"}}}, [("providers.c", "new")]),
        (
            {"permissions": {"allow": ["Bash(make)", "Bash"], "deny": ["Read(x)"]}},
            [("permissions.allow", "changed")],
        ),
        ({"plugins": {"disabled": ["noisy", "guard"]}}, [("plugins.disabled", "changed")]),
        ({"plugins": {"disabled": ["noisy"], "required": ["e"]}}, [("plugins.required", "new")]),
        ({"permission_mode": "bypass"}, [("permission_mode", "new")]),
        ({"permissions": {"allow": ["Bash(make)"], "deny": []}}, []),
        ({"max_iterations": 3}, []),
    ],
)
def test_exactly_what_changed_is_ignored_again(
    world, which: str, keys: dict[str, Any], named: list[tuple[str, str]]
) -> None:
    world.write(which, world.said())
    world.trust()
    path = world.write(which, world.said(**keys))
    assert world.standing() == named
    loaded = world.start()
    kept = [item.ignored for item in loaded.pending]
    assert list(loaded.ignored) == kept
    for item in kept:
        assert item.file == str(path)
        assert "since you trusted this folder, and " in item.why
    if "hooks" not in keys:
        assert loaded.raw["hooks"] == world.said()["hooks"]
    world.trust()
    assert world.standing() == []


def test_a_changed_switch_of_plugins_is_not_heard_before_plugins_are_loaded(world) -> None:
    world.write("project", world.said())
    world.trust()
    known = world.remembered.of(world.root)
    assert read_layers(world.root, world.home, {}).plugin_switches(known) == (("noisy",), ())
    world.write("project", world.said(plugins={"disabled": ["guard"], "required": ["evil"]}))
    assert read_layers(world.root, world.home, {}).plugin_switches(known) == ((), ())


def test_the_changed_value_counts_nowhere(world) -> None:
    world.write("user", {"permissions": {"allow": ["Bash(mine)"]}})
    world.write("project", world.said())
    world.trust()
    world.write("project", world.said(permissions={"allow": ["Bash"]}, hooks={"Stop": ["./evil"]}))
    loaded = world.start()
    assert loaded.settings.permissions.allow == ("Bash(mine)",)
    assert "hooks" not in loaded.raw
    assert (loaded.settings.provider, loaded.settings.plugins.disabled) == ("ours", ("noisy",))


def test_what_was_removed_needs_nothing_and_may_come_back_as_it_was(world) -> None:
    world.write("project", world.said())
    world.trust()
    world.write("project", {})
    assert world.standing() == []
    world.trust()
    world.write("project", world.said())
    assert world.standing() == []


def test_an_approved_value_of_the_past_is_a_change(world) -> None:
    world.write("project", world.said())
    world.trust()
    world.write("project", world.said(hooks={"Stop": ["./fixed.sh"]}))
    world.trust()
    world.write("project", world.said())
    assert world.standing() == [("hooks", "changed")]


def test_order_of_keys_and_blanks_and_escapes_make_no_change(world) -> None:
    world.write("project", world.said())
    world.trust()
    turned = json.dumps(dict(reversed(world.said().items())), indent=7).replace(
        "./check", "\\u002e/check"
    )
    world.write("project", turned.replace("\n", "\r\n"))
    assert world.standing() == []
    turned_too = world.said()
    turned_too["providers"] = {
        name: dict(reversed(entry.items()))
        for name, entry in reversed(turned_too["providers"].items())
    }
    world.write("project", turned_too)
    assert world.standing() == []


@pytest.mark.parametrize(
    "hooks",
    [
        {"Stop": ["./check.sh "]},
        {"Stop": ["./сheck.sh"]},  # noqa: RUF001 - a Cyrillic letter
        {"Stop": ["./check.sh\u200b"]},
        {"Stop": "./check.sh"},
        {"stop": ["./check.sh"]},
        {"Stop": [["./check.sh"]]},
        {},
        [],
        None,
    ],
)
def test_what_only_looks_the_same_is_a_change(world, hooks: Any) -> None:
    world.write("project", world.said())
    world.trust()
    world.write("project", world.said(hooks=hooks))
    assert world.standing() == [("hooks", "changed")]


def test_a_key_that_looks_like_another_is_its_own(world) -> None:
    world.write("project", world.said())
    world.trust()
    providers = {"оurs": {"kind": "wire"}}  # noqa: RUF001 - Cyrillic
    world.write("project", world.said(providers=providers))
    assert world.standing() == [("providers.оurs", "new")]  # noqa: RUF001
    world.write("project", world.said(Hooks={"Stop": ["./evil.sh"]}))
    with pytest.raises(SettingsError, match="Hooks"):
        world.start()


def test_numbers_and_words_are_not_mixed_up() -> None:
    values = [1, 1.0, True, "1", None, "null", 0, False, "", [], {}, [1], {"a": 1}]
    digests = {StartUpAction("setting", "x", value, "project").digest for value in values}
    assert len(digests) == len(values)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(JSON, JSON)
def test_the_digest_is_the_same_exactly_where_the_json_is(one: Any, other: Any) -> None:
    def digest(value: Any) -> str:
        return StartUpAction("setting", "hooks", value, "project").digest

    again = json.loads(json.dumps(one, indent=3))
    assert digest(again) == digest(one)
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (digest(one) == digest(other)) == same


def test_a_key_twice_is_an_error_before_anything_is_looked_at(world) -> None:
    world.write("project", world.said())
    world.trust()
    world.write("project", '{"hooks": {"Stop": ["./check.sh"]}, "hooks": {"Stop": ["./evil"]}}')
    with pytest.raises(SettingsError, match="stands twice"):
        world.start()


def test_what_was_hashed_is_what_is_applied(world) -> None:
    """The file is read once: what replaces it after that is neither approved nor applied."""
    world.write("project", world.said())
    read = read_layers(world.root, world.home, {})
    world.write("project", world.said(hooks={"Stop": ["./evil.sh"]}))
    shown = read.resolve([], world.sections, Trust())
    world.trust(shown)
    assert world.standing() == [("hooks", "changed")]
    assert read.resolve([], world.sections, world.remembered.of(world.root)).pending == ()


def test_each_of_the_two_files_is_looked_at(world) -> None:
    world.write("project", world.said())
    world.trust()
    world.write("local", {"hooks": {"Stop": ["./evil.sh"]}})  # git may track that file, too
    (item,) = world.start().pending
    assert (item.action.origin, item.standing) == ("local", "new")
    assert world.start().raw["hooks"] == world.said()["hooks"]


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
@pytest.mark.parametrize("name", [".turnloop", ".turnloop/settings.json"])
def test_a_link_in_the_place_of_folder_or_file_gives_what_it_holds(world, name: str) -> None:
    world.write("project", world.said())
    world.trust()
    other = world.base / "other"
    (other / ".turnloop").mkdir(parents=True)
    text = json.dumps(world.said(hooks={"Stop": ["./evil.sh"]}))
    (other / ".turnloop" / "settings.json").write_text(text)
    place = world.root / name
    place.rename(world.base / "away")
    place.symlink_to(other / name)
    assert world.standing() == [("hooks", "changed")]


def test_a_huge_file_is_an_error(world) -> None:
    world.write("project", world.said())
    world.trust()
    world.write("project", " " * (5 * 1024 * 1024))
    with pytest.raises(SettingsError, match="larger than"):
        world.start()


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "hooks",
                "mcp_servers",
                "permissions",
                "providers",
                "plugins",
                "provider",
                "model",
                "thinking_cap",
                "thinking",
                "unheard_of",
            ]
        ),
        JSON,
    )
)
def test_nothing_but_what_is_listed_counts_unapproved(data: dict[str, Any]) -> None:
    from turnloop_core.config.layer import Folded, Layer
    from turnloop_core.config.trust import hear

    layer = Layer("project", "f", data, {})
    counts, pending = hear(layer, Folded(), Trust())
    for key, value in counts.data.items():
        inner = [(key, name) for name in value] if isinstance(value, dict) else []
        assert (key,) in COUNTS_UNTRUSTED or all(path in COUNTS_UNTRUSTED for path in inner)
    approved = {item.action.label: item.action.digest for item in pending}
    again, rest = hear(layer, Folded(), Trust(True, approved))
    empty = [key for key in ("permissions", "providers", "plugins") if data.get(key) == {}]
    assert (rest, again.data) == ((), {k: v for k, v in data.items() if k not in empty})
