"""Glob and Grep on a large folder, against ripgrep: what they find, and how long it takes."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import anyio

from bench.forest import MARK, plant
from bench.measured import Figure, Measured, figure, ratio
from bench.searching import Ground
from turnloop_core.plugins import Switches, load_plugins
from turnloop_core.registry import load_object
from turnloop_core.testing.contexts import call_context, factory_context
from turnloop_core.testing.project import Project, temporary_project

FILES, ROUNDS = 50_000, 3
EXPRESSIONS = (MARK, r"naïve$", r"^the \w+ is", r"日本\s*x", "no such text")
_ABSENT = "ripgrep is not installed: nothing to compare with."


@contextmanager
def planted(size: int) -> Iterator[tuple[Project, Ground | None]]:
    """A folder with so many files; None in place of what compares, without ripgrep."""
    with temporary_project() as project:
        plant(project.root, project.home, size)
        rg = shutil.which("rg")
        yield project, Ground(project.root, project.home, rg) if rg else None


def differences(ground: Ground) -> list[str]:
    """What ripgrep itself finds otherwise than Glob and Grep on their two roads; none is right."""
    found: list[str] = []
    names, theirs = ground.files(), ground.files_by_rg()
    if names != theirs:
        found.append(f"files: {_some(names, theirs)}")
    for expression in EXPRESSIONS:
        right = ground.lines_by_rg(expression)
        for road in (True, False):
            lines = ground.lines(expression, names, by_rg=road)
            if lines != right:
                who = "with ripgrep" if road else "our own scanner"
                some = _some(sorted(lines.items()), sorted(right.items()))
                found.append(f"{expression}, {who}: {some}")
    return found


def _some(ours: list[Any], theirs: list[Any]) -> str:
    return (
        f"only ours {[x for x in ours if x not in theirs][:5]}, "
        f"only theirs {[x for x in theirs if x not in ours][:5]}"
    )


def caller(project: Project, name: str, path: str, **arguments: Any) -> Callable[[], object]:
    """A call of a tool, `path` being where its programs are."""
    registry = load_plugins(Switches.make()).registries.tools
    entry = registry.get(name)
    tool = load_object(entry.load, registry.owner(name))(factory_context(project, name))
    args = tool.arguments(**arguments)
    context = call_context(
        project, tool.subjects(args, project.scope), environment={"PATH": path} if path else {}
    )
    return lambda: anyio.run(tool.run, args, context)


def times(work: Callable[[], object], rounds: int) -> list[float]:
    """Milliseconds of each round, after one that is not counted."""
    work()
    runs = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        runs.append((time.perf_counter() - began) * 1000)
    return runs


def run(quick: bool) -> Measured:
    size, rounds = (400, 1) if quick else (FILES, ROUNDS)
    with planted(size) as (project, ground):
        nowhere = str(project.outside)
        ours = {
            "Glob **/*.py": caller(project, "Glob", "", pattern="**/*.py"),
            "Grep, by ripgrep": caller(project, "Grep", "", pattern=MARK),
            "Grep, by our own scanner": caller(project, "Grep", nowhere, pattern=MARK),
        }
        if ground is None:
            del ours["Grep, by ripgrep"]
            alone = [figure(what, times(work, rounds), "ms") for what, work in ours.items()]
            return Measured(tuple(alone), (), (_ABSENT,))
        wrong = differences(ground)
        if wrong:
            raise AssertionError("\n".join(wrong))
        files, lines = (
            figure(f"rg {words[0]}", times(partial(ground.run_rg, *words), rounds), "ms")
            for words in (("--files", "--type=py"), ("--line-number", MARK))
        )
        return Measured(tuple(_beside(ours, files, lines, rounds)), (), (_same(ground, size),))


def _beside(
    ours: dict[str, Callable[[], object]], files: Figure, lines: Figure, rounds: int
) -> Iterator[Figure]:
    yield from (files, lines)
    for what, work in ours.items():
        mine = figure(what, times(work, rounds), "ms")
        theirs = files if what.startswith("Glob") else lines
        yield mine
        yield ratio(f"{what} / {theirs.name}", mine.value, theirs.value)


def _same(ground: Ground, size: int) -> str:
    seen = len(ground.files())
    return f"{size:,} files, {seen:,} of them not ignored: both roads found what ripgrep finds."
