"""The loader, with real modules on disk: one that breaks never breaks the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnloop_core.errors import ClashError, PluginError, UnknownNameError
from turnloop_core.plugins import Found, PluginRecord, Plugins, Switches, discover, load_plugins
from turnloop_core.registry import FactoryEntry, Registry, ToolEntry

TOOL = """
@hookimpl
def register_tools(registrar):
    registrar.add(ToolEntry({name!r}, "nowhere:create"))
"""


def tool(name: str) -> str:
    return TOOL.format(name=name)


def load(*names: str, **switches: frozenset[str]) -> Plugins:
    """Load only the plugins of this test, whatever else is installed."""

    def find() -> list[Found]:
        return [found for found in discover() if found.module.startswith("outside_")]

    assert set(names) <= {found.name for found in find()}
    return load_plugins(Switches(**switches), find)


def record(plugins: Plugins, name: str) -> PluginRecord:
    (found,) = [r for r in plugins.records if r.found.name == name]
    return found


def test_a_plugin_is_found_by_its_metadata_and_loaded(make_plugin) -> None:
    module = make_plugin("good", tool("Dig"), distribution="good-tools")
    plugins = load("good")
    found = Found("good", module, "good-tools", "1.2")
    assert plugins.records == (PluginRecord(found, "loaded", provides=("tool Dig",)),)
    assert plugins.registries.tools.get("Dig") == ToolEntry("Dig", "nowhere:create")
    assert plugins.registries.tools.owner("Dig") == "good"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise RuntimeError('no\\nluck')", "RuntimeError: no luck"),
        ("import does_not_exist", "ModuleNotFoundError: No module named 'does_not_exist'"),
        ("def broken(:", "SyntaxError: invalid syntax (outside_bad.py, line 2)"),
        ("import sys; sys.exit(3)", "it called sys.exit(3) while it was imported"),
        ("exit_code = 1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_what_breaks_at_import_is_recorded_and_the_rest_loads(make_plugin, source, reason) -> None:
    make_plugin("bad", source)
    make_plugin("good", tool("Dig"))
    plugins = load("bad", "good")
    bad = record(plugins, "bad")
    assert (bad.status, bad.reason, bad.provides) == ("failed", reason, ())
    assert "outside_bad" in bad.traceback
    assert record(plugins, "good").status == "loaded"
    assert plugins.registries.tools.names == ("Dig",)


@pytest.mark.parametrize("hook", ["register_tool", "register_toolz", "regster_tools"])
def test_a_misspelt_hook_names_the_near_one_and_adds_nothing(make_plugin, hook: str) -> None:
    source = tool("Dig") + f"\n@hookimpl\ndef {hook}(registrar):\n    pass\n"
    make_plugin("typo", source)
    plugins = load("typo")
    typo = record(plugins, "typo")
    assert (typo.status, typo.provides) == ("failed", ())
    assert typo.reason == f"no hook is called {hook}; did you mean register_tools?"
    assert plugins.registries.tools.names == ()


def test_a_hook_of_an_absent_plugin_is_optional(make_plugin) -> None:
    make_plugin("far", tool("Dig") + "\n@hookimpl\ndef announce_weather(registrar): pass\n")
    far = record(load("far"), "far")
    assert (far.status, far.problems, far.provides) == ("loaded", (), ("tool Dig",))


def test_a_hook_without_its_mark_is_named(make_plugin) -> None:
    make_plugin("bare", "def register_tools(registrar):\n    raise AssertionError('not a hook')")
    bare = record(load("bare"), "bare")
    assert (bare.status, bare.provides) == ("loaded", ())
    assert bare.problems == ("register_tools is not marked with @hookimpl",)


def test_two_that_offer_one_name_are_both_named_and_nobody_gets_it(make_plugin) -> None:
    make_plugin("one", tool("Dig"))
    make_plugin("two", tool("Dig"))
    make_plugin("three", tool("Fill"))
    plugins = load("one", "two", "three")
    tools = plugins.registries.tools
    clash = "tool 'Dig' is offered by one and by two"
    assert record(plugins, "one").problems == record(plugins, "two").problems == (clash,)
    assert record(plugins, "three").problems == ()
    assert (tools.names, "Dig" in tools, tools.owner("Dig")) == (("Fill",), False, "")
    with pytest.raises(ClashError, match=clash) as caught:
        tools.get("Dig")
    assert caught.value.hint == "switch one of them off: tl -x two"
    assert load("one", disabled=frozenset({"two"})).registries.tools.owner("Dig") == "one"


def test_one_plugin_that_offers_a_name_twice_clashes_with_itself(make_plugin) -> None:
    add = '    registrar.add(ToolEntry("Dig", "nowhere:create"))\n'
    make_plugin("twice", f"@hookimpl\ndef register_tools(registrar):\n{add}{add}")
    assert record(load("twice"), "twice").problems == (
        "tool 'Dig' is offered by twice and by twice",
    )


def test_two_distributions_that_offer_one_plugin(make_plugin) -> None:
    make_plugin("same", tool("Dig"), distribution="first")
    make_plugin("same", tool("Dig"), distribution="second")
    same = record(load("same"), "same")
    assert (same.status, same.found.distribution) == ("loaded", "first")
    assert same.problems == ("second offers the same plugin",)


def test_another_api_version_is_told_and_nothing_is_asked(make_plugin) -> None:
    make_plugin("newer", "turnloop_api = 2\n" + tool("Dig"))
    newer = record(load("newer"), "newer")
    assert (newer.status, newer.provides) == ("incompatible", ())
    assert newer.reason == "made for plugin API 2; this is 1"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise KeyError('x')", "register_judges raised KeyError: 'x'"),
        ("raise SystemExit(1)", "register_judges raised SystemExit: 1"),
        (
            "registrar.add('Dig')",
            "register_judges raised TypeError: takes FactoryEntry, not str",
        ),
        (
            "registrar.add(ToolEntry('Dig', ''))",
            "register_judges raised TypeError: takes FactoryEntry, not ToolEntry",
        ),
        (
            "registrar.add(FactoryEntry(None, ''))",
            "register_judges raised TypeError: the name of an entry is text, not None",
        ),
        (
            "registrar.put(1)",
            "register_judges raised AttributeError: 'Registrar' object has no attribute 'put'",
        ),
    ],
)
def test_a_hook_that_raises_midway_adds_nothing_at_all(make_plugin, body: str, reason: str) -> None:
    source = f"""
@hookimpl
def register_judges(registrar):
    registrar.add(FactoryEntry("first", "nowhere:create"))
    {body}
"""
    make_plugin("half", tool("Dig") + source)
    make_plugin("good", tool("Fill"))
    plugins = load("half", "good")
    half = record(plugins, "half")
    assert (half.status, half.reason, half.provides) == ("failed", reason, ())
    assert plugins.registries.judges.names == ()
    assert plugins.registries.tools.names == ("Fill",)


def test_a_hook_takes_no_argument_that_is_not_specified(make_plugin) -> None:
    make_plugin("odd", "@hookimpl\ndef register_tools(registry): pass")
    odd = record(load("odd"), "odd")
    assert odd.status == "failed"
    assert "'registry'" in odd.reason
    assert "\n" not in odd.reason


def test_a_hook_without_arguments_is_called(make_plugin) -> None:
    make_plugin("none", "@hookimpl\ndef register_tools(): raise ValueError('called')")
    assert record(load("none"), "none").reason == "register_tools raised ValueError: called"


def test_an_async_hook_is_told(make_plugin) -> None:
    make_plugin("later", "@hookimpl\nasync def register_tools(registrar): pass")
    later = record(load("later"), "later")
    assert (later.status, later.reason) == (
        "failed",
        "register_tools is async; hooks only register",
    )


def test_damaged_metadata_is_no_reason_to_stop(make_plugin, tmp_path: Path) -> None:
    make_plugin("good", tool("Dig"))
    make_plugin("bare", tool("Fill"))
    (tmp_path / "outside_bare-1.2.dist-info" / "METADATA").unlink()
    plugins = load("good", "bare")
    assert {r.status for r in plugins.records} == {"loaded"}


class TestSwitches:
    def test_what_is_switched_off_is_not_even_imported(self, make_plugin) -> None:
        make_plugin("bad", "raise AssertionError('imported')")
        bad = record(load("bad", disabled=frozenset({"bad"})), "bad")
        assert (bad.status, bad.reason) == ("disabled", "switched off")

    @pytest.mark.parametrize(
        ("value", "loaded"),
        [
            (None, {"one", "two"}),
            ("", set()),
            (" , ", set()),
            ("one", {"one"}),
            (" two , one", {"one", "two"}),
            ("other", set()),
        ],
    )
    def test_turnloop_plugins_is_an_allow_list(self, make_plugin, value, loaded) -> None:
        for name in ("one", "two"):
            make_plugin(name, tool(name))
        environment = {} if value is None else {"TURNLOOP_PLUGINS": value}
        only = Switches.make(environment=environment).only
        plugins = load("one", "two", **({} if only is None else {"only": only}))
        assert set(plugins.registries.tools.names) == loaded
        assert {r.found.name for r in plugins.records if r.status == "loaded"} == loaded
        refused = {r.reason for r in plugins.records if r.status == "disabled"}
        assert refused <= {"not named in TURNLOOP_PLUGINS"}

    def test_switches_from_all_places_add_up(self) -> None:
        switches = Switches.make(["a"], ["b"], {"TURNLOOP_PLUGINS": "a,b"})
        assert switches == Switches(frozenset("a"), frozenset("b"), frozenset("ab"))
        refusals = [switches.refusal(name) for name in "abc"]
        assert refusals == ["switched off", "", "not named in TURNLOOP_PLUGINS"]

    def test_a_required_plugin_that_is_not_there_stops_everything(self, make_plugin) -> None:
        make_plugin("good", tool("Dig"))
        assert load("good", required=frozenset({"good"})).records
        with pytest.raises(PluginError, match=r"plugin gone is required .* not installed"):
            load("good", required=frozenset({"gone"}))
        with pytest.raises(PluginError, match=r"plugin good is required .* disabled: switched off"):
            load("good", required=frozenset({"good"}), disabled=frozenset({"good"}))

    def test_a_required_plugin_that_fails_stops_everything(self, make_plugin) -> None:
        make_plugin("bad", "raise RuntimeError('no')")
        with pytest.raises(PluginError, match=r"bad is required .* failed: RuntimeError: no"):
            load("bad", required=frozenset({"bad"}))


OWNER = """
@hookimpl
def register_hookspecs(registrar):
    registrar.add(SpecsEntry("weather", "outside_specs"))
"""
SPECS = """
@hookspec
def announce_weather(registrar):
    "Offer weather."
"""
IMPLEMENTS = """
@hookimpl
def announce_weather(registrar):
    registrar.add(FactoryEntry({name!r}, "nowhere:create"))
"""


class TestForeignSpecifications:
    def weather(self, plugins: Plugins) -> Registry[FactoryEntry]:
        registry = Registry("weather", FactoryEntry)
        plugins.collect("announce_weather", registry)
        return registry

    def test_the_owner_walks_its_own_hook(self, make_plugin) -> None:
        make_plugin("owner", OWNER, outside_specs=SPECS)
        make_plugin("sun", IMPLEMENTS.format(name="sun"))
        make_plugin("rain", IMPLEMENTS.format(name="rain"))
        plugins = load("owner", "sun", "rain")
        registry = self.weather(plugins)
        assert sorted((entry.name, registry.owner(entry.name)) for entry in registry) == [
            ("rain", "rain"),
            ("sun", "sun"),
        ]
        assert record(plugins, "sun").provides == ("weather sun",)

    def test_a_broken_implementation_harms_neither_owner_nor_others(self, make_plugin) -> None:
        make_plugin("owner", OWNER, outside_specs=SPECS)
        make_plugin("sun", IMPLEMENTS.format(name="sun"))
        make_plugin("hail", "@hookimpl\ndef announce_weather(registrar): raise OSError('hail')")
        plugins = load("owner", "sun", "hail")
        assert self.weather(plugins).names == ("sun",)
        assert record(plugins, "hail").reason == "announce_weather raised OSError: hail"
        assert record(plugins, "owner").status == "loaded"

    def test_a_misfit_is_told_to_the_misfit(self, make_plugin) -> None:
        make_plugin("owner", OWNER, outside_specs=SPECS)
        make_plugin("fog", tool("Dig") + "\n@hookimpl\ndef announce_weather(cloud): pass\n")
        make_plugin("sun", IMPLEMENTS.format(name="sun"))
        plugins = load("owner", "fog", "sun")
        assert self.weather(plugins).names == ("sun",)
        assert record(plugins, "fog").reason == "announce_weather has no argument cloud"
        assert record(plugins, "owner").status == "loaded"
        assert plugins.registries.tools.names == ()

    def test_a_foreign_hook_can_be_misspelt_too(self, make_plugin) -> None:
        specs = SPECS.replace("announce_weather", "register_weather")
        make_plugin("owner", OWNER, outside_specs=specs)
        make_plugin("sun", "@hookimpl\ndef register_wether(registrar): pass")
        sun = record(load("owner", "sun"), "sun")
        assert sun.reason == "no hook is called register_wether; did you mean register_weather?"

    @pytest.mark.parametrize(
        "specs", ["raise OSError('x')", "x = 1", "@hookspec\ndef register_tools(registrar): pass"]
    )
    def test_broken_specifications_are_told_to_their_owner(self, make_plugin, specs: str) -> None:
        make_plugin("owner", tool("Dig") + OWNER, outside_specs=specs)
        make_plugin("good", tool("Fill"))
        plugins = load("owner", "good")
        owner = record(plugins, "owner")
        assert owner.status == "failed"
        assert owner.reason.startswith("hook specifications outside_specs: ")
        assert plugins.registries.tools.names == ("Fill",)

    def test_without_the_owner_the_hook_is_nobodys(self, make_plugin) -> None:
        make_plugin("sun", IMPLEMENTS.format(name="sun"))
        plugins = load("sun")
        assert record(plugins, "sun").status == "loaded"


def test_what_nobody_offers_is_named_with_what_is_near(make_plugin) -> None:
    make_plugin("good", tool("Dig"))
    tools = load("good").registries.tools
    for wanted, hint in (("dog", "did you mean Dig?"), ("xyz", "there are: Dig")):
        with pytest.raises(UnknownNameError, match=f"no tool is called '{wanted}'") as caught:
            tools.get(wanted)
        assert caught.value.hint == hint
