"""Says why a passage was not found: where it nearly fits, and what differs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from turnloop_files.answers import join_numbers
from turnloop_files.document import printable, split_lines

_BLANKS = re.compile(r"[ \t\u00a0]+")
_NUMBERED = re.compile(r"^ *\d+\t", re.MULTILINE)
_MOST_LINES = 5_000
_MOST_SQUEEZED = 100_000
_MOST_TWINS = 20
_LONGEST = 300
_COMPARED = 1_000
_SHOWN = 12
_LIKE = 0.6


@dataclass(frozen=True, slots=True)
class Nearest:
    """The place where the passage nearly fits.

    Attributes:
        line: where it begins.
        end: its last line.
        likeness: 0 to 1; 1 when only white space differs.
        text: what to tell the model.
    """

    line: int
    end: int
    likeness: float
    text: str


def explain(text: str, wanted: str) -> Nearest | None:
    """Why `wanted` is not in `text`, None when nothing comes near. The work is bounded."""
    text, wanted = text.replace("\r\n", "\n"), wanted.replace("\r\n", "\n")
    bare = _NUMBERED.sub("", wanted)
    if bare != wanted and bare in text:
        line = text.count("\n", 0, text.find(bare)) + 1
        words = f"It fits at line {line} without the line numbers: leave out number and tab."
        return Nearest(line, line + bare.count("\n"), 1.0, words)
    lines, sought = split_lines(text), split_lines(wanted)
    loose = _loose_places(lines, sought)
    if loose:
        if len(loose) > 1:
            head = (
                f"Ignoring white space it fits {len(loose)} places (lines {join_numbers(loose)})."
            )
        else:
            head = f"Ignoring white space it fits at line {loose[0]}."
        return _told(lines, sought, loose[0] - 1, 1.0, head)
    start = _most_like(lines, sought)
    if start is None:
        return None
    like = likeness("\n".join(lines[start : start + len(sought)]), "\n".join(sought))
    return _told(lines, sought, start, like, f"The nearest passage is at line {start + 1}.")


def likeness(one: str, other: str) -> float:
    """How much two passages have in common, 0 to 1, by their beginnings."""
    from difflib import SequenceMatcher

    return SequenceMatcher(None, one[:_COMPARED], other[:_COMPARED], autojunk=False).ratio()


def _squeezed(line: str) -> str:
    return _BLANKS.sub(" ", line).strip()


def _loose_places(lines: Sequence[str], sought: Sequence[str]) -> list[int]:
    wanted = "\n".join(map(_squeezed, sought)).strip("\n")
    if not wanted:
        return []
    text = "\n".join(map(_squeezed, lines[:_MOST_SQUEEZED]))
    lead = next(i for i, line in enumerate(sought) if line.strip())
    places: list[int] = []
    at, line, done = text.find(wanted), 1, 0
    while at != -1:
        line += text.count("\n", done, at)
        done = at
        places.append(max(1, line - lead))
        at = text.find(wanted, at + len(wanted))
    return places


def _most_like(lines: Sequence[str], sought: Sequence[str]) -> int | None:
    """Start of the passage (from 0), by its longest line."""
    from difflib import SequenceMatcher

    if not any(line.strip() for line in sought):
        return None
    anchor = max(range(len(sought)), key=lambda i: len(sought[i].strip()))
    target = sought[anchor].strip()[:_LONGEST]
    twins = [i for i, line in enumerate(lines) if line.strip()[:_LONGEST] == target]
    if twins:
        best = max(twins[:_MOST_TWINS], key=lambda i: _agreeing(lines, sought, i - anchor))
        return max(0, best - anchor)
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(target)
    best_line, most = -1, _LIKE
    for index, line in enumerate(lines[:_MOST_LINES]):
        matcher.set_seq1(line.strip()[:_LONGEST])
        if matcher.real_quick_ratio() > most and matcher.quick_ratio() > most:
            ratio = matcher.ratio()
            if ratio > most:
                best_line, most = index, ratio
    return max(0, best_line - anchor) if best_line >= 0 else None


def _agreeing(lines: Sequence[str], sought: Sequence[str], start: int) -> int:
    pairs = enumerate(sought, start)
    return sum(0 <= i < len(lines) and lines[i].strip() == line.strip() for i, line in pairs)


def _told(
    lines: Sequence[str], sought: Sequence[str], start: int, like: float, head: str
) -> Nearest:
    end = min(len(lines), start + len(sought))
    differing = next(
        (n for n in range(len(sought)) if start + n >= end or lines[start + n] != sought[n]), 0
    )
    first = start + max(0, differing - 3)
    shown = [
        f"{number}\t{printable(line[:_LONGEST])}"
        for number, line in enumerate(lines[first : min(end, first + _SHOWN)], first + 1)
    ]
    have = lines[start + differing] if start + differing < len(lines) else None
    words = _difference(sought[differing], have, start + differing + 1)
    text = "\n".join([f"{head} {words}", *shown])
    return Nearest(start + 1, max(end, start + 1), like, text)


def _difference(sent: str, have: str | None, line: int) -> str:
    if have is None:
        return f"The file ends before line {line}."
    if _squeezed(sent) == _squeezed(have):
        return f"White space differs: you sent {_quoted(sent)}, line {line} is {_quoted(have)}."
    if sent.casefold() == have.casefold():
        return f"Upper and lower case differ in line {line}."
    if _squeezed(sent) and _squeezed(sent) in _squeezed(have):
        return f"White space differs in line {line}."
    return f"You sent {_quoted(sent)}; line {line} differs."


def _quoted(line: str) -> str:
    return repr(printable(line if len(line) <= 120 else line[:120] + "..."))
