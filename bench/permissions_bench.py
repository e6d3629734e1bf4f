"""Decisions a second: what a call touches, and what the engine says of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from bench.measured import Measured, figure
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import DEFAULT_DENY, Rules, parse_rule
from turnloop_core.plugins import Switches, load_plugins
from turnloop_core.registry import load_object
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.types.subjects import PermissionMode

SECONDS = 0.5
ROUNDS = 3
ALLOW = ("Read(src/**)", "Edit(src/**)", "Bash(git status)", "Bash(pytest *)", "Bash(ls *)")
DENY = ("Read(**/*.pem)", "Edit(docs/**)", "Bash(rm *)", "Bash(curl *)", "Bash(git push *)")
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "a path": ("Read", {"file_path": "src/package/module.py"}),
    "a command": ("Bash", {"command": "git status"}),
    "a line of commands": ("Bash", {"command": "cd src && ls -la | head -3 && pytest -x 2>&1"}),
}


def engine(project: Project) -> Engine:
    """The rules of a project that has a few."""
    allow = tuple(parse_rule(text, "bench") for text in ALLOW)
    deny = (*DEFAULT_DENY, *(parse_rule(text, "bench") for text in DENY))
    return Engine(Rules(allow, deny, ()), PermissionMode.DEFAULT, project.scope)


def decider(project: Project, name: str, arguments: dict[str, Any]) -> Callable[[], object]:
    """One decision: subjects of a call, as its tool names them, before the engine."""
    plugins = load_plugins(Switches.make())
    registry = plugins.registries.tools
    entry = registry.get(name)
    make = load_object(entry.load, registry.owner(name))
    tool = make(factory_context(project, name))
    args, rules = tool.arguments(**arguments), engine(project)

    def decide() -> object:
        subjects = tool.subjects(args, project.scope)
        return rules.decide(name, subjects, read_only=entry.read_only)

    return decide


def rate(work: Callable[[], object], seconds: float) -> float:
    """How often a second."""
    work()
    count, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        work()
        count += 1
    return count / passed


def run(quick: bool) -> Measured:
    seconds, rounds = (0.01, 1) if quick else (SECONDS, ROUNDS)
    figures = []
    with temporary_project({"src/package/module.py": "x = 1\n"}) as project:
        for what, (name, arguments) in CALLS.items():
            decide = decider(project, name, arguments)
            runs = [rate(decide, seconds) for _ in range(rounds)]
            figures.append(figure(f"decisions on {what}", runs, "/s"))
    rules = len(ALLOW) + len(DENY)
    return Measured(tuple(figures), (), (f"{rules} rules beside the shipped ones, default mode.",))
