"""A record and its line: one JSON object in ASCII, so that no newline can stand within it."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

from turnloop_core.log.records import VERSION, Body, Record, UnknownRecord
from turnloop_core.types.codec import CodecError, from_json, to_json

MAX_LINE = 64 * 1024 * 1024  # bytes; what is longer could not be read back in bounded memory


class LineError(ValueError):
    """The line is no record. The message says why, for a reader of the file."""


def encode(record: Record) -> bytes:
    """The line of a record, without its newline.

    Raises:
        TypeError, ValueError: the record holds something that JSON cannot express.
    """
    data: dict[str, Any] = {"v": VERSION, "n": record.n, "t": record.t}
    if isinstance(record.body, UnknownRecord):
        # As it was read, its version included; only the place in the log is the record's own.
        data = {**data, **record.body.data, "n": record.n}
    else:
        data.update(to_json(record.body))
    return _dumps(data).encode("ascii")


def decode(line: bytes) -> Record:
    """The record of a line, with nothing around it.

    What this version does not understand (another kind, a higher version, fields that do not fit)
    becomes an `UnknownRecord` with the line's own data.

    Raises:
        LineError: the line is not a JSON object with a record number.
    """
    data = _load(line)
    number = data.get("n")
    if type(number) is not int or number < 1:
        raise LineError("no record number")
    time = _time(data.get("t"))
    if time is None:
        return Record(number, 0.0, UnknownRecord(data))
    return Record(number, time, _body(data))


def _time(value: Any) -> float | None:
    if type(value) not in (int, float):
        return None
    try:
        seconds = float(value)
    except OverflowError:
        return None
    return seconds if isfinite(seconds) else None


def _body(data: dict[str, Any]) -> Body:
    version = data.get("v")
    if version is True or version != VERSION:
        return UnknownRecord(data)
    try:
        body: Body = from_json(Body, data)
    except CodecError:
        return UnknownRecord(data)
    return body


def _load(line: bytes) -> dict[str, Any]:
    try:
        data, end = _read_value(text := line.decode("utf-8"))
    except UnicodeDecodeError:
        raise LineError("not UTF-8") from None
    except (ValueError, RecursionError):
        raise LineError("not JSON") from None
    if not isinstance(data, dict):
        raise LineError("not a JSON object")
    if end != len(text):
        raise LineError("more than one JSON object")
    return data


_read_value = json.JSONDecoder().raw_decode
_dumps = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), check_circular=False).encode
