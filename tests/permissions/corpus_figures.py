"""Cases judged by the code of `tl permissions check --batch`, and what they come to."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from permissions.corpus_world import CannotBeSetUp, World
from turnloop_core.environment import SessionOptions
from turnloop_core.frontend.commands.permissions_batch import Batch
from turnloop_core.frontend.commands.permissions_setup import builder_for
from turnloop_core.testing.project import bare_environment

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared/corpus/permissions.jsonl"
NEIGHBOURS = Path(__file__).with_name("neighbours.jsonl")
ORDER = ("allow", "ask", "deny")


def read_cases(path: Path) -> list[dict[str, Any]]:
    """The cases of a file; none where it is not there."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


@dataclass
class Figures:
    """What the cases came to.

    Attributes:
        exact: by class, how many are answered as expected.
        loose: cases that are answered less strictly than expected.
        stricter: attacks that are answered more strictly than expected.
        friction: cases that are to be allowed, and are not.
        skipped: case -> why it cannot be set up here.
        wrong: case -> what was wrong with its line.
        classes: by class, how many were judged.
        seconds: that judging took.
    """

    exact: Counter[str] = field(default_factory=Counter)
    loose: list[str] = field(default_factory=list)
    stricter: list[str] = field(default_factory=list)
    friction: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    classes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        return not (self.loose or self.friction or self.wrong)

    def add(self, case: dict[str, Any], answer: dict[str, Any]) -> None:
        name, wanted = case["id"], case["expected"]
        self.classes[class_of(name)] += 1
        if "error" in answer:
            self.wrong[name] = f"{answer['error']} {answer['hint']}".strip()
            return
        difference = ORDER.index(answer["decision"]) - ORDER.index(wanted)
        if difference == 0:
            self.exact[class_of(name)] += 1
        elif difference < 0:
            self.loose.append(name)
        elif wanted == "allow":
            self.friction.append(name)
        else:
            self.stricter.append(name)


def class_of(name: str) -> str:
    return name.rpartition("-")[0]


def make_batch(folder: Path) -> Batch:
    """What judges lines, with the plugins that are installed and nobody's settings."""
    home = folder / "nobody"
    home.mkdir()
    options = SessionOptions(cwd=home, home=home, environment=bare_environment(home))
    return Batch(builder_for(options))


def figures(
    cases: Iterable[dict[str, Any]],
    folder: Path,
    told: Callable[[dict[str, Any], dict[str, Any]], None] = lambda case, answer: None,
) -> Figures:
    """Judge all cases in this process.

    Args:
        cases: as the corpus has them.
        folder: an empty one, for their folders.
        told: is given each case with its answer.
    """
    folder = folder.resolve()
    batch, found, lines, judged = make_batch(folder), Figures(), [], []
    for case in cases:
        world = World(folder / case["id"])
        try:
            world.build(case["cwd_layout"])
        except CannotBeSetUp as reason:
            found.skipped[case["id"]] = str(reason)
            continue
        judged.append(case)
        lines.append(json.dumps(world.line(case)).encode())
    began = time.perf_counter()
    answers = list(batch.answers(lines))
    found.seconds = time.perf_counter() - began
    for case, answered in zip(judged, answers, strict=True):
        found.add(case, answered)
        told(case, answered)
    return found
