"""Unified diffs within a bound of work and of length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from turnloop_files.document import printable

_MOST_COMPARED = 2_000
_LINE = 300
_AROUND = 3


def unified(old: str, new: str, path: str, *, most: int = 200) -> str:
    """What changed from `old` to `new`, at most `most` lines; "" when nothing did.

    The comparison is by lines and looks only at what lies between the common start and end.
    """
    if old == new:
        return ""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    start, end = _common(before, after)
    cut_before, cut_after = before[start : len(before) - end], after[start : len(after) - end]
    head = [f"--- {path}", f"+++ {path}"]
    if max(len(cut_before), len(cut_after)) > _MOST_COMPARED:
        size = f"-{len(cut_before):,} +{len(cut_after):,} lines from line {start + 1:,}"
        return "\n".join([*head, f"@@ {size}: too much to compare @@"])
    lead = min(start, _AROUND)
    tail = min(end, _AROUND)
    body = _hunks(
        before[start - lead : len(before) - end + tail],
        after[start - lead : len(after) - end + tail],
        start - lead,
    )
    lines: list[str] = []
    for line in body:
        if len(lines) == most:
            lines.append("... (the diff goes on)")
            break
        lines.append(line)
    return "\n".join(head + lines)


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
            yield from _marked("-", before[i:i2])
            yield from _marked("+", after[j:j2])


def _range(start: int, end: int) -> str:
    length = end - start
    return f"{start + 1 if length else start},{length}"


def _marked(sign: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        text = line.removesuffix("\n").replace("\r", "\\r")
        text = printable(text if len(text) <= _LINE else text[:_LINE] + "...")
        yield f"{sign}{text}"
        if not line.endswith(("\n", "\r")):
            yield "\\ no newline at the end"
