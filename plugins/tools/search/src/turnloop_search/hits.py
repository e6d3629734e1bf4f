"""What was found in files, read from the answer that `rg --json` and our own scanner give."""

from __future__ import annotations

import json
import os
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MOST_LINES = 100_000  # matching lines that are counted; then the search ends
LONGEST_LINE = 300  # characters shown of a line
_INPUT = "<stdin>"


@dataclass(slots=True)
class Hit:
    """One file with matches.

    Attributes:
        name: as in the list of files; "" for the one opened file.
        count: matching lines.
        lines: number, text, whether it matches (or stands beside one that does).
        binary: it has a null byte; its lines are not shown.
    """

    name: str
    count: int = 0
    lines: list[tuple[int, str, bool]] = field(default_factory=list)
    binary: bool = False


@dataclass(slots=True)
class Hits:
    """What was found.

    Attributes:
        files: those with matches, in the order of their names.
        unread: files that could not be read, with the reason.
        cut: why there may be more, "" when there is not.
    """

    files: list[Hit] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    cut: str = ""
    _counted: int = 0

    def take(self, line: bytes, *, keep: bool) -> None:
        """Take in one line of the answer; `keep` the text of lines, not only their number."""
        try:
            message = json.loads(line)
            kind, data = message["type"], message["data"]
            if kind == "begin":
                self.files.append(Hit(_name(data["path"])))
            elif kind == "match":
                self._match(self.files[-1], data, keep=keep)
            elif kind == "context":
                self.files[-1].lines.append((data["line_number"], _cut(data, 0), False))
            elif kind == "end" and data["binary_offset"] is not None:
                self.files[-1].binary = True
                self.files[-1].lines.clear()
        except (ValueError, KeyError, IndexError, TypeError):  # a line that was cut by the end
            self.cut = self.cut or "the search program's answer broke off"

    def _match(self, hit: Hit, data: Mapping[str, Any], *, keep: bool) -> None:
        hit.count += 1
        self._counted += 1
        if keep:
            places = data["submatches"]
            start = places[0]["start"] if places else 0
            hit.lines.append((data["line_number"], _cut(data, start), True))
        if self._counted >= MOST_LINES:
            self.cut = f"it ended after {MOST_LINES:,} matching lines"


def _bytes(told: Mapping[str, str]) -> bytes:
    if "bytes" in told:
        return b64decode(told["bytes"])
    return told["text"].encode("utf-8", "surrogatepass")


def _name(told: Mapping[str, str]) -> str:
    name = os.fsdecode(_bytes(told))
    return "" if name == _INPUT else "-" if name == "./-" else name


def _cut(data: Mapping[str, Any], start: int) -> str:
    """A line without its end; a long one around its first match."""
    told = data["lines"]
    more = bool(data.get("cut"))  # the line is longer than what is known of it
    if "text" in told and len(told["text"]) <= LONGEST_LINE and not more:
        return str(told["text"]).rstrip("\r\n")
    line = _bytes(told).rstrip(b"\r\n")
    before = len(line[:start].decode("utf-8", "surrogateescape"))
    text = line.decode("utf-8", "surrogateescape")
    if len(text) <= LONGEST_LINE and not more:
        return text
    first = max(0, min(before - LONGEST_LINE // 3, len(text) - LONGEST_LINE))
    last = first + LONGEST_LINE
    left = f"...{first:,} characters..." if first else ""
    over = "over " if more else ""
    right = f"...{over}{len(text) - last:,} characters..." if last < len(text) else ""
    return f"{left}{text[first:last]}{right}"
