"""Which files below a searched folder a call may read: the engine's word, only faster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import given, settings, strategies as st

from harness import FakeTool, opened, run
from turnloop_core.loop.reading import Reading
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import DEFAULT_DENY, Rule, Rules, parse_rule
from turnloop_core.ports.tool import CallContext, Scope
from turnloop_core.testing.fakes import call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.results import Result
from turnloop_core.types.subjects import Decision, PermissionMode, Subject, SubjectKind, Verdict

SCOPE = Scope(Path("/nowhere/proj"), Path("/nowhere/proj"), Path("/nowhere/home/op"))
FOLDER = Subject(SubjectKind.READ, "/nowhere/proj")


@dataclass
class Door:
    """What a reading needs of a gate."""

    engine: Engine

    def decide(self, tool: str, subjects: Any, *, read_only: bool) -> Decision:
        return self.engine.decide(tool, subjects, read_only=read_only)


def rules(*texts: str) -> tuple[Rule, ...]:
    return tuple(parse_rule(text, "test") for text in texts)


def engine(mode: str = "default", *, folds: bool = False, checks: Any = (), **lists: Any) -> Engine:
    held = Rules(**{name: rules(*texts) for name, texts in lists.items()})
    return Engine(held, PermissionMode(mode), SCOPE, checks, folds=lambda _path: folds)


def reading(made: Engine, *folders: str, tool: str = "Grep") -> Reading:
    subjects = [Subject(SubjectKind.READ, folder) for folder in folders or ("/nowhere/proj",)]
    return Reading(Door(made), tool, subjects)  # type: ignore[arg-type]


_names = st.sampled_from(["a", "b", "src", ".env", "x.py", "A", "ß", "K", "key.pem", "op"])
_paths = st.lists(_names, min_size=1, max_size=4).map(lambda n: "/nowhere/proj/" + "/".join(n))
_globs = st.builds(
    lambda root, names: root + "/".join(names),
    st.sampled_from(["", "/nowhere/proj/", "~/", "**/"]),
    st.lists(
        st.one_of(_names, st.sampled_from(["*", "**", "*.py", "?", "[ab]", "{a,B}", "*e*"])),
        min_size=1,
        max_size=3,
    ),
)
_rules = st.lists(
    st.one_of(
        st.builds(lambda n, g: f"{n}({g})", st.sampled_from(["Read", "Grep", "Edit"]), _globs),
        st.sampled_from(["Read", "Grep", "Bash", "Bash(rm *)", "mcp__docs"]),
    ),
    max_size=3,
)


@settings(max_examples=200, deadline=None)
@given(_rules, _rules, _rules, _paths, st.booleans(), st.sampled_from(list(PermissionMode)))
def test_it_says_what_the_engine_says(allow, deny, ask, path, folds, mode) -> None:
    made = engine(mode, folds=folds, allow=allow, deny=deny, ask=ask)
    decision = made.decide("Grep", (Subject(SubjectKind.READ, path),), read_only=True)
    assert reading(made).may(path) is (decision.verdict is Verdict.ALLOW)


def test_most_files_are_not_asked_about() -> None:
    made = Engine(Rules(deny=DEFAULT_DENY), PermissionMode.DEFAULT, SCOPE)
    asked = []

    class Counting(Door):
        def decide(self, tool: str, subjects: Any, *, read_only: bool) -> Decision:
            asked.append(subjects[0].narrow)
            return super().decide(tool, subjects, read_only=read_only)

    may = Reading(Counting(made), "Grep", [FOLDER]).may  # type: ignore[arg-type]
    names = ["a.py", "turnloop/x.py", ".env", ".env.example", "keys/server.pem"]
    allowed = {name: may(f"/nowhere/proj/{name}") for name in names}
    assert allowed == {
        "a.py": True,
        "turnloop/x.py": True,
        ".env": False,
        ".env.example": True,
        "keys/server.pem": False,
    }
    assert asked == [f"/nowhere/proj/{name}" for name in names[2:]]


def test_consent_for_a_folder_outside_covers_its_files_but_no_rule() -> None:
    may = reading(engine(deny=["Read(**/x)"], ask=["Read(**/y)"]), "/far").may
    assert {name: may(f"/far/{name}") for name in "axy"} == {"a": True, "x": False, "y": False}
    assert not may("/elsewhere/a")
    assert not may("/farther/a")


def test_what_was_judged_itself_may_be_read() -> None:
    assert reading(engine(ask=["Read(**/y)"]), "/nowhere/proj/y").may("/nowhere/proj/y")


def test_checks_of_plugins_count() -> None:
    class NoOdd:
        name = "no_odd"

        def check(self, tool: str, subjects: Any, mode: Any, decision: Any) -> Any:
            return (Verdict.DENY, "odd") if "odd" in subjects[0].narrow else None

    may = reading(engine(checks=(NoOdd(),))).may
    assert (may("/nowhere/proj/odd"), may("/nowhere/proj/even")) == (False, True)


def test_a_rule_that_comes_later_counts() -> None:
    door = Door(engine())
    may = Reading(door, "Grep", [FOLDER]).may  # type: ignore[arg-type]
    assert may("/nowhere/proj/a")
    door.engine = door.engine.with_rule("deny", "Grep(a)")
    assert not may("/nowhere/proj/a")


def test_a_running_call_is_told() -> None:
    told: dict[str, bool] = {}

    async def scenario() -> None:
        with temporary_project({"a.py": "x", ".env": "x"}) as project:

            def look(args: Any, context: CallContext) -> Result:
                for name in ("a.py", ".env", "b.py"):
                    told[name] = context.readable(str(project.path(name)))
                return Result.say("looked")

            tool = FakeTool(behaviour=look)
            say = call("Say", {"text": "x"})
            async with opened(
                project, say, "ok", tools=[tool], extra_rules={"deny": ("Say(b.py)",)}
            ) as o:
                await o.session.run("go")

    run(scenario)
    assert told == {"a.py": True, ".env": False, "b.py": False}
