"""Trust goes by content: what changed since is ignored again, and only that."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.config.layers import Loaded, read_layers
from turnloop_core.config.needs_trust import COUNTS_UNTRUSTED
from turnloop_core.config.startup import StartUpAction
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


def changed(**keys: Any) -> dict[str, Any]:
    return {**SAID, **keys}


def test_what_stands_there_counts_once_it_is_trusted(world) -> None:
    world.write("project", SAID)
    assert standing(world) == [(key, "untrusted") for key in ALL]
    trust(world)
    loaded = load(world)
    assert (loaded.pending, loaded.trusted) == ((), True)
    assert loaded.raw["hooks"] == SAID["hooks"]
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
            {"providers": {**SAID["providers"], "b": {"kind": "wire", "headers": {"a": "b"}}}},
            [("providers.b", "changed")],
        ),
        (
            {"providers": {**SAID["providers"], "c": {"kind": "wire"}}},
            [("providers.c", "new")],
        ),
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
    world.write(which, SAID)
    trust(world)
    path = world.write(which, changed(**keys))
    assert standing(world) == named
    loaded = load(world)
    kept = [item.ignored for item in loaded.pending]
    assert list(loaded.ignored) == kept
    for item in kept:
        assert item.file == str(path)
        assert "since you trusted this folder, and " in item.why
    if "hooks" not in keys:
        assert loaded.raw["hooks"] == SAID["hooks"]
    trust(world)
    assert standing(world) == []


def test_a_changed_switch_of_plugins_is_not_heard_before_plugins_are_loaded(world) -> None:
    world.write("project", SAID)
    trust(world)
    known = TrustStore(world.home).of(world.root)
    assert read_layers(world.root, world.home, {}).plugin_switches(known) == (("noisy",), ())
    world.write("project", changed(plugins={"disabled": ["guard"], "required": ["evil"]}))
    assert read_layers(world.root, world.home, {}).plugin_switches(known) == ((), ())


def test_the_changed_value_counts_nowhere(world) -> None:
    world.write("user", {"permissions": {"allow": ["Bash(mine)"]}})
    world.write("project", SAID)
    trust(world)
    world.write("project", changed(permissions={"allow": ["Bash"]}, hooks={"Stop": ["./evil"]}))
    loaded = load(world)
    assert loaded.settings.permissions.allow == ("Bash(mine)",)
    assert "hooks" not in loaded.raw
    assert (loaded.settings.provider, loaded.settings.plugins.disabled) == ("ours", ("noisy",))


def test_what_was_removed_needs_nothing_and_may_come_back_as_it_was(world) -> None:
    world.write("project", SAID)
    trust(world)
    world.write("project", {})
    assert standing(world) == []
    trust(world)
    world.write("project", SAID)
    assert standing(world) == []


def test_an_approved_value_of_the_past_is_a_change(world) -> None:
    world.write("project", SAID)
    trust(world)
    world.write("project", changed(hooks={"Stop": ["./fixed.sh"]}))
    trust(world)
    world.write("project", SAID)
    assert standing(world) == [("hooks", "changed")]


def test_order_of_keys_and_blanks_and_escapes_make_no_change(world) -> None:
    world.write("project", SAID)
    trust(world)
    turned = json.dumps(dict(reversed(SAID.items())), indent=7).replace("./check", "\\u002e/check")
    world.write("project", turned.replace("\n", "\r\n"))
    assert standing(world) == []
    ours = dict(reversed(SAID["providers"]["ours"].items()))
    world.write("project", changed(providers={"b": SAID["providers"]["b"], "ours": ours}))
    assert standing(world) == []


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
    world.write("project", SAID)
    trust(world)
    world.write("project", changed(hooks=hooks))
    assert standing(world) == [("hooks", "changed")]


def test_a_key_that_looks_like_another_is_its_own(world) -> None:
    world.write("project", SAID)
    trust(world)
    providers = {**SAID["providers"], "оurs": {"kind": "wire"}}  # noqa: RUF001 - Cyrillic
    world.write("project", changed(providers=providers))
    assert standing(world) == [("providers.оurs", "new")]  # noqa: RUF001
    world.write("project", changed(Hooks={"Stop": ["./evil.sh"]}))
    with pytest.raises(SettingsError, match="Hooks"):
        load(world)


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
    world.write("project", SAID)
    trust(world)
    world.write("project", '{"hooks": {"Stop": ["./check.sh"]}, "hooks": {"Stop": ["./evil"]}}')
    with pytest.raises(SettingsError, match="stands twice"):
        load(world)


def test_what_was_hashed_is_what_is_applied(world) -> None:
    """The file is read once: what replaces it after that is neither approved nor applied."""
    world.write("project", SAID)
    read = read_layers(world.root, world.home, {})
    world.write("project", changed(hooks={"Stop": ["./evil.sh"]}))
    shown = read.resolve([], SECTIONS, Trust())
    trust(world, shown)
    assert standing(world) == [("hooks", "changed")]
    assert read.resolve([], SECTIONS, TrustStore(world.home).of(world.root)).pending == ()


def test_each_of_the_two_files_is_looked_at(world) -> None:
    world.write("project", SAID)
    trust(world)
    world.write("local", {"hooks": {"Stop": ["./evil.sh"]}})  # git may track that file, too
    (item,) = load(world).pending
    assert (item.action.origin, item.standing) == ("local", "new")
    assert load(world).raw["hooks"] == SAID["hooks"]


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
@pytest.mark.parametrize("name", [".turnloop", ".turnloop/settings.json"])
def test_a_link_in_the_place_of_folder_or_file_gives_what_it_holds(world, name: str) -> None:
    world.write("project", SAID)
    trust(world)
    other = world.base / "other"
    (other / ".turnloop").mkdir(parents=True)
    text = json.dumps(changed(hooks={"Stop": ["./evil.sh"]}))
    (other / ".turnloop" / "settings.json").write_text(text)
    place = world.root / name
    place.rename(world.base / "away")
    place.symlink_to(other / name)
    assert standing(world) == [("hooks", "changed")]


def test_a_huge_file_is_an_error(world) -> None:
    world.write("project", SAID)
    trust(world)
    world.write("project", " " * (5 * 1024 * 1024))
    with pytest.raises(SettingsError, match="larger than"):
        load(world)


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
