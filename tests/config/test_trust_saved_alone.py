"""Rules that the user saves in a folder that nobody trusts: they count, and nothing beside them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.config.trust import Trust
from turnloop_core.config.trust_store import TrustStore
from turnloop_core.environment import Environment, SessionOptions, load_environment
from turnloop_core.errors import TurnloopError
from turnloop_core.saved_rules import save_rules

BOTH = pytest.mark.parametrize("which", ["project", "local"])


def env(world, **options: Any) -> Environment:
    where = SessionOptions(cwd=world.root, home=world.home, environment={}, **options)
    return load_environment(where, lambda: ())


def allow(*rules: str) -> dict[str, Any]:
    return {"permissions": {"allow": list(rules)}}


def rules(world) -> list[str]:
    return list(env(world).loaded.settings.permissions.allow)


def pending(world) -> list[str]:
    return [item.action.label for item in env(world).loaded.pending]


@pytest.fixture(autouse=True)
def _project(world) -> None:
    (world.root / ".turnloop").mkdir()


@BOTH
def test_what_is_saved_counts_and_the_folder_stays_untrusted(world, which: str) -> None:
    session = env(world)
    assert save_rules(session, ["Bash(make)"], which) == ""
    assert save_rules(session, ["Bash(true)"], which) == ""
    after = env(world).loaded
    assert (after.settings.permissions.allow, after.pending) == (("Bash(make)", "Bash(true)"), ())
    assert not after.trusted
    store = TrustStore(world.home)
    assert (store.folders, store.with_saved) == ((), (world.root,))
    assert list(json.loads(store.path.read_text())["folders"]) == []


@BOTH
@pytest.mark.parametrize("now", [["Bash"], ["Bash(make)", "Bash"], ["bash(make)"], []])
def test_a_pull_that_changes_the_list_is_named_and_ignored(world, which: str, now: Any) -> None:
    save_rules(env(world), ["Bash(make)"], which)
    world.write(which, allow(*now))
    assert pending(world) == [f"{which} setting permissions.allow"]
    assert rules(world) == []
    world.write(which, allow("Bash(make)"))
    assert (pending(world), rules(world)) == ([], ["Bash(make)"])


def test_nothing_else_of_the_folder_counts_by_it(world) -> None:
    save_rules(env(world), ["Bash(make)"], "local")
    text = json.loads(world.path("local").read_text())
    world.write("local", {**text, "model": "spy", "permission_mode": "bypass"})
    world.write("project", {**allow("Bash"), "providers": {"p": {"api_key_env": "A_KEY"}}})
    world.write("user", {"providers": {"mine": {"kind": "k", "api_key_env": "OUR_KEY"}}})
    world.write("env", "OUR_KEY=sk-0123456789\n")
    got = env(world)
    assert [item.action.label for item in got.loaded.pending] == [
        "project setting permissions.allow",
        "project setting providers.p",
        "local setting model",
        "local setting permission_mode",
    ]
    assert rules(world) == ["Bash(make)"]
    assert got.secrets.get("OUR_KEY") is None
    assert [item.key for item in got.secrets.ignored] == ["OUR_KEY"]


@BOTH
@pytest.mark.parametrize("when", ["before the session", "while it runs"])
def test_rules_that_wait_do_not_ride_along(world, which: str, when: str) -> None:
    session = env(world)
    path = world.write(which, allow("Bash"))
    if when == "before the session":
        session = env(world)
    before = path.read_bytes()
    with pytest.raises(TurnloopError) as caught:
        save_rules(session, ["Bash(make)"], which)
    assert str(caught.value) == (
        f"the folder is not trusted, and the rules in {path} beside it are ignored"
    )
    assert caught.value.hint == "look at them: tl trust; or save it for all projects"
    assert path.read_bytes() == before
    assert pending(world) == [f"{which} setting permissions.allow"]
    assert not TrustStore(world.home).path.exists()
    save_rules(session, ["Bash(make)"], "user")
    assert rules(world) == ["Bash(make)"]


def test_rules_that_came_after_what_was_saved_do_not_ride_along(world) -> None:
    session = env(world)
    save_rules(session, ["Bash(make)"], "local")
    world.write("local", allow("Bash(make)", "Bash"))
    with pytest.raises(TurnloopError, match="not trusted"):
        save_rules(session, ["Bash(true)"], "local")
    assert rules(world) == []


def test_rules_of_the_project_that_wait_are_not_carried_along(world) -> None:
    world.write("user", allow("Bash(mine)"))
    world.write("project", allow("Bash"))
    assert save_rules(env(world), ["Bash(make)"], "local") == ""
    assert rules(world) == ["Bash(mine)", "Bash(make)"]
    assert pending(world) == ["project setting permissions.allow"]


def test_an_empty_list_brings_nothing_along(world) -> None:
    world.write("local", allow())
    assert save_rules(env(world), ["Bash(make)"], "local") == ""
    assert (pending(world), rules(world)) == ([], ["Bash(make)"])


def test_what_one_session_saves_to_two_layers_all_counts(world) -> None:
    session = env(world)
    save_rules(session, ["Bash(one)"], "user")
    save_rules(session, ["Bash(two)"], "project")
    assert save_rules(session, ["Bash(three)"], "local") == ""
    assert rules(world) == ["Bash(one)", "Bash(two)", "Bash(three)"]
    told = save_rules(session, ["Bash(four)"], "project")
    assert told == f"in this project the list in {world.path('local')} stands in its place"


def test_at_a_start_that_counts_all_the_users_own_is_remembered(world) -> None:
    world.write("project", {"model": "theirs"})
    assert save_rules(env(world, trust_project=True), ["Bash(make)"], "local") == ""
    assert rules(world) == ["Bash(make)"]
    assert pending(world) == ["project setting model"]


def test_trust_takes_over_what_was_saved_and_forgetting_forgets_both(world) -> None:
    save_rules(env(world), ["Bash(make)"], "local")
    store = TrustStore(world.home)
    store.trust(world.root)
    assert (store.with_saved, rules(world)) == ((), ["Bash(make)"])
    assert save_rules(env(world), ["Bash(true)"], "local") == ""
    assert rules(world) == ["Bash(make)", "Bash(true)"]
    assert store.forget(world.root)
    assert (store.of(world.root), rules(world)) == (Trust(), [])
    assert pending(world) == ["local setting permissions.allow"]


def test_forgetting_what_was_saved(world) -> None:
    save_rules(env(world), ["Bash(make)"], "local")
    store = TrustStore(world.home)
    assert store.forget(world.root)
    assert not store.forget(world.root)
    assert (store.with_saved, rules(world)) == ((), [])


def test_a_no_to_the_rest_takes_nothing_of_it_back(world) -> None:
    save_rules(env(world), ["Bash(make)"], "local")
    TrustStore(world.home).decline(world.root, "abc")
    assert rules(world) == ["Bash(make)"]


def test_the_folder_below_and_the_folder_beside_have_none_of_it(world) -> None:
    save_rules(env(world), ["Bash(make)"], "local")
    for other in (world.root / "inner", world.base / "project2"):
        assert TrustStore(world.home).of(other) == Trust()


@pytest.mark.parametrize("saved", ["[]", '{"/a": null}', '{"/a": {"x": 1}}', '{"/a": "x"}', "1"])
def test_a_damaged_file_counts_for_nothing(world, saved: str) -> None:
    store = TrustStore(world.home)
    store.path.parent.mkdir()
    store.path.write_text(f'{{"folders": {{}}, "saved": {saved}}}')
    with pytest.raises(TurnloopError, match="expected"):
        store.of(world.root)


LISTS = st.lists(st.sampled_from(["Bash(a)", "Bash(b)", "Bash", "Edit(x)"]), unique=True)


@settings(max_examples=100, deadline=None)
@given(mine=LISTS, theirs=LISTS)
def test_only_exactly_what_the_user_saved_counts(mine: list[str], theirs: list[str]) -> None:
    from turnloop_core.config.layer import Folded, Layer
    from turnloop_core.config.trust import hear, setting

    layer = Layer("local", "f", allow(*theirs), {})
    action = setting(layer, ("permissions", "allow"), mine)
    counts, waiting = hear(layer, Folded(), Trust(saved={action.label: action.digest}))
    assert (counts.data == allow(*theirs)) == (mine == theirs)
    assert (waiting == ()) == (mine == theirs)
