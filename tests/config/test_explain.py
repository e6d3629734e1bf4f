"""`tl config` shows each value with its origin, and no key."""

from __future__ import annotations

from turnloop_core.config.explain import Row, explain, explain_secrets
from turnloop_core.config.secrets import Secrets


def test_the_value_that_holds_comes_first_then_what_it_shadows(world) -> None:
    user = world.write("user", {"model": "a", "permissions": {"deny": ["x"]}})
    world.write("project", {"model": "b", "permissions": {"deny": ["y"], "allow": ["z"]}})
    loaded = world.load(
        environment={"TURNLOOP_MODEL": "c"},
        flags={"model": "d"},
        defaults=[("plug", {"model": "e", "providers": {"p": {"kind": "k"}}})],
        trusted=False,
    )
    rows = explain(loaded)
    assert [r for r in rows if r.key == "model"] == [
        Row("model", '"d"', "flag", "--model", shadowed=False),
        Row("model", '"c"', "environment", "TURNLOOP_MODEL", shadowed=True),
        Row("model", '"a"', "user", f"{user}:2", shadowed=True),
        Row("model", '"e"', "plugin", "plug", shadowed=True),
        Row("model", "null", "core", "", shadowed=True),
    ]
    project = world.path("project")
    assert [r for r in rows if r.key == "permissions.deny"] == [
        Row("permissions.deny", '["y"]', "project", f"{project}:4", shadowed=False),
        Row("permissions.deny", '["x"]', "user", f"{user}:4", shadowed=False),
        Row("permissions.deny", "[]", "core", "", shadowed=True),
    ]
    assert Row("providers.p.kind", '"k"', "plugin", "plug", shadowed=False) in rows
    assert Row("max_iterations", "40", "core", "", shadowed=False) in rows
    assert [i.key for i in loaded.ignored] == ["model", "permissions.allow"]


def test_a_scalar_that_covers_a_map_shadows_what_is_in_it(world) -> None:
    world.write("user", {"providers": {"p": {"extra": {"a": 1}}}})
    world.write("project", {"providers": {"p": {"extra": 2}}})
    rows = [(r.key, r.value, r.shadowed) for r in explain(world.load()) if "extra" in r.key]
    assert rows == [
        ("providers.p.extra", "2", False),
        ("providers.p.extra.a", "1", True),
    ]


def test_what_looks_like_a_secret_is_hidden(world) -> None:
    world.write(
        "user",
        {
            "providers": {
                "p": {
                    "api_key_env": "P_KEY",
                    "api_key": "sk-1",
                    "headers": {"X-Anything": "sk-2"},
                    "base_url": "https://me:sk-3@host/v1",
                    "servers": [{"env": {"A": "sk-4"}, "token": "sk-5", "name": "n"}],
                    "max_tokens": 7,
                }
            }
        },
    )
    rows = {r.key: r.value for r in explain(world.load()) if r.key.startswith("providers")}
    assert rows == {
        "providers.p.api_key_env": '"P_KEY"',
        "providers.p.api_key": '"(hidden)"',
        "providers.p.headers.X-Anything": '"(hidden)"',
        "providers.p.base_url": '"https://(hidden)@host/v1"',
        "providers.p.servers": '[{"env": {"A": "(hidden)"}, "token": "(hidden)", "name": "n"}]',
        "providers.p.max_tokens": "7",
    }


def test_secrets_are_names_and_places(world) -> None:
    world.write("user", {"providers": {"p": {"api_key_env": "P"}, "q": {"api_key_env": "Q"}}})
    secrets = Secrets.load(world.load(), {"P": "sk-0123456789"})
    assert explain_secrets(secrets) == (
        Row("P", "set", "secret", "environment", shadowed=False),
        Row("Q", "not set", "secret", "", shadowed=False),
    )
