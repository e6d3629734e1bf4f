"""A test for each hook: what a plugin registers there is what core uses.

`test_every_hook_has_its_test` holds that none is missing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from harness import FakeTool, opened, run
from turnloop_core import hookspecs
from turnloop_core.plugins import Plugins, Switches, load_plugins
from turnloop_core.ports.compactor import Plan
from turnloop_core.ports.interceptor import NOTHING, Intervention
from turnloop_core.ports.judge import Halt
from turnloop_core.registry import Registry, load_object
from turnloop_core.testing.cli import run_tl
from turnloop_core.testing.fakes import RecordingObserver, call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.events import RunEnd
from turnloop_core.types.results import ErrorKind
from turnloop_core.types.subjects import SubjectKind, Verdict


def loaded(name: str) -> Plugins:
    """Only this plugin, loaded as a start loads it."""
    plugins = load_plugins(Switches(only=frozenset({name})))
    (record,) = [r for r in plugins.records if r.found.name == name]
    assert (record.status, record.problems) == ("loaded", ())
    return plugins


def tl(tmp_path: Path, *arguments: str, stdin: str = "") -> Any:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return run_tl(*arguments, home=home, env={"PYTHONPATH": os.environ["PYTHONPATH"]}, stdin=stdin)


def test_every_hook_has_its_test() -> None:
    hooks = {name for name in vars(hookspecs) if name.startswith("register_")}
    tests = {name.removeprefix("test_") for name in globals() if name.startswith("test_register")}
    assert tests == hooks


def test_register_hookspecs(make_plugin) -> None:
    source = """
        @hookimpl
        def register_hookspecs(registrar):
            registrar.add(SpecsEntry("flavours", "outside_specs"))

        @hookimpl
        def register_flavours(registrar):
            registrar.add(FactoryEntry("sweet", "x:y"))
        """
    specs = "import pluggy\n@hookspec\ndef register_flavours(registrar):\n    'Offer flavours.'\n"
    make_plugin("own-hooks", source, outside_specs=specs)
    plugins = loaded("own-hooks")
    flavours: Registry[Any] = Registry("flavour")
    plugins.collect("register_flavours", flavours)
    assert flavours.names == ("sweet",)


def test_register_providers(make_plugin, tmp_path: Path) -> None:
    source = """
        class Parrot:
            name, model = "parrot", "p-1"
            def capabilities(self, model): return Capabilities(known=True)
            async def stream(self, request):
                yield TextDelta("squawk")
                yield End(StopReason.END_TURN)
            async def aclose(self): pass

        def create(context): return Parrot()

        @hookimpl
        def register_providers(registrar):
            registrar.add(ProviderEntry(
                "parrot", "outside_parrot:create", "turnloop_core.context:ProviderOptions",
                {"parrot": {}},
            ))
        """
    make_plugin("parrot", source)
    done = tl(tmp_path, "--provider", "parrot", "-p", "hello")
    assert (done.returncode, done.stdout) == (0, "squawk\n")


def test_register_tools() -> None:
    async def scenario() -> None:
        say = FakeTool()
        with temporary_project() as project:
            async with opened(project, call("Say", {"text": "x"}), "ok", tools=[say]) as o:
                await o.session.run("go")
                assert [t.name for t in o.provider.requests[0].view.prefix.tools] == ["Say"]
                assert [a.text for a in say.ran] == ["x"]

    run(scenario)


def test_register_tool_sources() -> None:
    from contextlib import asynccontextmanager

    from turnloop_core.ports.tool import SourcedTool

    class Source:
        name = "server"

        @asynccontextmanager
        async def open(self, scope):
            yield [SourcedTool(FakeTool("Far"), read_only=True)]

    async def scenario() -> None:
        with temporary_project() as project:
            more = {"tool_sources": [Source()]}
            async with opened(project, call("Far", {"text": "x"}), "ok", more=more) as o:
                await o.session.run("go")
                assert next(o.session.view.turns).results[0].text == "x"

    run(scenario)


def test_register_compactors() -> None:
    class Idle:
        name = "idle"
        asked = 0

        def plan(self, view, budget, capabilities):
            Idle.asked += 1
            return Plan()

    async def scenario() -> None:
        with temporary_project() as project:
            more = {"compactors": [Idle()]}
            settings = {"compaction": {"strategy": "idle"}}
            async with opened(project, "ok", more=more, settings=settings) as o:
                await o.session.run("go")
                assert Idle.asked == 1

    run(scenario)


def test_register_judges() -> None:
    class Stern:
        name = "stern"

        async def judge(self, run, context):
            return Halt("enough")

    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, "ok", more={"judges": [Stern()]}) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.reason) == (RunEnd.HALTED, "enough")

    run(scenario)


def test_register_permission_checks() -> None:
    class Never:
        name = "never"

        def check(self, tool, subjects, mode, so_far):
            return Verdict.DENY, "not on a Monday"

    async def scenario() -> None:
        tool = FakeTool(subject=SubjectKind.COMMAND, read_only=False)
        with temporary_project() as project:
            async with opened(
                project,
                call("Say", {"text": "x"}),
                "ok",
                tools=[tool],
                permission_mode="bypass",
                more={"permission_checks": [Never()]},
            ) as o:
                await o.session.run("go")
                (result,) = next(o.session.view.turns).results
                assert (result.error, tool.ran) == (ErrorKind.DENIED, [])
                assert "not on a Monday" in result.text

    run(scenario)


def test_register_interceptors() -> None:
    class Guard:
        name = "guard"

        async def before_prompt(self, text):
            return Intervention(add_text="by the way")

        async def before_call(self, call, arguments):
            return NOTHING

        async def after_call(self, call, result):
            return NOTHING

        async def before_compact(self, reason):
            return NOTHING

        async def on_stop(self, reason):
            return NOTHING

    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, "ok", more={"interceptors": [Guard()]}) as o:
                await o.session.run("go")
                assert "by the way" in str(o.provider.requests[0].view.items[0])

    run(scenario)


def test_register_graders(make_plugin) -> None:
    source = """
        def create(context): return "a grader"

        @hookimpl
        def register_graders(registrar):
            registrar.add(FactoryEntry("strict", "outside_strict:create"))
        """
    make_plugin("strict", source)
    entry = loaded("strict").registries.graders.get("strict")
    assert load_object(entry.load)(None) == "a grader"


def test_register_observers() -> None:
    async def scenario() -> None:
        observer = RecordingObserver("watcher")
        with temporary_project() as project:
            async with opened(project, "ok", more={"observers": [observer]}) as o:
                await o.session.run("go")
            assert observer.kinds[0] == "run_started"
            assert observer.kinds[-1] == "run_ended"

    run(scenario)


def test_register_prompt_sections(make_plugin) -> None:
    source = """
        def render(context): return f"Speak of {context.model}."

        @hookimpl
        def register_prompt_sections(registrar):
            registrar.add(SectionEntry("fixed", 900, text="Be kind."))
            registrar.add(SectionEntry("made", 901, "outside_manners:render"))
            registrar.add(SectionEntry("rare", 902, text="Rarely.", variants=("careful",)))
        """
    make_plugin("manners", source)
    from turnloop_core.context import SectionContext
    from turnloop_core.prompt.render import core_sections, render_system

    with temporary_project() as project:
        sections = (*core_sections(), *loaded("manners").registries.prompt_sections)
        text = {
            variant: render_system(sections, SectionContext(project.scope, variant, (), "m-1"))
            for variant in ("default", "careful")
        }
    assert "Be kind." in text["default"]
    assert "Speak of m-1." in text["default"]
    assert "Rarely." not in text["default"]
    assert "Rarely." in text["careful"]


def test_register_commands(make_plugin, tmp_path: Path) -> None:
    source = """
        @hookimpl
        def register_commands(registrar):
            registrar.add(CommandEntry("greet", "Say hello.", "outside_greet_command:greet"))
        """
    command = "import click\n@click.command()\ndef greet():\n    click.echo('hello there')\n"
    make_plugin("greeting", source, outside_greet_command=command)
    assert "Say hello." in tl(tmp_path, "--help").stdout
    assert tl(tmp_path, "greet").stdout == "hello there\n"


def test_register_slash_commands(make_plugin) -> None:
    source = """
        async def shout(arguments, session): return arguments.upper()

        @hookimpl
        def register_slash_commands(registrar):
            registrar.add(SlashEntry("shout", "Shout.", "outside_shout:shout"))
        """
    make_plugin("shout", source)
    entry = loaded("shout").registries.slash_commands.get("shout")
    assert entry.help == "Shout."

    async def scenario() -> None:
        assert await load_object(entry.load)("x", None) == "X"

    run(scenario)


def test_register_settings(make_plugin, tmp_path: Path) -> None:
    source = """
        @hookimpl
        def register_settings(registrar):
            registrar.add(SettingsEntry(
                "tea", "outside_tea_settings:Tea", {"tea": {"cups": 3}, "max_iterations": 7},
            ))
        """
    section = (
        "import dataclasses\n@dataclasses.dataclass(frozen=True)\n"
        "class Tea:\n    cups: int = 1\n    milk: bool = False\n"
    )
    make_plugin("tea", source, outside_tea_settings=section)
    shown = tl(tmp_path, "config").stdout
    assert "tea.cups" in shown
    assert "max_iterations" in shown
    assert "7" in shown
    folder = tmp_path / "home" / ".turnloop"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text('{"tea": {"cusp": 2}}')
    wrong = tl(tmp_path, "-p", "x")
    assert wrong.returncode == 2
    assert "settings.json:1" in wrong.stderr
    assert "cups" in wrong.stderr


def test_register_doctor_checks(make_plugin, tmp_path: Path) -> None:
    source = """
        def check(context):
            return [DoctorLine("error", "kettle", "it is cold", "switch it on")]

        @hookimpl
        def register_doctor_checks(registrar):
            registrar.add(DoctorEntry("kettle", "outside_kettle:check"))
        """
    make_plugin("kettle", source)
    done = tl(tmp_path, "doctor")
    assert done.returncode == 1
    assert "it is cold" in done.stdout
    assert "switch it on" in done.stdout
