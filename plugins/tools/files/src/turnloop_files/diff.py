"""Unified diffs within a bound of work and of length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from turnloop_files.document import printable
from turnloop_files.match import Folded

_MOST_COMPARED = 2_000
_LINE = 300
_BEFORE = 60
_AROUND = 3
_AT_A_GLANCE = 30


def unified(old: str, new: str, path: str, *, most: int = 200) -> str:
    """What changed from `old` to `new`, at most `most` lines; "" when nothing did.

    The comparison is by lines and looks only at what lies between the common start and end.
    """
    if old == new:
        return ""
    before, after = _lines(old), _lines(new)
    start, end = _common(before, after)
    cut_before, cut_after = before[start : len(before) - end], after[start : len(after) - end]
    head = [f"--- {path}", f"+++ {path}"]
    if max(len(cut_before), len(cut_after)) > _MOST_COMPARED:
        size = f"-{len(cut_before):,} +{len(cut_after):,} lines from line {start + 1:,}"
        return "\n".join([*head, f"@@ {size}: too much to compare @@"])
    lead = min(start, _AROUND)
    tail = min(end, _AROUND)
    body = list(
        _hunks(
            before[start - lead : len(before) - end + tail],
            after[start - lead : len(after) - end + tail],
            start - lead,
        )
    )
    if len(body) > _AT_A_GLANCE:  # whoever shows it may cut it, so the sum comes first
        signs = [line[0] for line in body]
        head.insert(0, f"{signs.count('-'):,} lines removed, {signs.count('+'):,} added")
    if len(body) > most:
        body = [*body[:most], "... (the diff goes on)"]
    return "\n".join(head + body)


def readable(old: str, new: str, path: str) -> str:
    """The diff for people: line ends are shown only when nothing else changed."""
    return unified(Folded.of(old).text, Folded.of(new).text, path) or unified(old, new, path)


def _lines(text: str) -> list[str]:
    """The lines as Read counts them, with their ends: other signs that end lines do not count."""
    end = "\n" if "\n" in text else "\r"
    *lines, rest = text.split(end)
    return [line + end for line in lines] + ([rest] if rest else [])


def _common(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    shorter = min(len(before), len(after))
    start = 0
    while start < shorter and before[start] == after[start]:
        start += 1
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return start, end


def _hunks(before: Sequence[str], after: Sequence[str], offset: int) -> Iterator[str]:
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(_AROUND):
        first, last = group[0], group[-1]
        yield (
            f"@@ -{_range(first[1] + offset, last[2] + offset)} "
            f"+{_range(first[3] + offset, last[4] + offset)} @@"
        )
        for tag, i, i2, j, j2 in group:
            if tag == "equal":
                yield from _marked(" ", before[i:i2])
                continue
            gone, came = before[i:i2], after[j:j2]
            starts = [_window(one, other) for one, other in zip(gone, came, strict=False)]
            yield from _marked("-", gone, starts)
            yield from _marked("+", came, starts)


def _window(one: str, other: str) -> int:
    """Where to begin with two long lines, so that what differs is seen."""
    if max(len(one), len(other)) <= _LINE:
        return 0
    pairs = enumerate(zip(one, other, strict=False))
    differing = next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
    return max(0, differing - _BEFORE)


def _range(start: int, end: int) -> str:
    length = end - start
    return f"{start + 1 if length else start},{length}"


def _with_starts(lines: Sequence[str], starts: Sequence[int]) -> Iterator[tuple[str, int]]:
    for index, line in enumerate(lines):
        yield line, starts[index] if index < len(starts) else 0


def _marked(sign: str, lines: Sequence[str], starts: Sequence[int] = ()) -> Iterator[str]:
    for line, start in _with_starts(lines, starts):
        text = line.removesuffix("\n").replace("\r", "\\r")
        shown = printable(text[start : start + _LINE])
        more = "..." if len(text) > start + _LINE else ""
        yield f"{sign}{'...' if start else ''}{shown}{more}"
        if not line.endswith(("\n", "\r")):
            yield "\\ no newline at the end"
