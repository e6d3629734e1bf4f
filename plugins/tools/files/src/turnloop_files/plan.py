"""What the changes of one call come to: every one fits the file as it is, or none is made."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from turnloop_files import match
from turnloop_files.document import printable
from turnloop_files.nearest import Nearest, explain, likeness

_SAME_PLACE = 0.85
_KIN = 0.6
_SUBSTANTIAL = 40  # characters of one line that hardly stand anywhere by chance
_MOST_PLACES = 200_000  # each costs memory; beyond it the shell does better
EXPLAINED = 5  # looking for the nearest passage costs time and words

_SEVERAL = "Quote more lines around the one you mean, or set replace_all."
_TOO_MANY = (
    f"That is too much for one call, which makes {_MOST_PLACES:,} replacements at most: change it "
    "in the shell (sed -i, or a short script)."
)


@dataclass(frozen=True, slots=True)
class Change:
    """A passage, and what replaces it: once, or everywhere."""

    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Misfit:
    """A change that cannot be made.

    Attributes:
        number: which one, from 1.
        places: the lines where it fits, several; empty when it fits nowhere.
        new_line: the line where its new text stands, 0 for nowhere.
        more: what comes near, or what to do about it.
    """

    number: int
    places: tuple[int, ...]
    new_line: int
    more: str


@dataclass(frozen=True, slots=True)
class Clash:
    """Two changes that overlap, and the line where the second begins."""

    first: int
    second: int
    line: int


@dataclass(slots=True)
class Plan:
    """What all changes come to.

    Attributes:
        made: numbers of the changes that change something.
        already: number of a change that was made before -> the line where its new text stands.
        idle: numbers of those that would leave everything as it is, or repeat another.
        misfits: those that do not fit; if there are any, nothing is to be written.
        clashes: those that overlap; likewise.
        text: the text with all changes made.
        lines: the lines of it where the replaced passages begin.
    """

    made: list[int] = field(default_factory=list)
    already: dict[int, int] = field(default_factory=dict)
    idle: list[int] = field(default_factory=list)
    misfits: list[Misfit] = field(default_factory=list)
    clashes: list[Clash] = field(default_factory=list)
    text: str = ""
    lines: list[int] = field(default_factory=list)


def plan(raw: str, changes: Sequence[Change]) -> Plan:
    """Look for every change in the text as it is, not as the others leave it."""
    text = match.Folded.of(raw)
    result = Plan()
    spans: list[tuple[match.Span, int]] = []
    for number, change in enumerate(changes, 1):
        if change in changes[: number - 1]:
            result.idle.append(number)
            continue
        most = _MOST_PLACES - len(spans) if change.everywhere else 1
        found = match.find(text, change.old, change.new, most=most)
        match found:
            case match.Found():
                result.made.append(number)
                spans += ((span, number) for span in found.spans)
            case match.NoChange():
                result.idle.append(number)
            case match.AlreadyThere():
                result.already[number] = found.line
            case match.Ambiguous():
                more = _TOO_MANY if change.everywhere else _SEVERAL
                result.misfits.append(Misfit(number, tuple(found.lines), 0, more))
            case match.NotFound():
                _not_found(result, number, changes, text, found.new_line)
    spans.sort(key=lambda each: (each[0].first, each[0].last))
    result.clashes = _clashes(text, spans)
    if not result.misfits and not result.clashes:
        applied = match.put(text, [span for span, _ in spans])
        result.text, result.lines = applied.text, applied.lines
        _move(result, text, [span for span, _ in spans])
    return result


def _not_found(
    result: Plan, number: int, changes: Sequence[Change], text: match.Folded, new_line: int
) -> None:
    change = changes[number - 1]
    if len(result.misfits) >= EXPLAINED:
        result.misfits.append(Misfit(number, (), new_line, ""))
        return
    near = explain(text.text, text.fold(change.old))
    if new_line and _was_made(near, text, change, new_line):
        result.already[number] = new_line
        return
    brings = next((n for n, c in enumerate(changes, 1) if n != number and change.old in c.new), 0)
    if brings:
        more = (
            f"It stands in the new text of edit {brings}, but every edit is matched against the "
            "file as it is: put both into one."
        )
    elif near:
        more = printable(near.text)
    else:
        more = "Nothing like it is there: read the file again."
    result.misfits.append(Misfit(number, (), new_line, more))


def _was_made(near: Nearest | None, text: match.Folded, change: Change, new_line: int) -> bool:
    """Whether the new text that stands there comes of this change.

    Not if something elsewhere is more like the old text than the new one is: that is a misquote.
    Nor if the new text has little in common with the old, and may well stand there by chance, as
    `pass` or `}` does.
    """
    if not _whole_words(text.text, text.fold(change.new)):
        return False
    kinship = likeness(change.old, change.new)
    elsewhere = near is not None and (
        near.end < new_line or near.line > new_line + change.new.count("\n")
    )
    if near is not None and elsewhere and near.likeness > max(kinship, _SAME_PLACE):
        return False
    return kinship > _KIN or _unmistakable(text.text, text.fold(change.new))


def _whole_words(text: str, new: str) -> bool:
    """Whether the new text stands anywhere other than as a piece of longer words."""
    lead = r"\b" if re.match(r"\w", new) else ""
    tail = r"\b" if re.search(r"\w\Z", new) else ""
    return re.search(lead + re.escape(new) + tail, text) is not None


def _unmistakable(text: str, new: str) -> bool:
    """Whether it is whole lines, enough of them not to be there by chance, in one place only."""
    bare = new.strip()
    if text.count(new) != 1 or ("\n" not in bare and len(bare) < _SUBSTANTIAL):
        return False
    first = text.index(bare, text.index(new))
    before = text[text.rfind("\n", 0, first) + 1 : first]
    after = text[first + len(bare) :].partition("\n")[0]
    return not before.strip() and not after.strip()


def _clashes(text: match.Folded, spans: Sequence[tuple[match.Span, int]]) -> list[Clash]:
    found: dict[tuple[int, int], Clash] = {}
    for (before, one), (after, other) in pairwise(spans):
        pair = min(one, other), max(one, other)
        if after.first < before.last and pair not in found:
            found[pair] = Clash(*pair, text.raw.count(text.end, 0, after.first) + 1)
    return list(found.values())


def _move(result: Plan, text: match.Folded, spans: Sequence[match.Span]) -> None:
    """Where the texts that stood there already stand now."""
    if not result.already or not spans:
        return
    begins = [text.raw.count(text.end, 0, span.first) + 1 for span in spans]
    for number, line in result.already.items():
        before = spans[: bisect_left(begins, line)]
        result.already[number] = line + sum(
            span.new.count(text.end) - text.raw.count(text.end, span.first, span.last)
            for span in before
        )
