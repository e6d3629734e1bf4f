"""The corpus of decisions, and our own neighbours of its cases, through the code of the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from permissions.corpus_figures import (
    CORPUS,
    NEIGHBOURS,
    Figures,
    class_of,
    figures,
    make_batch,
    read_cases,
)
from permissions.corpus_world import CannotBeSetUp, World
from turnloop_core.errors import PathChangedError
from turnloop_core.permissions.paths import open_checked, path_subject
from turnloop_core.ports.tool import Scope
from turnloop_core.types.subjects import SubjectKind

FILES = {"corpus": CORPUS, "neighbours": NEIGHBOURS}
CLASSES = (
    *("ok", "okfile", "cmp", "sub", "wrap", "quote", "parse", "gtfo", "env", "redir", "dyn"),
    *("path", "shpath", "plan", "prec", "auto", "cross", "trust", "self", "net", "inj"),
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Figures]:
    return {
        name: figures(read_cases(path), tmp_path_factory.mktemp(name))
        for name, path in FILES.items()
        if path.exists()
    }


def of(found: dict[str, Figures], name: str) -> Figures:
    if name not in found:
        pytest.skip("the shared corpus is not here")
    return found[name]


@pytest.mark.parametrize("name", FILES)
def test_every_line_is_answered(found: dict[str, Figures], name: str) -> None:
    assert of(found, name).wrong == {}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("family", CLASSES)
def test_no_case_is_answered_too_loosely(found: dict[str, Figures], name: str, family: str) -> None:
    assert [case for case in of(found, name).loose if is_of(case, family)] == []


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("family", CLASSES)
def test_what_is_to_be_allowed_is_not_asked_about(
    found: dict[str, Figures], name: str, family: str
) -> None:
    assert [case for case in of(found, name).friction if is_of(case, family)] == []


def is_of(case: str, family: str) -> bool:
    return class_of(case).removeprefix("nb-") == family


@pytest.mark.parametrize("name", FILES)
def test_the_figures(found: dict[str, Figures], name: str, record_property: Any) -> None:
    told, cases = of(found, name), read_cases(FILES[name])
    record_property("figures", {"exact": sum(told.exact.values()), "stricter": told.stricter})
    assert sum(told.classes.values()) + len(told.skipped) == len(cases)
    assert sum(told.exact.values()) + len(told.stricter) == sum(told.classes.values())
    # What this machine is not: another shell, a file system that takes a and A for the same.
    for case, reason in told.skipped.items():
        assert reason.startswith(("shell: zsh", "file system: case-")), case
    assert len(told.skipped) <= 4


def test_our_own_cases_are_of_every_class_and_have_names_of_their_own() -> None:
    cases = read_cases(NEIGHBOURS)
    assert {class_of(case["id"]).removeprefix("nb-") for case in cases} == set(CLASSES)
    assert len({case["id"] for case in cases}) == len(cases)
    assert len(cases) >= 150


def test_a_looser_answer_is_noticed() -> None:
    case = {"id": "x-001", "expected": "deny", "why": ""}
    told = Figures()
    for decision in ("allow", "ask", "deny"):
        told.add(case, {"decision": decision})
    told.add({"id": "x-002", "expected": "allow"}, {"decision": "ask"})
    told.add({"id": "x-003", "expected": "ask"}, {"decision": "deny"})
    told.add({"id": "x-004", "expected": "ask"}, {"error": "no", "hint": "yes"})
    assert (told.loose, told.friction, told.stricter) == (["x-001"] * 2, ["x-002"], ["x-003"])
    assert (told.wrong, told.exact["x"], told.good) == ({"x-004": "no yes"}, 1, False)


def test_a_case_without_its_deny_rules_is_noticed(tmp_path: Path) -> None:
    cases = [case for case in read_cases(NEIGHBOURS) if class_of(case["id"]) == "nb-path"]
    without = [{**case, "rules": {**case["rules"], "deny": []}} for case in cases]
    assert figures(without, tmp_path).loose != []


def test_a_condition_that_nobody_can_set_up_is_said(tmp_path: Path) -> None:
    with pytest.raises(CannotBeSetUp, match="shell: zsh"):
        World(tmp_path / "a").build(["# shell: zsh"])
    with pytest.raises(CannotBeSetUp, match="the moon is full"):
        World(tmp_path / "b").build(["# the moon is full"])


def test_what_a_world_sets_up(tmp_path: Path) -> None:
    world = World(tmp_path.resolve() / "w")
    world.build(
        [
            "# /proj is a symlink to /data/proj",
            "# tool (executable script)",
            "# vendor/x.git/config sets core.pager",
            "src/a.py",
            "src/out -> /outside",
            "b => /outside/b",
            "# folder: trusted by the user",
        ]
    )
    assert world.cwd.resolve() == world.top / "data/proj"
    assert (world.cwd / "tool").stat().st_mode & 0o100
    assert (world.cwd / "vendor/x.git/config").is_file()
    assert (world.cwd / "src/out").resolve() == world.top / "outside"
    assert (world.cwd / "b").stat().st_nlink == 2
    trusted = json.loads((world.home / ".turnloop/trust.json").read_text())
    assert str(world.cwd.resolve()) in trusted["folders"]
    assert world.moved("cat /proj/x /project ~/data /home/dev/y") == (
        f"cat {world.top}/proj/x /project ~/data {world.top}/home/dev/y"
    )


def test_a_folder_that_changes_between_consent_and_use(tmp_path: Path) -> None:
    """What was judged is what is opened; asked again, the engine sees where the path leads now."""
    world = World(tmp_path.resolve() / "w")
    world.build(["src/out/"])
    scope = Scope(world.cwd, world.cwd, world.home)
    judged = path_subject("src/out/hosts", scope, SubjectKind.WRITE)
    line = {
        "tool": "Write",
        "args": {"file_path": "src/out/hosts", "content": "x", "approved_realpath": judged.narrow},
        "rules": {"allow": ["Write(src/**)"]},
        "cwd": str(world.cwd),
        "home": str(world.home),
    }
    batch = make_batch(tmp_path)

    def decision() -> str:
        [found] = batch.answers([json.dumps(line).encode()])
        return str(found["decision"])

    assert decision() == "allow"
    (world.cwd / "src/out").rmdir()
    (world.cwd / "src/out").symlink_to("/etc")
    with pytest.raises(PathChangedError):
        open_checked(judged, "wb")
    assert decision() == "ask"
