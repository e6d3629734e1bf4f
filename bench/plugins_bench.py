"""What importing a provider plugin costs: when it registers, and when it is used.

Measured inside fresh processes, after the core's own part is there, so that only what the plugin
adds is counted.
"""

from __future__ import annotations

import json
import subprocess
import sys
from statistics import median

from bench.measured import Budget, Measured, figure, ratio

ROUNDS = 9
LIMIT_S = 60.0
PLUGINS = {
    "anthropic": "turnloop_anthropic",
    "gemini": "turnloop_gemini",
    "mock": "turnloop_mock",
    "openai-compat": "turnloop_openai_compat",
}
CODE = """
import json, sys, time
def cost(*names):
    began = time.perf_counter()
    for name in names:
        __import__(name)
    return 1e3 * (time.perf_counter() - began)
if sys.argv[1] == "click":
    print(json.dumps([cost("click")]))
else:
    import turnloop_core.api, turnloop_core.registry, turnloop_core.hookspecs
    registers = cost(sys.argv[1] + ".plugin")
    import turnloop_core.app, turnloop_core.transport.client
    import turnloop_core.transport.attempt, turnloop_core.transport.endpoint
    print(json.dumps([registers, cost(sys.argv[1] + ".provider", sys.argv[1] + ".options")]))
"""


def once(package: str) -> list[float]:
    """Milliseconds of one fresh process: to register, and to be used."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, package],
        capture_output=True,
        check=True,
        text=True,
        timeout=LIMIT_S,
    )
    told: list[float] = json.loads(done.stdout)
    return told


def run(quick: bool) -> Measured:
    rounds = 1 if quick else ROUNDS
    names = {"import click": "click", **PLUGINS}
    runs: dict[str, list[list[float]]] = {name: [] for name in names}
    for _ in range(rounds + 1):
        for name, package in names.items():
            runs[name].append(once(package))
    counted = {name: each[1:] for name, each in runs.items()}  # the first compiled the bytecode
    click = median(each[0] for each in counted["import click"])
    figures = [figure("import click", [each[0] for each in counted["import click"]], "ms")]
    budgets = []
    for name in PLUGINS:
        for place, what in enumerate(("to register", "to be used")):
            made = figure(f"{name}: {what}", [each[place] for each in counted[name]], "ms")
            figures.append(made)
        total = median(sum(each) for each in counted[name])
        whole = ratio(f"{name} / import click", total, click)
        figures.append(whole)
        budgets.append(Budget(whole.name, whole.value, 1.0, "x"))
    return Measured(tuple(figures), tuple(budgets), ("Medians; the core is imported before.",))
