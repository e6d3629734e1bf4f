"""Which layer wins, and that every value knows its layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from pydantic import BaseModel, ConfigDict

from turnloop_core.config.defaults import plugin_defaults
from turnloop_core.config.layer import Layer, Origin, fold, walk
from turnloop_core.config.layers import read_layers, settings_paths
from turnloop_core.config.loaded import RuleSource
from turnloop_core.errors import ClashError, SettingsError
from turnloop_core.plugins import Registries
from turnloop_core.registry import ProviderEntry, SettingsEntry
from turnloop_core.types.subjects import PermissionMode

SCALARS: dict[str, tuple[list[Any], Any]] = {
    "provider": (["p1", "p2", "p3", "p4", "p5", "p6"], None),
    "model": (["m1", "m2", "m3", "m4", "m5", "m6"], None),
    "permission_mode": (["plan", "auto", "bypass", "default", "plan", "auto"], "default"),
    "max_iterations": ([1, 2, 3, 4, 5, 6], 40),
    "tool_verbosity": (["terse", "normal", "verbose", "auto", "terse", "normal"], "auto"),
    "system_variant": (["v1", "v2", "v3", "v4", "v5", "v6"], "default"),
}
ORDER = ("plugin", "user", "project", "local", "environment", "flag")


@pytest.mark.parametrize("key", SCALARS)
@pytest.mark.parametrize("strongest", range(len(ORDER), -1, -1))
def test_the_strongest_layer_wins_taken_away_one_by_one(world, key: str, strongest: int) -> None:
    values, default = SCALARS[key]
    there = dict(list(zip(ORDER, values, strict=True))[:strongest])
    for which in ("user", "project", "local"):
        if which in there:
            world.write(which, {key: there[which]})
    variable = f"TURNLOOP_{key.upper()}"
    loaded = world.load(
        defaults=[("plug", {key: there["plugin"]})] if there else [],
        environment={variable: f" {there['environment']} "} if "environment" in there else {},
        flags={key: there.get("flag")},
    )
    assert getattr(loaded.settings, key) == (values[strongest - 1] if strongest else default)
    origin = loaded.origin(key)
    assert origin is not None
    assert origin.layer == (ORDER[strongest - 1] if strongest else "core")
    where = {
        "plugin": "plug",
        "environment": variable,
        "flag": "--" + key.replace("_", "-"),
        "core": "",
    }
    place = where[origin.layer] if origin.layer in where else f"{world.path(origin.layer)}:2"
    assert origin.where == place


@pytest.mark.parametrize("blank", ["", " ", "\t \n"])
def test_a_blank_variable_counts_as_not_set_and_this_is_said(world, blank: str) -> None:
    world.write("user", {"model": "mine"})
    loaded = world.load(environment={"TURNLOOP_MODEL": blank})
    assert loaded.settings.model == "mine"
    assert [str(note) for note in loaded.notes] == [
        "environment: TURNLOOP_MODEL is ignored: blank counts as not set"
    ]


def test_a_blank_text_in_a_file_counts_as_not_set(world) -> None:
    world.write("user", {"model": "mine"})
    path = world.write("project", {"model": " "})
    loaded = world.load()
    assert loaded.settings.model == "mine"
    assert [str(n) for n in loaded.notes] == [
        f"{path}:2: model is ignored: blank counts as not set"
    ]


def test_a_blank_flag_is_an_error(world) -> None:
    assert world.error(flags={"model": " "}) == (
        "--model: is blank",
        "give a value, or leave it out",
    )


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        (
            {"TURNLOOP_MAX_ITERATIONS": "many"},
            "TURNLOOP_MAX_ITERATIONS: max_iterations: expected a whole number, found a text",
        ),
        (
            {"TURNLOOP_MAX_ITERATIONS": "0"},
            "TURNLOOP_MAX_ITERATIONS: max_iterations: must be at least 1",
        ),
        (
            {"TURNLOOP_TOOL_VERBOSITY": "ters"},
            (
                "TURNLOOP_TOOL_VERBOSITY: tool_verbosity: expected 'auto', 'terse', 'normal' or "
                "'verbose', found \"ters\""
            ),
        ),
    ],
)
def test_a_wrong_variable_is_named(world, variables: dict[str, str], message: str) -> None:
    assert world.error(environment=variables)[0] == message


def test_a_misspelt_variable_is_noted(world) -> None:
    loaded = world.load(environment={"TURNLOOP_MODLE": "x", "TURNLOOP_PLUGINS": "a", "OTHER": "b"})
    assert [str(n) for n in loaded.notes] == [
        "environment: TURNLOOP_MODLE is ignored: did you mean TURNLOOP_MODEL?"
    ]


def test_a_wrong_flag_is_named(world) -> None:
    assert world.error(flags={"permission_mode": "yolo"})[0].startswith("--permission-mode: ")


def test_maps_merge_and_lists_replace(world) -> None:
    world.write("user", {"permissions": {"allow": ["a", "b"], "deny": ["c"]}})
    project = world.write(
        "project",
        {"permissions": {"allow": ["d"]}, "providers": {"x": {"headers": {"A": "1"}}}},
    )
    world.write("local", {"providers": {"x": {"headers": {"B": "2"}}, "y": {"kind": "k"}}})
    loaded = world.load()
    assert loaded.settings.permissions.allow == ("d",)
    assert loaded.settings.permissions.deny == ("c",)
    assert loaded.settings.providers == {
        "x": {"headers": {"A": "1", "B": "2"}},
        "y": {"kind": "k"},
    }
    assert loaded.rules == (
        RuleSource("allow", "d", Origin("project", str(project), 4)),
        RuleSource("deny", "c", Origin("user", str(world.path("user")), 8)),
    )
    assert "permissions.allow[1]" not in loaded.origins


def test_null_takes_a_choice_back(world) -> None:
    world.write("user", {"model": "mine"})
    world.write("project", {"model": None})
    assert world.load().settings.model is None


def test_a_home_that_is_the_working_folder_has_no_project_layer(world) -> None:
    world.write("user", {"model": "mine"})
    (world.home / ".turnloop" / "settings.local.json").write_text('{"model": "other"}')
    assert set(settings_paths(world.home, world.home)) == {"user"}
    loaded = read_layers(world.home, world.home, {}).resolve([], {}, trusted=False)
    assert (loaded.settings.model, loaded.ignored) == ("mine", ())


keys = st.sampled_from(["a", "b", "c"])
shapes = st.recursive(
    st.just("leaf"), lambda s: st.dictionaries(keys, s, min_size=1, max_size=3), max_leaves=6
)


@st.composite
def three_layers(draw: st.DrawFn) -> list[Layer]:
    """Layers that agree on what is a map and what is not, as checked layers do."""
    shape = {key: draw(shapes) for key in "abc"}

    def some(part: Any, number: int) -> Any:
        if part == "leaf":
            return draw(st.sampled_from([number, [number], None]))
        return {k: some(v, number) for k, v in part.items() if draw(st.booleans())}

    layers = []
    for number in range(3):
        data = some(shape, number)
        origin = Origin("plugin", str(number))
        layers.append(Layer("plugin", str(number), data, dict.fromkeys(walk(data), origin)))
    return layers


@settings(max_examples=200, deadline=None)
@given(three_layers())
def test_laying_over_is_associative_and_every_value_keeps_its_origin(layers: list[Layer]) -> None:
    def together(*parts: Layer) -> Layer:
        folded = fold(parts)
        return Layer("plugin", "both", folded.data, folded.origins)

    first, second, third = layers
    left, right = (
        fold([together(first, second), third]),
        fold([first, together(second, third)]),
    )
    assert (left.data, left.origins) == (right.data, right.origins)
    assert set(left.origins) == set(walk(left.data))
    for path, origin in left.origins.items():
        layer: Any = layers[int(origin.file)].data
        value: Any = left.data
        for part in path:
            layer, value = layer[part], value[part]
        assert isinstance(value, dict) or layer == value


class Search(BaseModel):
    model_config = ConfigDict(extra="forbid")
    limit: int = 5
    backend: str = "plain"


@dataclass(frozen=True)
class Server:
    command: str
    timeout: float = 1.0


@dataclass(frozen=True)
class Servers:
    servers: dict[str, Server] = field(default_factory=dict)


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


SECTIONS = {"search": Search, "mcp": Servers, "open": Open}


def test_sections_become_objects_of_their_types(world) -> None:
    world.write("user", {"mcp": {"servers": {"a": {"command": "x"}}}, "open": {"any": 1}})
    world.write("project", {"search": {"limit": 7}})
    loaded = world.load(sections=SECTIONS, defaults=[("s", {"search": {"backend": "b"}})])
    assert loaded.settings.sections == {
        "search": Search(limit=7, backend="b"),
        "mcp": Servers({"a": Server("x")}),
        "open": Open(any=1),
    }


@pytest.mark.parametrize(
    ("content", "message", "hint"),
    [
        (
            {"search": {"limt": 1}},
            "3: search.limt: no setting is called so",
            "did you mean search.limit?",
        ),
        (
            {"mcp": {"servers": {"a": {"comand": "x"}}}},
            "4: mcp.servers.a: mcp.servers.a.command is missing (and 1 more)",
            "",
        ),
        (
            {"mcp": {"servers": {"a": {"command": "x", "timeou": 1}}}},
            "6: mcp.servers.a.timeou: no setting is called so",
            "did you mean mcp.servers.a.timeout?",
        ),
        (
            {"serach": {"limit": 1}},
            "2: serach: no setting is called so",
            "did you mean search?",
        ),
    ],
)
def test_a_wrong_section_is_named(world, content: Any, message: str, hint: str) -> None:
    path = world.write("user", content)
    assert world.error(sections=SECTIONS) == (f"{path}:{message}", hint)


def test_a_section_may_be_completed_by_another_layer(world) -> None:
    world.write("user", {"mcp": {"servers": {"a": {"command": "x"}}}})
    world.write("project", {"mcp": {"servers": {"a": {"timeout": 9}}}})
    assert world.load(sections=SECTIONS).settings.sections["mcp"] == Servers({"a": Server("x", 9)})


def test_a_section_can_be_checked_later(world) -> None:
    path = world.write("user", {"search": {"limit": "x"}})
    loaded = world.load(sections={"search": None})
    with pytest.raises(SettingsError) as caught:
        loaded.section("search", Search)
    assert str(caught.value) == f"{path}:3: search.limit: expected a whole number, found a text"


def test_sections_of_plugins_that_are_switched_off_are_noted(world) -> None:
    path = world.write("user", {"hooks": {"x": []}, "model": "m"})
    loaded = world.load(switched_off=["user-hooks"])
    assert loaded.settings.model == "m"
    assert [str(n) for n in loaded.notes] == [
        f"{path}:2: hooks is ignored: no plugin that is switched on knows this section"
    ]
    assert world.error()[0].endswith("hooks: no setting is called so")


def test_a_section_cannot_take_the_name_of_a_setting(world) -> None:
    with pytest.raises(ClashError):
        world.load(sections={"permissions": Search})


def test_defaults_of_plugins(world) -> None:
    registries = Registries()
    registries.settings.put("mock", SettingsEntry("mock", defaults={"provider": "mock"}))
    registries.settings.put(
        "tiered", SettingsEntry("t", defaults={"compaction": {"strategy": "t"}})
    )
    presets = {"one": {"model": "m"}, "two": {"kind": "other", "model": "n"}}
    registries.providers.put("wire", ProviderEntry("wire", "w:create", "w:Options", presets))
    loaded = world.load(defaults=plugin_defaults(registries))
    assert loaded.settings.provider == "mock"
    assert loaded.settings.compaction.strategy == "t"
    assert loaded.settings.providers == {
        "one": {"kind": "wire", "model": "m"},
        "two": {"kind": "other", "model": "n"},
    }
    assert loaded.origin("providers.one.model") == Origin("plugin", "wire")


def test_what_two_plugins_set_differently_neither_sets(world) -> None:
    loaded = world.load(
        defaults=[
            ("a", {"provider": "x", "providers": {"p": {"kind": "k", "model": "1"}}}),
            ("b", {"provider": "y", "model": "m", "providers": {"p": {"kind": "j"}}}),
        ]
    )
    assert (loaded.settings.provider, loaded.settings.model) == (None, "m")
    assert loaded.settings.providers == {}
    assert [(n.key, n.why) for n in loaded.notes] == [
        ("provider", "a and b set it differently"),
        ("providers.p", "a and b set it differently"),
    ]


def test_wrong_defaults_of_a_plugin_stop_nobody(world) -> None:
    loaded = world.load(
        defaults=[("bad", {"max_iterations": "x"}), ("worse", {"model": object()}), ("ok", {})]
    )
    assert loaded.settings.max_iterations == 40
    assert [(n.key, n.file) for n in loaded.notes] == [
        ("max_iterations", "plugin bad"),
        ("defaults", "plugin worse"),
    ]


def test_plugin_switches_come_from_the_strongest_layer_that_is_heard(world) -> None:
    world.write("user", {"plugins": {"disabled": ["a"], "required": ["r"]}})
    world.write("project", {"plugins": {"disabled": ["b"]}})
    layers = read_layers(world.root, world.home, {})
    assert layers.plugin_switches() == (("a",), ("r",))
    assert layers.plugin_switches(trusted=True) == (("b",), ("r",))


def test_modes_are_values_of_the_enumeration(world) -> None:
    world.write("user", {"permission_mode": "plan"})
    assert world.load().settings.permission_mode is PermissionMode.PLAN
