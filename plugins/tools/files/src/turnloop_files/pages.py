"""A page of a text file: numbered lines within the limits, and notes on what is not shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

from turnloop_files.answers import plural
from turnloop_files.document import decode, line_ends, printable, split_lines
from turnloop_files.large import scan

DEFAULT_LIMIT = 2_000
MOST_CHARACTERS = 60_000
LONGEST_LINE = 2_000


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a text file as it is shown.

    Attributes:
        lines: numbered, long ones cut.
        start: number of the first line shown.
        end: number of the last one.
        total: lines of the file.
        digest: hash of the file's bytes.
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
    if not document.trouble and (document.mark or document.codec != "utf-8"):
        notes.append(document.title)
    ends = line_ends(text)
    if ends in ("crlf", "mixed"):
        notes.append("line ends: CRLF" if ends == "crlf" else "line ends: LF and CRLF mixed")
    if lines and ends and not text.endswith("\n"):
        notes.append("no newline at the end")
    window = lines[offset - 1 : offset - 1 + limit]
    lengths = [len(line) for line in window]
    return _page(window, lengths, start=offset, total=len(lines), digest=digest, notes=notes)


def large_page(file: BinaryIO, offset: int, limit: int) -> Page:
    """The page of a file that is read in one pass."""
    found = scan(file, offset, limit, keep=4 * LONGEST_LINE)
    codec = "utf-8" if found.utf8 else "latin-1"
    window = [raw.removesuffix(b"\r").decode(codec, "ignore") for raw in found.lines]
    lengths = [
        max(len(text), length if length > len(raw) else 0)
        for text, raw, length in zip(window, found.lines, found.lengths, strict=True)
    ]
    notes = [] if found.utf8 else ["not UTF-8: taken as Latin-1"]
    return _page(window, lengths, start=offset, total=found.total, digest=found.digest, notes=notes)


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
    if shown and (start > 1 or end < total):
        more = f"; read on with offset={end + 1}" if end < total else ""
        notes.append(f"lines {start:,}-{end:,} of {total:,}{more}")
    return Page(tuple(shown), start, end, total, digest, cut, tuple(f"[{n}]" for n in notes))
