"""Rules that are saved: where they go, what stays approved, and what does not ride along."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.config.trust_store import TrustStore
from turnloop_core.environment import Environment, SessionOptions, load_environment
from turnloop_core.errors import SettingsError, TurnloopError
from turnloop_core.saved_rules import save_rules


def env(world, **options: Any) -> Environment:
    where = SessionOptions(cwd=world.root, home=world.home, environment={}, **options)
    return load_environment(where, lambda: ())


def trust(world) -> None:
    pending = env(world).loaded.pending
    seen = {item.action.label: item.action.digest for item in pending}
    TrustStore(world.home).trust(world.root, seen)


def allowed(world, which: str) -> list[str]:
    kept: list[str] = json.loads(world.path(which).read_text())["permissions"]["allow"]
    return kept


def pending(world) -> list[str]:
    return [item.key for item in env(world).loaded.ignored]


def allow(*rules: str) -> dict[str, Any]:
    return {"permissions": {"allow": list(rules)}}


@pytest.fixture(autouse=True)
def _project(world) -> None:
    (world.root / ".turnloop").mkdir()


@pytest.mark.parametrize("which", ["project", "local"])
def test_what_is_saved_counts_at_the_next_start(world, which: str) -> None:
    trust(world)
    before = env(world)
    assert save_rules(before, ["Bash(make)", "Edit(src/**)"], which) == ""
    assert save_rules(before, ["Bash(true)"], which) == ""
    assert allowed(world, which) == ["Bash(make)", "Edit(src/**)", "Bash(true)"]
    after = env(world).loaded
    assert after.settings.permissions.allow == ("Bash(make)", "Edit(src/**)", "Bash(true)")
    assert after.ignored == ()


@pytest.mark.parametrize("which", ["project", "local"])
def test_it_stays_approved_beside_what_was(world, which: str) -> None:
    world.write(which, {**allow("Bash(make)"), "provider": "ours"})
    trust(world)
    assert save_rules(env(world), ["Bash(true)"], which) == ""
    assert pending(world) == []
    assert allowed(world, which) == ["Bash(make)", "Bash(true)"]


@pytest.mark.parametrize("when", ["before the session", "while it runs"])
def test_a_change_that_waits_does_not_ride_along(world, when: str) -> None:
    world.write("local", allow("Bash(make)"))
    trust(world)
    session = env(world)
    world.write("local", allow("Bash(make)", "Bash"))
    if when == "before the session":
        session = env(world)
    told = save_rules(session, ["Bash(true)"], "local")
    assert "once you have looked at it: tl trust" in told
    assert allowed(world, "local") == ["Bash(make)", "Bash", "Bash(true)"]
    assert pending(world) == ["permissions.allow"]
    assert env(world).loaded.settings.permissions.allow == ()


def test_other_settings_that_wait_stay_where_they_are(world) -> None:
    world.write("local", allow("Bash(make)"))
    trust(world)
    world.write("local", {**allow("Bash(make)"), "permission_mode": "bypass"})
    assert save_rules(env(world), ["Bash(true)"], "local") == ""
    assert pending(world) == ["permission_mode"]


def test_the_rules_of_weaker_layers_are_carried_along_as_far_as_they_count(world) -> None:
    world.write("user", allow("Bash(mine)"))
    world.write("project", allow("Bash(theirs)"))
    trust(world)
    world.write("project", allow("Bash(theirs)", "Bash"))
    assert save_rules(env(world), ["Bash(new)"], "local") == ""
    assert allowed(world, "local") == ["Bash(mine)", "Bash(new)"]
    assert pending(world) == ["permissions.allow"]


def test_an_approved_list_of_the_project_is_carried_along(world) -> None:
    world.write("user", allow("Bash(mine)"))
    world.write("project", allow("Bash(theirs)"))
    trust(world)
    save_rules(env(world), ["Bash(new)"], "local")
    assert allowed(world, "local") == ["Bash(theirs)", "Bash(new)"]


def test_with_trust_for_one_start_nothing_is_approved(world) -> None:
    world.write("project", allow("Bash"))
    TrustStore(world.home).trust(world.root)
    told = save_rules(env(world, trust_project=True), ["Bash(true)"], "local")
    assert "tl trust" in told
    assert allowed(world, "local") == ["Bash", "Bash(true)"]
    assert pending(world) == ["permissions.allow"] * 2


def test_a_folder_that_was_trusted_before_single_settings_were_looked_at(world) -> None:
    store = world.remembered
    store.path.parent.mkdir(exist_ok=True)
    store.path.write_text(json.dumps({"folders": [str(world.root)]}))
    assert save_rules(env(world), ["Bash(make)"], "local") == ""
    assert pending(world) == []
    world.write("project", allow("Bash(theirs)"))
    (item,) = env(world).loaded.pending
    assert (item.action.label, item.standing) == ("project setting permissions.allow", "unseen")
    trust(world)
    assert pending(world) == []
    save_rules(env(world), ["Bash(true)"], "local")
    assert env(world).loaded.settings.permissions.allow == ("Bash(make)", "Bash(true)")


def test_for_all_projects_paths_are_named_from_the_root(world) -> None:
    rules = ["Edit(src/**)", "Read(**/x.py)", "Read(~/notes/*)", "Edit(/etc/hosts)", "Edit"]
    rules += ["Bash(make src/x)", "WebFetch(https://example.com/*)", "mcp__a__b", "Edit(~x/y)"]
    told = save_rules(env(world), rules, "user")
    root = world.root.as_posix()
    assert allowed(world, "user") == [
        f"Edit({root}/src/**)",
        f"Read({root}/**/x.py)",
        "Read(~/notes/*)",
        "Edit(/etc/hosts)",
        "Edit",
        "Bash(make src/x)",
        "WebFetch(https://example.com/*)",
        "mcp__a__b",
        f"Edit({root}/~x/y)",
    ]
    assert told.startswith(f"saved to {world.path('user')}: Edit({root}/src/**), ")


def test_a_list_of_the_project_that_hides_the_users_is_named(world) -> None:
    world.write("project", allow("Bash(theirs)"))
    trust(world)
    told = save_rules(env(world), ["Bash(make)"], "user")
    assert told.endswith(f"in this project the list in {world.path('project')} stands in its place")
    assert allowed(world, "user") == ["Bash(make)"]


@pytest.mark.skipif(os.name == "nt", reason="such names")
def test_a_folder_that_no_pattern_names(world) -> None:
    inner = world.root / "a*b"
    (inner / ".turnloop").mkdir(parents=True)
    there = SessionOptions(cwd=inner, home=world.home, environment={})
    with pytest.raises(TurnloopError, match="no rule can name"):
        save_rules(load_environment(there, lambda: ()), ["Edit(src/**)"], "user")
    assert not world.path("user").exists()


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
@pytest.mark.parametrize("name", [".turnloop", ".turnloop/settings.local.json"])
def test_a_link_leads_no_rule_into_another_file(world, name: str) -> None:
    other = world.base / "other"
    (other / ".turnloop").mkdir(parents=True)
    (other / ".turnloop" / "settings.local.json").write_text("{}")
    trust(world)
    session = env(world)
    place: Path = world.root / name
    if place.is_dir():
        place.rmdir()
    place.symlink_to(other / name)
    with pytest.raises(SettingsError, match="a link out of the project"):
        save_rules(session, ["Bash(make)"], "local")
    assert (other / ".turnloop" / "settings.local.json").read_text() == "{}"


def test_a_file_that_cannot_be_read_loses_nothing(world) -> None:
    trust(world)
    session = env(world)
    world.write("local", '{"permissions": ')
    with pytest.raises(SettingsError):
        save_rules(session, ["Bash(make)"], "local")
    assert world.path("local").read_text() == '{"permissions": '


def test_the_home_folder_has_no_settings_of_a_project(world) -> None:
    (world.home / ".turnloop").mkdir()
    at_home = SessionOptions(cwd=world.home, home=world.home, environment={}, trust_project=True)
    with pytest.raises(TurnloopError, match="no local settings"):
        save_rules(load_environment(at_home, lambda: ()), ["Bash(make)"], "local")
