"""A page of a text file: numbered lines within the limits, and notes on what is not shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from turnloop_files.answers import plural
from turnloop_files.document import (
    TAKEN_AS_LATIN_1,
    decode,
    line_ends,
    printable,
    split_lines,
    strays_told,
)
from turnloop_files.large import Scan, scan

DEFAULT_LIMIT = 2_000
MOST_CHARACTERS = 60_000
LONGEST_LINE = 2_000
_ENDS = {"crlf": "CRLF", "mixed": "LF and CRLF mixed", "cr": "CR"}


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a text file as it is shown.

    Attributes:
        lines: numbered, long ones cut.
        start: number of the first line shown.
        end: number of the last one.
        total: lines of the file, 0 when they were not counted.
        digest: hash of the file's bytes, as far as they were read.
        cut: number of lines that were cut for their length.
        notes: what the model should know beside the lines, in brackets.
    """

    lines: tuple[str, ...]
    start: int
    end: int
    total: int
    digest: str
    cut: int
    notes: tuple[str, ...]

    @property
    def whole(self) -> bool:
        return self.start == 1 and self.end == self.total and not self.cut

    @property
    def text(self) -> str:
        return "\n".join((*self.lines, *self.notes))


def small_page(data: bytes, digest: str, offset: int, limit: int) -> Page:
    """The page of a file that is held whole."""
    document = decode(data)
    text = document.text
    lines = split_lines(text)
    notes = [document.trouble] if document.trouble else []
    if nulls := text.count("\0"):
        notes.append(f"{plural(nulls, 'null byte')}, shown as \\x00")
    if not document.trouble and (document.mark or document.codec != "utf-8"):
        notes.append(document.title)
    ends = line_ends(text)
    if ends not in ("lf", ""):
        notes.append(f"line ends: {_ENDS[ends]}")
    if lines and ends and not text.endswith("\r" if ends == "cr" else "\n"):
        notes.append("no newline at the end")
    window = lines[offset - 1 : offset - 1 + limit]
    lengths = [len(line) for line in window]
    return _page(window, lengths, start=offset, total=len(lines), digest=digest, notes=notes)


def large_page(
    file: BinaryIO,
    offset: int,
    limit: int,
    *,
    most: int | None = None,
    count_all: bool = True,
    stopped: Callable[[], bool] = lambda: False,
) -> Page:
    """The page of a file that is read in one pass; the arguments are those of `scan`."""
    found = scan(
        file,
        offset,
        limit,
        keep=4 * LONGEST_LINE,
        most=most,
        count_all=count_all,
        stopped=stopped,
    )
    latin = found.stray and not found.mark and found.stray >= found.wide
    codec, errors = ("latin-1", "strict") if latin else ("utf-8", "surrogateescape")
    window = [raw.removesuffix(b"\r").decode(codec, errors) for raw in found.lines]
    if window and offset == 1 and found.mark:
        window[0] = window[0].removeprefix("\ufeff")
    lengths = [
        max(len(text), length if length > len(raw) else 0)
        for text, raw, length in zip(window, found.lines, found.lengths, strict=True)
    ]
    return _page(
        window,
        lengths,
        start=offset,
        total=found.total if found.whole else 0,
        digest=found.digest,
        notes=_notes_on(found, latin=bool(latin)),
    )


def _notes_on(found: Scan, *, latin: bool) -> list[str]:
    notes = []
    if found.stray:
        notes.append(TAKEN_AS_LATIN_1 if latin else strays_told(found.stray))
    elif found.mark:
        notes.append("UTF-8 with byte-order mark")
    if found.crlf:
        mixed = found.crlf < found.total - (not found.closed)
        notes.append(f"line ends: {_ENDS['mixed' if mixed else 'crlf']}")
    if found.whole and found.total > 1 and not found.closed:
        notes.append("no newline at the end")
    return notes


def _page(
    window: Sequence[str],
    lengths: Sequence[int],
    *,
    start: int,
    total: int,
    digest: str,
    notes: list[str],
) -> Page:
    shown: list[str] = []
    room = MOST_CHARACTERS
    cut = 0
    for number, (line, length) in enumerate(zip(window, lengths, strict=True), start):
        text = line
        if length > LONGEST_LINE:
            text = f"{line[:LONGEST_LINE]}... [{length - LONGEST_LINE:,} more characters]"
        text = f"{number}\t{printable(text)}"
        if shown and len(text) >= room:
            break
        cut += length > LONGEST_LINE
        room -= len(text) + 1
        shown.append(text)
    end = start + len(shown) - 1
    if cut:
        notes.append(
            f"{plural(cut, 'line')} cut at {LONGEST_LINE:,} characters; "
            "see a whole one in the shell: sed -n 'Np' FILE | cut -c2001-"
        )
    more = f"; read on with offset={end + 1}"
    if shown and not total:
        notes.append(f"lines {start:,}-{end:,} of a file too large to count them{more}")
    elif shown and (start > 1 or end < total):
        notes.append(f"lines {start:,}-{end:,} of {total:,}{more if end < total else ''}")
    return Page(tuple(shown), start, end, total, digest, cut, tuple(f"[{n}]" for n in notes))
