"""What Grep answers: lines, files or counts, and all that has to be said with them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from turnloop_core.api import Result, Searched as SearchedFact
from turnloop_search.answers import MOST_CHARACTERS, Names, plural, printable, some, with_notes
from turnloop_search.found import Found
from turnloop_search.hits import Hit, Hits
from turnloop_search.window import cut_note, fitting


class Asked(Protocol):
    """What was asked for."""

    @property
    def pattern(self) -> str: ...
    @property
    def glob(self) -> str: ...
    @property
    def output(self) -> str: ...
    @property
    def limit(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def context(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Searched:
    """What was searched, and what was found.

    Attributes:
        base: real absolute path.
        names: how paths are shown.
        found: the files that were listed.
        hits: what matched.
        searched: number of files searched.
        is_file: the base is one file.
        denied: files that may not be read.
        large: files over the limit.
        passed: files that were listed, whether the glob takes them or not.
    """

    base: str
    names: Names
    found: Found
    hits: Hits
    searched: int
    is_file: bool = False
    denied: Sequence[str] = ()
    large: Sequence[str] = ()
    passed: int = 0

    @property
    def complete(self) -> bool:
        clean = not (self.hits.cut or self.hits.unread or self.large)
        return clean and self.found.complete

    def notes(self) -> Iterable[str]:
        yield from self.found.notes()
        if self.denied:
            count = plural(len(self.denied), "file")
            yield f"permission rules keep {count} from being searched: {some(self.denied)}"
        if self.large:
            yield f"too large to be searched (use grep in the shell): {some(self.large)}"
        if self.found.links:
            yield f"not followed: {plural(len(self.found.links), 'symbolic link')}"
        binary = [self.names.of(hit.name) for hit in self.hits.files if hit.binary]
        if binary:
            yield f"binary and not shown, but with matches: {some(binary)}"
        if self.hits.unread:
            yield f"could not be read: {some(self.hits.unread)}"
        if self.hits.cut and self.hits.cut != self.found.cut:
            yield f"not complete: {self.hits.cut}"


def report(asked: Asked, what: Searched) -> Result:
    """The answer."""
    files = [hit for hit in what.hits.files if not hit.binary]
    total = sum(hit.count for hit in files)
    fact = SearchedFact(asked.pattern, what.base, total, what.complete)
    notes = list(what.notes())
    if not files:
        return Result.say(with_notes(_nothing(asked, what), notes), facts=(fact,))
    if asked.output == "lines":
        lines, cut = _lines(asked, what, files, total)
    else:
        lines, cut = _files(asked, what, files)
    summary = f"{plural(total, 'matching line')} in {plural(len(files), 'file')}"
    if not what.complete:
        summary = f"at least {summary}"
    if not lines:
        lines = [f"nothing after offset {asked.offset:,}: {summary}."]
    elif not cut:
        notes.insert(0, summary)
    return Result.say(
        with_notes("\n".join(lines), [cut, *notes]),
        display=f"{printable(asked.pattern)}: {summary}",
        facts=(fact,),
    )


def _nothing(asked: Asked, what: Searched) -> str:
    pattern = printable(asked.pattern)
    if not what.complete:
        return f"nothing found so far for {pattern}: the search was not complete."
    if what.hits.files:
        return "nothing to show."
    if asked.glob and not what.searched and not what.denied:
        return (
            f"nothing was searched: no file below {what.names.folder} fits the glob {asked.glob} "
            f"({plural(what.passed, 'file')} looked at)."
        )
    if what.is_file:
        return f"no matches for {pattern} in {what.names.folder}."
    return f"no matches for {pattern} in {plural(what.searched, 'file')} below {what.names.folder}."


def _files(asked: Asked, what: Searched, files: Sequence[Hit]) -> tuple[list[str], str]:
    counts = asked.output == "counts"
    window = files[asked.offset : asked.offset + asked.limit]
    lines = [what.names.of(hit.name) + (f": {hit.count:,}" if counts else "") for hit in window]
    lines = lines[: fitting(lines, MOST_CHARACTERS)]
    rest = [(hit.name, 1) for hit in files[asked.offset + len(lines) :]]
    unsure = not what.complete
    cut = cut_note("file", asked.offset, len(lines), len(files), at_least=unsure, rest=rest)
    return lines, cut


@dataclass(slots=True)
class _Part:
    """Lines of one file that are shown; `last` is the number of the last of them."""

    lines: list[str] = field(default_factory=list)
    matches: int = 0
    characters: int = 0
    last: int = 0


def _lines(asked: Asked, what: Searched, files: Sequence[Hit], total: int) -> tuple[list[str], str]:
    out: list[str] = []
    passed = shown = used = 0
    rest: list[tuple[str, int]] = []
    for hit in files:
        skip = min(hit.count, max(0, asked.offset - passed))
        passed += hit.count
        room = asked.limit - shown
        if skip == hit.count:
            continue
        if room <= 0 or used > MOST_CHARACTERS:
            rest.append((hit.name, hit.count))
            continue
        part = _part(hit, skip, room, MOST_CHARACTERS - used, asked.context)
        out += [what.names.of(hit.name), *part.lines]
        used += part.characters
        shown += part.matches
        if skip + part.matches < hit.count:
            rest.append((hit.name, hit.count - skip - part.matches))
            used = MOST_CHARACTERS + 1  # later files wait for their turn
    cut = cut_note(
        "matching line", asked.offset, shown, total, at_least=not what.complete, rest=rest
    )
    return out, cut


def _part(hit: Hit, skip: int, room: int, characters: int, context: int) -> _Part:
    """Lines of one file: matches after the first `skip`, at most `room` of them."""
    chosen = [number for number, _, is_match in hit.lines if is_match][skip : skip + room]
    part = _Part()
    for number, text, is_match in hit.lines:
        at = bisect_left(chosen, number)
        near = chosen[max(0, at - 1) : at + 1]
        if not any(abs(number - match) <= (0 if is_match else context) for match in near):
            continue
        line = f"{number}{':' if is_match else '-'}{printable(text)}"
        if part.matches and part.characters + len(line) > characters:
            break
        if context and part.lines and number > part.last + 1:
            part.lines.append("--")
        part.lines.append(line)
        part.matches += is_match
        part.characters += len(line) + 1
        part.last = number
    return part
