"""Read a log: everything that can be read, and a name for what cannot.

A log is never repaired in place. A line that was torn by a crash, overwritten or filled with zero
bytes costs that line only.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from turnloop_core.errors import LogError
from turnloop_core.log.jsonl import MAX_LINE, LineError, decode
from turnloop_core.log.numbers import Numbers
from turnloop_core.log.records import Record
from turnloop_core.values import dataclass

_BLANK = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class Damage:
    """Something in the file that is no record.

    Attributes:
        line: number of the line, from 1.
        offset: where the line begins, in bytes.
        reason: what is wrong, in a few words.
    """

    line: int
    offset: int
    reason: str


@dataclass(frozen=True, slots=True)
class LogRead:
    """A log as far as it can be read."""

    records: tuple[Record, ...]
    damage: tuple[Damage, ...]


def read_log(path: Path) -> LogRead:
    """Read a whole log.

    Raises:
        LogError: the file cannot be opened or read at all.
    """
    damage: list[Damage] = []
    with open_log(path) as stream, collector_paused():
        try:
            return LogRead(tuple(read_records(stream, damage)), tuple(damage))
        except OSError as error:
            raise unreadable(path, error) from error


def open_log(path: Path) -> BinaryIO:
    """Open a log for reading.

    Raises:
        LogError: it is not there, or may not be read.
    """
    try:
        return path.open("rb")
    except OSError as error:
        raise unreadable(path, error) from error


@contextmanager
def collector_paused() -> Iterator[None]:
    """Many records, none of them in a cycle: looking for cycles meanwhile would cost a third."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def unreadable(path: Path, error: OSError) -> LogError:
    return LogError(
        f"cannot read the session log {path}: {error.strerror or error}",
        hint="list the sessions there are with `tl sessions`",
    )


def read_records(stream: BinaryIO, damage: list[Damage]) -> Iterator[Record]:
    """The records of a log, line by line; what is wrong is appended to `damage`.

    A last line that lacks nothing but its newline counts. A number that was used before keeps its
    first record. Missing numbers are named unless damaged lines account for them.
    """
    numbers = Numbers()
    lost = 0  # damaged lines since the last good record
    for place, offset, line in _lines(stream):
        bare = line.strip(_BLANK)
        text = bare.strip(b"\0" + _BLANK)
        if len(text) != len(bare):
            damage.append(Damage(place, offset, f"{bare.count(0)} zero bytes"))
            lost += not text
        if not text:
            continue
        try:
            record = _decode(text, whole=line.endswith(b"\n"))
        except LineError as error:
            damage.append(Damage(place, offset, str(error)))
            lost += 1
            continue
        gap = record.n - numbers.highest - 1
        if not numbers.add(record.n):
            damage.append(Damage(place, offset, f"record number {record.n} was used before"))
            continue
        if gap > lost:
            damage.append(Damage(place, offset, _missing(record.n - gap, record.n - 1)))
        lost = 0
        yield record


def _decode(text: bytes, *, whole: bool) -> Record:
    if len(text) > MAX_LINE:
        raise LineError(f"longer than {MAX_LINE} bytes")
    try:
        return decode(text)
    except LineError:
        if whole:
            raise
        raise LineError("the file ends within a record") from None


def _missing(first: int, last: int) -> str:
    return (
        f"record {first} is missing" if first == last else f"records {first} to {last} are missing"
    )


def _lines(stream: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """Number, offset and bytes of each line; of one that is too long, only as much as shows it."""
    place, offset = 0, 0
    while line := stream.readline(MAX_LINE + 2):
        place += 1
        start = offset
        offset += len(line)
        rest = line
        while not rest.endswith(b"\n") and (rest := stream.readline(MAX_LINE)):
            offset += len(rest)
        yield place, start, line
