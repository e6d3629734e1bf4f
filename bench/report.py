"""The outcome as text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from bench.machine import Watch
from bench.measured import Budget, Measured

VERSION = 1  # of the JSON's shape


def as_json(measured: Measured, watch: Watch) -> dict[str, Any]:
    """One benchmark for the file. What is no number is null."""
    return {
        "seconds": watch.seconds,
        "others_cpu": watch.others,
        "figures": {
            figure.name: {
                "value": _number(figure.value),
                "unit": figure.unit,
                **({"runs": list(figure.runs)} if figure.runs else {}),
            }
            for figure in measured.figures
        },
        "budgets": [
            {**asdict(b), "value": _number(b.value), "met": b.met} for b in measured.budgets
        ],
        "notes": list(measured.notes),
    }


def _number(value: float) -> float | None:
    return round(value, 6) if math.isfinite(value) else None


def as_text(title: str, measured: Measured, watch: Watch) -> str:
    """One benchmark for the reader."""
    others = "" if watch.others is None else f"; others used {watch.others:.0%} of the machine"
    lines = [f"\n{title}  ({watch.seconds:.1f} s{others})"]
    width = max((len(figure.name) for figure in measured.figures), default=0)
    for figure in measured.figures:
        lowest = f"   least {_short(min(figure.runs))}" if len(figure.runs) > 1 else ""
        lines.append(f"  {figure.name:<{width}}  {_short(figure.value):>9} {figure.unit}{lowest}")
    lines += [f"  {note}" for note in measured.notes]
    return "\n".join(lines)


def budget_table(budgets: Mapping[str, tuple[Budget, ...]]) -> str:
    """All budgets, and whether they are kept."""
    rows = [budget for of_one in budgets.values() for budget in of_one]
    if not rows:
        return ""
    width = max(len(budget.name) for budget in rows)
    lines = ["\nbudgets"]
    for budget in rows:
        sign = ">=" if budget.at_least else "<="
        limit = f"{sign} {_short(budget.limit)} {budget.unit}"
        mark = "kept  " if budget.met else "MISSED"
        note = f"   ({budget.note})" if budget.note else ""
        lines.append(f"  {mark}  {budget.name:<{width}}  {_short(budget.value):>9}  {limit}{note}")
    return "\n".join(lines)


def _short(value: float) -> str:
    if not math.isfinite(value):
        return "-"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.3g}"
