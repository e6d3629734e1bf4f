"""What the commands print with: printable, and quiet when the reader has left."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from turnloop_core.frontend.console import printable


def write(text: str = "") -> None:
    """One paragraph on standard output."""
    sys.stdout.write(printable(text) + "\n")


def say_json(**values: Any) -> None:
    """One JSON object on standard output, ASCII only."""
    import json

    sys.stdout.write(json.dumps({"v": 1, **values}, indent=2, default=str) + "\n")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as they need be; the last one is as long as it is."""
    cells = [[printable(cell).replace("\n", " ") for cell in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head) - 1)]
    for row in cells:
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        sys.stdout.write("  ".join([*padded, row[-1]]).rstrip() + "\n")
