"""Decisions a second: what a call touches, and what the engine says of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from bench.measured import Budget, Figure, Measured, figure, ratio
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import DEFAULT_DENY, Rules, parse_rule
from turnloop_core.plugins import Switches, load_plugins
from turnloop_core.registry import load_object
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.types.subjects import PermissionMode

SECONDS = 0.3
ROUNDS = 3
AT_LEAST = 1_000.0  # decisions a second
ALLOW = ("Read(src/**)", "Edit(src/**)", "Bash(git status)", "Bash(pytest *)", "Bash(ls *)")
DENY = ("Read(**/*.pem)", "Edit(docs/**)", "Bash(rm *)", "Bash(curl *)", "Bash(git push *)")
MESSAGE = "git commit -m \"$(cat <<'EOF'\nFix the parser\n\nIt lost the last line.\nEOF\n)\""
LOOP = 'for f in src/package/*.py; do if grep -q x "$f"; then wc -l "$f"; fi; done'
NESTED = """timeout 5 env A=1 bash -c 'find . -name "*.py" -exec sh -c "echo $(pwd)" \\;'"""
SCRIPT = """\
set -e
# What the project looks like
git status --short && git log --oneline -5
for folder in src tests; do
  find "$folder" -name '*.py' | xargs wc -l | tail -1
done
if [ -f pyproject.toml ]; then
  head -20 pyproject.toml
fi
pytest -q --tb=short 2>&1 | tail -20
"""
SCRIPT_NAME = "a script of ten lines"
COMMANDS: dict[str, str] = {
    "a command": "git status",
    "a line of commands": "cd src && ls -la | head -3 && pytest -x 2>&1",
    "a commit with a heredoc": MESSAGE,
    "a loop over files": LOOP,
    "code within code": NESTED,
    SCRIPT_NAME: SCRIPT,
}
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "a path": ("Read", {"file_path": "src/package/module.py"}),
    **{what: ("Bash", {"command": command}) for what, command in COMMANDS.items()},
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


def grammar(text: str) -> Callable[[], object]:
    """One bare parse by the grammar of the shell: no decision can cost less."""
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    parser, data = Parser(Language(tree_sitter_bash.language())), text.encode()
    return lambda: parser.parse(data)


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
    figures: list[Figure] = []
    parses: list[Figure] = []
    with temporary_project({"src/package/module.py": "x = 1\n", "pyproject.toml": ""}) as project:
        for what, (name, arguments) in CALLS.items():
            decide = decider(project, name, arguments)
            bare = grammar(COMMANDS[what]) if what in COMMANDS else None
            runs: list[tuple[float, float]] = []
            for _ in range(rounds):  # a round measures both sides, so that they share its weather
                parsed = rate(bare, seconds / 10) if bare else 0.0
                runs.append((rate(decide, seconds), parsed))
            figures.append(figure(f"decisions on {what}", [ours for ours, _ in runs], "/s"))
            if bare is not None:
                floor = figure(f"bare parses of {what}", [theirs for _, theirs in runs], "/s")
                share = f"cost of {what}: decision / bare parse"
                parses += [floor, ratio(share, floor.value, figures[-1].value)]
    budgets = tuple(
        Budget(each.name, each.value, AT_LEAST, "/s", at_least=True)
        for each in figures
        if SCRIPT_NAME not in each.name
    )
    rules = len(ALLOW) + len(DENY)
    note = f"{rules} rules beside the shipped ones, default mode, one core."
    more = "A script is one decision over a dozen commands, and has no budget of its own."
    return Measured((*figures, *parses), budgets, (note, more))
