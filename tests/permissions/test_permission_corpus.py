"""The corpus of decisions: every case that needs neither the shell parser nor the start-up gate.

Commands are one undecidable subject each, as long as nothing takes them apart. So a command that
is to be allowed by a pattern, or denied for what stands inside it, waits for the parser.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.errors import PathChangedError, TurnloopError
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.paths import open_checked, path_subject
from turnloop_core.permissions.rules import Rule, Rules, parse_rule
from turnloop_core.permissions.urls import url_subject
from turnloop_core.ports.tool import Scope
from turnloop_core.types.subjects import PermissionMode, Subject, SubjectKind

CORPUS = Path(__file__).resolve().parents[3] / "shared/corpus/permissions.jsonl"
CLASSES = ("okfile", "path", "prec", "plan", "self", "inj", "net")
ORDER = ["allow", "ask", "deny"]
KINDS = {"Write": SubjectKind.WRITE, "Edit": SubjectKind.WRITE}
NEEDS_PARSER = {
    "prec-020": "the option before the subcommand is skipped by the shell parser",
    "plan-026": "a command is proved read-only by the shell parser",
}

pytestmark = pytest.mark.skipif(not CORPUS.exists(), reason="the shared corpus is not here")


def cases() -> list[dict[str, Any]]:
    if not CORPUS.exists():
        return []
    found = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").split("\n") if line]
    return [
        case
        for case in found
        if case["id"].split("-")[0] in CLASSES or (case["id"] == "cross-016")  # that is Grep
    ]


@dataclass
class World:
    """The corpus' absolute paths, moved below a temporary folder."""

    top: Path
    folds: bool = False

    def moved(self, text: str) -> str:
        """`/proj/x` and the like as they are here; system paths stay."""
        return re.sub(
            r"(?<![\w.])/(proj|home/dev|outside|data|other)(?=[-/]|$)",
            lambda found: f"{self.top}/{found[1]}",
            text,
        )

    def at(self, entry: str) -> Path:
        return Path(self.moved(entry)) if entry.startswith("/") else self.top / "proj" / entry

    def scope(self) -> Scope:
        root = (self.top / "proj").resolve()
        return Scope(root, root, self.top / "home/dev")

    def build(self, layout: list[str]) -> None:
        for name in ("home/dev", "outside/dir"):
            (self.top / name).mkdir(parents=True)
        if any("/proj is a symlink to /data/proj" in line for line in layout):
            (self.top / "data/proj").mkdir(parents=True)
            (self.top / "proj").symlink_to(self.top / "data/proj")
        else:
            (self.top / "proj").mkdir()
        for line in layout:
            if line.startswith("#"):
                self.folds = self.folds or "case-insensitive" in line
                continue
            self.make(line)

    def make(self, line: str) -> None:
        name, arrow, target = re.fullmatch(r"(.*?)(?: (->|=>) (.*))?", line).groups()  # type: ignore[union-attr]
        path = self.at(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if arrow == "->":
            path.symlink_to(self.moved(target))
        elif arrow == "=>":
            other = self.at(target)
            other.parent.mkdir(parents=True, exist_ok=True)
            other.write_text("x")
            path.hardlink_to(other)
        elif name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.write_text("x")


def subjects(case: dict[str, Any], world: World) -> list[Subject]:
    """What the tool of a case would name."""
    tool, args = case["tool"], case["args"]
    if tool == "Bash":
        text = args["command"]
        if not isinstance(text, str):
            raise TurnloopError("the arguments do not fit the schema")
        text = re.sub(r"[ \t]+", " ", text.strip())
        return [Subject(SubjectKind.COMMAND, text, display=text, dynamic=True)]
    if tool == "WebFetch":
        hops = [args["url"], *args.get("redirect_chain", ())]
        return [url_subject(url, args.get("resolved", ())) for url in hops]
    if tool.startswith("mcp__"):
        return [Subject(SubjectKind.MCP, tool.removeprefix("mcp__"))]
    if tool in ("Read", "Write", "Edit", "Glob", "Grep"):
        path = world.moved(args.get("file_path") or args["path"])
        return [path_subject(path, world.scope(), KINDS.get(tool, SubjectKind.READ))]
    return []  # a name that no tool has


def engine(case: dict[str, Any], world: World) -> Engine:
    def rules(kind: str) -> tuple[Rule, ...]:
        return tuple(parse_rule(world.moved(text), "case") for text in case["rules"][kind])

    lists = Rules(rules("allow"), rules("deny"), rules("ask"))
    mode = PermissionMode(case["mode"])
    return Engine(lists, mode, world.scope(), folds=lambda path: world.folds)


def answer(case: dict[str, Any], world: World) -> str:
    """The verdict; a call that never gets so far counts as denied."""
    read_only = case["tool"] in ("Read", "Glob", "Grep", "WebFetch")
    try:
        found = subjects(case, world)
    except TurnloopError:
        return "deny"
    return engine(case, world).decide(case["tool"], found, read_only=read_only).verdict.value


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_a_case_is_answered_strictly_enough(case: dict[str, Any], tmp_path: Path) -> None:
    if case["id"] in NEEDS_PARSER:
        pytest.skip(NEEDS_PARSER[case["id"]])
    world = World(tmp_path.resolve())
    world.build(case["cwd_layout"])
    if case["args"].get("phase") == "execute":
        pytest.skip("tested below, where it is executed")
    found, expected = answer(case, world), case["expected"]
    assert ORDER.index(found) >= ORDER.index(expected), case["why"]
    assert found == "allow" or expected != "allow", case["why"]


def test_the_figures(tmp_path: Path, record_property: Any) -> None:
    figures: Counter[str] = Counter()
    stricter = []
    for case in cases():
        if case["id"] in NEEDS_PARSER or case["args"].get("phase") == "execute":
            figures["skipped"] += 1
            continue
        world = World(tmp_path.resolve() / case["id"])
        world.top.mkdir()
        world.build(case["cwd_layout"])
        difference = ORDER.index(answer(case, world)) - ORDER.index(case["expected"])
        figures["too loose" if difference < 0 else "stricter" if difference else "exact"] += 1
        if difference > 0:
            stricter.append(case["id"])
    record_property("figures", dict(figures))
    assert figures["too loose"] == 0
    # A NUL in a path and arguments of the wrong type are errors before they are questions.
    assert stricter == ["path-024", "inj-009"]
    assert figures["skipped"] == 3
    assert figures["exact"] == len(cases()) - 5


def test_the_case_that_changes_before_it_is_executed(tmp_path: Path) -> None:
    case = next(case for case in cases() if case["id"] == "path-044")
    world = World(tmp_path.resolve())
    world.build(["src/out/"])
    [judged] = subjects(case, world)
    assert engine(case, world).decide("Write", [judged], read_only=False).verdict == "allow"
    (world.top / "proj/src/out").rmdir()
    (world.top / "proj/src/out").symlink_to("/etc")
    with pytest.raises(PathChangedError):
        open_checked(judged, "wb")
    [again] = subjects(case, world)
    assert engine(case, world).decide("Write", [again], read_only=False).verdict == "ask"


def test_the_cases_can_fail(tmp_path: Path) -> None:
    """The judge of the cases would notice an engine that allows what it should not."""
    case = next(case for case in cases() if case["id"] == "path-034")
    world = World(tmp_path.resolve())
    world.build(case["cwd_layout"])
    loose = replace(engine(case, world), rules=Rules())
    assert answer(case, world) == "deny"
    assert loose.decide("Read", subjects(case, world), read_only=True).verdict == "allow"
