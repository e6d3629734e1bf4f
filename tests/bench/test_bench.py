"""The benchmarks run, and say what they should. How fast anything is, is nobody's business here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 60.0

NAMES = [
    *("startup", "plugins", "turns", "throughput", "log", "permissions", "tokens", "search"),
    "encode",
]
BUDGETED = {*NAMES} - {"search"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="children are measured by wait4")


def bench(*arguments, program=("-m", "bench"), cwd=ROOT):
    return subprocess.run(
        [sys.executable, *program, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT_S,
    )


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """One quick run of everything: what was printed, and what was written."""
    file = tmp_path_factory.mktemp("bench") / "result.json"
    done = bench("--quick", "--json", file)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout, json.loads(file.read_text("utf-8"))


def test_all_benchmarks_run(quick):
    text, result = quick
    assert list(result["benchmarks"]) == NAMES
    assert (result["v"], result["quick"]) == (1, True)
    for name in NAMES:
        assert f"\n{name}: " in text


def test_where_the_numbers_come_from(quick):
    _, result = quick
    assert set(result) == {"v", "quick", "machine", "versions", "benchmarks"}
    assert {"cpu", "cores", "system", "python", "date", "load_average"} <= set(result["machine"])
    assert result["versions"]["turnloop-core"]
    assert all(result["versions"].values())


def test_figures(quick):
    _, result = quick
    for name, outcome in result["benchmarks"].items():
        assert set(outcome) == {"seconds", "others_cpu", "figures", "budgets", "notes"}, name
        assert outcome["figures"], name
        for figure in outcome["figures"].values():
            assert set(figure) <= {"value", "unit", "runs"}
            assert isinstance(figure["value"], (int, float))
            assert figure["unit"] in {"ms", "us", "s", "MB", "MB/s", "/s", "x", "tokens"}


def test_budgets(quick):
    text, result = quick
    fields = {"name", "value", "limit", "unit", "at_least", "note", "met"}
    found = {name: outcome["budgets"] for name, outcome in result["benchmarks"].items()}
    assert {name for name, budgets in found.items() if budgets} == BUDGETED
    for budget in (each for budgets in found.values() for each in budgets):
        assert set(budget) == fields
        value, limit = budget["value"], budget["limit"]
        assert budget["met"] == (value >= limit if budget["at_least"] else value <= limit)
        assert f"{'kept  ' if budget['met'] else 'MISSED'}  {budget['name']}" in text


def test_both_sides_of_a_ratio_are_there(quick):
    _, result = quick
    figures = result["benchmarks"]["startup"]["figures"]
    for ratio in ("tl --help / import click", "tl --version / bare python"):
        over, under = (figures[name]["value"] for name in ratio.split(" / "))
        assert figures[ratio]["value"] == pytest.approx(over / under, rel=1e-3)
    turns = result["benchmarks"]["turns"]["figures"]
    ours, floor = (turns[f"{who}, 4 turns: overhead"]["value"] for who in ("tl", "floor"))
    assert turns["overhead, 4 turns: tl / floor"]["value"] == pytest.approx(ours / floor, rel=1e-3)


def test_the_history_is_never_rewritten(quick):
    _, result = quick
    (rewrites,) = (b for b in result["benchmarks"]["turns"]["budgets"] if "rewrote" in b["name"])
    assert rewrites["value"] == 0


def test_the_first_request_is_counted_whole(quick):
    _, result = quick
    figures = result["benchmarks"]["tokens"]["figures"]
    parts = [f["value"] for name, f in figures.items() if name.startswith("normal, bytes/4: ")]
    assert parts[0] == sum(parts[1:])
    assert figures["terse, bytes/4: whole"]["value"] < figures["normal, bytes/4: whole"]["value"]
    assert "normal, bytes/4: tool Read" in figures


def test_one_by_name_run_as_a_file_from_elsewhere(tmp_path):
    done = bench("--quick", "throughput", program=(ROOT / "bench" / "run.py",), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "throughput: " in done.stdout
    assert "startup" not in done.stdout


def test_a_name_that_is_none():
    done = bench("start")
    assert done.returncode == 2
    assert "there is no start; there are startup, plugins, turns" in done.stderr


BROKEN = """
import sys
sys.path.insert(0, sys.argv[1])
import bench.encode_bench, bench.run
def run(quick):
    raise RuntimeError("it broke")
bench.encode_bench.run = run
sys.exit(bench.run.main(["--quick", "encode", "permissions", "--json", sys.argv[2]]))
"""


def test_one_that_breaks_is_an_error_and_the_others_run(tmp_path):
    file = tmp_path / "result.json"
    done = bench(ROOT, file, program=("-c", BROKEN))
    result = json.loads(file.read_text("utf-8"))["benchmarks"]
    assert done.returncode == 1
    assert "RuntimeError: it broke" in result["encode"]["error"]
    assert result["permissions"]["figures"]
