"""Finds the passage of an edit, and replaces it without touching any other byte.

Line ends are the one thing that may differ: models write LF whatever the file has. Everything is
looked for in the text with CRLF read as LF, and cut out of the text as it is. A text without any LF
has its lines ended by CR, if it has those; then CR is read as LF.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

_NEWLINE = re.compile(r"\r\n|\n")


@dataclass(frozen=True, slots=True)
class Span:
    """A passage of the text, `first` to `last`, and what is to stand in its place."""

    first: int
    last: int
    new: str


@dataclass(frozen=True, slots=True)
class Found:
    """Where the passage stands, in ascending order, nowhere overlapping."""

    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """The edit was made.

    Attributes:
        text: the new text.
        lines: the lines where the replaced passages now begin.
    """

    text: str
    lines: list[int]


@dataclass(frozen=True, slots=True)
class NoChange:
    """The text would be as it is."""


@dataclass(frozen=True, slots=True)
class AlreadyThere:
    """The new text stands where the old one should be, at this line."""

    line: int


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """The passage fits in more places than it may: the lines where they begin."""

    lines: list[int]


@dataclass(frozen=True, slots=True)
class NotFound:
    """The passage fits nowhere. `new_line` is where the new text stands, 0 for nowhere."""

    new_line: int


Outcome = NoChange | AlreadyThere | Ambiguous | NotFound


@dataclass(frozen=True, slots=True)
class Folded:
    """A text with its line ends read as LF, and the way back.

    Attributes:
        raw: the text as it is.
        text: the same with LF alone.
        crlf: places in `text` of what was CRLF.
        end: the last character of a line end of `raw`: LF, or CR where there is no LF.
    """

    raw: str
    text: str
    crlf: Sequence[int] = ()
    end: str = "\n"

    @classmethod
    def of(cls, raw: str) -> Folded:
        if "\r" not in raw:
            return cls(raw, raw)
        if "\n" not in raw:
            return cls(raw, raw.replace("\r", "\n"), end="\r")
        places = [m.start() - n for n, m in enumerate(re.finditer("\r\n", raw))]
        return cls(raw, raw.replace("\r\n", "\n"), places)

    def fold(self, text: str) -> str:
        """What the model sent, with line ends as in `text`."""
        text = text.replace("\r\n", "\n")
        return text.replace("\r", "\n") if self.end == "\r" else text

    def back(self, place: int) -> int:
        """The place in the raw text of a place in the folded one."""
        return place + bisect_left(self.crlf, place)

    def lines(self, places: Sequence[int]) -> list[int]:
        """Numbers of the lines of ascending places, counted in one pass."""
        numbers: list[int] = []
        line, done = 1, 0
        for place in places:
            line += self.text.count("\n", done, place)
            done = place
            numbers.append(line)
        return numbers


def replace(raw: str, old: str, new: str, *, everywhere: bool = False) -> Applied | Outcome:
    """Replace the one place where `old` stands in `raw`, or all places, by `new`."""
    text = Folded.of(raw)
    found = find(text, old, new, most=len(raw) if everywhere else 1)
    return put(text, found.spans) if isinstance(found, Found) else found


def find(text: Folded, old: str, new: str, *, most: int = 1) -> Found | Outcome:
    """The places where `old` stands, `most` of them or fewer, and what `new` is there."""
    if old == new:
        return NoChange()
    wanted, given = text.fold(old), text.fold(new)
    starts = _places(text.text, wanted)
    if not starts:
        return NotFound(_line_of(text, given))
    if wanted != given and wanted in given:
        inside = _inside(text.text, wanted, given, starts)
        if inside == len(starts):
            return AlreadyThere(_line_of(text, given))
    if len(starts) > most:
        return Ambiguous(text.lines(starts))
    return _found(text, _apart(starts, len(wanted)), old, new)


def put(text: Folded, spans: Sequence[Span]) -> Applied:
    """The text with every span, in ascending order, replaced."""
    pieces: list[str] = []
    lines: list[int] = []
    line, done = 1, 0
    for span in spans:
        before = text.raw[done : span.first]
        line += before.count(text.end)
        lines.append(line)
        line += span.new.count(text.end)
        pieces += (before, span.new)
        done = span.last
    pieces.append(text.raw[done:])
    return Applied("".join(pieces), lines)


def _places(text: str, wanted: str) -> list[int]:
    """All places, overlapping ones too: two ways to fit are two places."""
    places: list[int] = []
    at = text.find(wanted)
    while at != -1:
        places.append(at)
        at = text.find(wanted, at + 1)
    return places


def _apart(starts: list[int], length: int) -> list[int]:
    kept: list[int] = []
    for start in starts:
        if not kept or start >= kept[-1] + length:
            kept.append(start)
    return kept


def _inside(text: str, wanted: str, given: str, starts: list[int]) -> int:
    """How many places of the old text are part of the new text that already stands there."""
    offsets = _places(given, wanted)
    return sum(any(text.startswith(given, s - o) for o in offsets if o <= s) for s in starts)


def _line_of(text: Folded, given: str) -> int:
    at = text.text.find(given) if given.strip() else -1
    return text.lines([at])[0] if at != -1 else 0


def _found(text: Folded, starts: list[int], old: str, new: str) -> Found | NoChange:
    wanted, given = text.fold(old), text.fold(new)
    ends_only = wanted == given  # the edit changes line ends alone: take them as they are written
    spans: list[Span] = []
    for start in starts:
        first, last = text.back(start), text.back(start + len(wanted))
        passage = text.raw[first:last]
        fitted = new if ends_only else _fitted(text, first, passage, given)
        if fitted != passage:
            spans.append(Span(first, last, fitted))
    return Found(tuple(spans)) if spans else NoChange()


def _fitted(text: Folded, first: int, passage: str, given: str) -> str:
    """The new text with the line ends of the passage that it replaces.

    What both have in common at the start and at the end keeps its own bytes; between, line ends
    are taken over one by one, and further lines get the one used last.
    """
    if not text.crlf:
        return given.replace("\n", text.end)
    before = _NEWLINE.split(passage)
    ends = _NEWLINE.findall(passage)
    after = given.split("\n")
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    tail = 0
    room = min(len(before), len(after)) - start
    while tail < room and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    needed = len(after) - 1
    fallback = _end_around(text.raw, first)
    lead = ends[: min(start, needed)]
    closing = ends[len(ends) - min(tail, needed - len(lead)) :] if tail else []
    middle = ends[len(lead) : len(ends) - len(closing)]
    fill: list[str] = []
    for index in range(needed - len(lead) - len(closing)):
        if index < len(middle):
            fill.append(middle[index])
        else:
            fill.append((fill or lead or closing[:1] or [fallback])[-1])
    parts = [after[0]]
    for end, line in zip([*lead, *fill, *closing], after[1:], strict=True):
        parts += (end, line)
    return "".join(parts)


def _end_around(raw: str, place: int) -> str:
    """The line end before this place, else the one after it."""
    at = raw.rfind("\n", 0, place)
    if at == -1:
        at = raw.find("\n", place)
    return "\r\n" if at > 0 and raw[at - 1] == "\r" else "\n"
