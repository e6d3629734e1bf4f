"""Runs benchmarks, prints what came out, and writes it down.

    python -m bench [NAMES] [--json FILE] [--quick]

Speed is reported, never asserted: the exit status is 0 unless a benchmark itself breaks.
"""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # run as a file: the folder above is where `bench` is found
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench import machine, report
from bench.catalogue import TITLES, load
from bench.measured import Budget


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line names, all without a name."""
    given = _parser().parse_args(arguments)
    names = given.names or list(TITLES)
    result: dict[str, Any] = {
        "v": report.VERSION,
        "quick": given.quick,
        "machine": machine.describe(),
        "versions": machine.versions(),
        "benchmarks": {},
    }
    budgets: dict[str, tuple[Budget, ...]] = {}
    failed = False
    for name in names:
        try:
            with machine.watch() as watch:
                measured = load(name).run(given.quick)
        except Exception:  # noqa: BLE001 - the others are still worth running
            failed = True
            result["benchmarks"][name] = {"error": traceback.format_exc()}
            print(f"\n{name} broke\n{traceback.format_exc()}", file=sys.stderr, flush=True)
            continue
        result["benchmarks"][name] = report.as_json(measured, watch)
        budgets[name] = measured.budgets
        print(report.as_text(f"{name}: {TITLES[name]}", measured, watch), flush=True)
    print(report.budget_table(budgets))
    if given.json:
        given.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return int(failed)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description="Measures turnloop.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TITLES), type=_name)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it works")
    return parser


def _name(text: str) -> str:
    if text not in TITLES:
        raise argparse.ArgumentTypeError(f"there is no {text}; there are {', '.join(TITLES)}")
    return text


if __name__ == "__main__":
    sys.exit(main())
