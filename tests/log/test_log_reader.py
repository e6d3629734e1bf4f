import io
import json

import pytest
from hypothesis import given, settings, strategies as st

from log.random_logs import as_bytes, check, logs, number
from turnloop_core.errors import LogError
from turnloop_core.log import reader
from turnloop_core.log.reader import Damage, LogRead, read_log, read_records
from turnloop_core.log.records import PromptRecord
from turnloop_core.log.view import fold

FIVE = number([PromptRecord(text) for text in "abcde"])
LINES = as_bytes(FIVE).splitlines(keepends=True)
WIDTH = len(LINES[0])


def read(data):
    damage = []
    return tuple(read_records(io.BytesIO(data), damage)), tuple(damage)


def test_a_sound_log(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(as_bytes(FIVE))
    assert read_log(path) == LogRead(FIVE, ())


def test_a_last_line_without_its_newline_counts():
    assert read(as_bytes(FIVE)[:-1]) == (FIVE, ())


def test_a_torn_last_line_is_named():
    assert read(as_bytes(FIVE)[:-2]) == (
        FIVE[:4],
        (Damage(5, 4 * WIDTH, "the file ends within a record"),),
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"garbage\n", "not JSON"),
        (b'{"v":1,"n":3,"t":1.0,"kind":"prompt","te\n', "not JSON"),
        (b"\xff\xfe\xfd\n", "not UTF-8"),
        (b"\0" * 40 + b"\n", "40 zero bytes"),
        (b'"text"\n', "not a JSON object"),
        (b'{"v":1}\n', "no record number"),
    ],
)
def test_a_damaged_line_costs_that_line_only(line, reason):
    data = b"".join([*LINES[:2], line, *LINES[3:]])
    assert read(data) == ((*FIVE[:2], *FIVE[3:]), (Damage(3, 2 * WIDTH, reason),))


def test_a_record_behind_zero_bytes_is_read():
    data = b"".join([*LINES[:2], b"\0" * 7, *LINES[2:]])
    assert read(data) == (FIVE, (Damage(3, 2 * WIDTH, "7 zero bytes"),))


def test_blank_lines_and_other_line_ends_are_no_damage():
    data = b"\n" + b"\r\n \n".join(line.rstrip() for line in LINES) + b"\r\n"
    assert read(data) == (FIVE, ())


def test_a_number_that_comes_twice_keeps_its_first_record():
    again = as_bytes(FIVE[1:2]).replace(b'"b"', b'"B"')
    data = b"".join([*LINES[:3], again, *LINES[3:]])
    assert read(data) == (FIVE, (Damage(4, 3 * WIDTH, "record number 2 was used before"),))


@pytest.mark.parametrize(
    ("keep", "reason"),
    [((0, 1, 4), "records 3 to 4 are missing"), ((0, 1, 3, 4), "record 3 is missing")],
)
def test_missing_numbers_are_named(keep, reason):
    records, damage = read(b"".join(LINES[place] for place in keep))
    assert records == tuple(FIVE[place] for place in keep)
    assert damage == (Damage(3, 2 * WIDTH, reason),)


def test_a_number_that_jumped_ahead_does_not_cost_what_follows():
    data = b"".join(LINES).replace(b'"n":2', b'"n":9')
    records, damage = read(data)
    assert [record.n for record in records] == [1, 9, 3, 4, 5]
    assert [d.reason for d in damage] == ["records 2 to 8 are missing"]


def test_a_line_that_is_too_long_costs_that_line_only(monkeypatch):
    monkeypatch.setattr(reader, "MAX_LINE", 100)
    data = b"".join([*LINES[:2], b'"' + b"x" * 1_000 + b'"\n', *LINES[3:]])
    assert read(data) == (
        (*FIVE[:2], *FIVE[3:]),
        (Damage(3, 2 * WIDTH, "longer than 100 bytes"),),
    )


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir()])
def test_a_log_that_cannot_be_read_is_one_clear_line(tmp_path, make):
    path = tmp_path / "s.jsonl"
    make(path)
    with pytest.raises(LogError, match=r"cannot read the session log .*s\.jsonl") as caught:
        read_log(path)
    assert "tl sessions" in caught.value.hint


@settings(max_examples=100, deadline=None)
@given(logs(), st.data())
def test_what_was_overwritten_costs_only_the_lines_it_touched(records, data):
    stood = as_bytes(records)
    start = data.draw(st.integers(0, len(stood) - 1))
    length = data.draw(st.integers(1, len(stood) - start))
    filler = data.draw(st.sampled_from([b"\0", b"\xff", b"#"]))
    records_read, damage = read(stood[:start] + filler * length + stood[start + length :])

    first = stood.count(b"\n", 0, start)
    last = stood.count(b"\n", 0, start + length)  # its beginning was touched, or it was joined
    assert records_read[:first] == records[:first]
    behind = records[last + 1 :]
    assert records_read[len(records_read) - len(behind) :] == behind
    assert damage or filler != b"\0"  # other bytes may still spell a record, of an unknown kind
    check(fold(records_read).view())


@settings(max_examples=150, deadline=None)
@given(logs(), st.data())
def test_flipped_bits_never_stop_the_reader(records, data):
    stood = bytearray(as_bytes(records))
    for _ in range(data.draw(st.integers(1, 8))):
        stood[data.draw(st.integers(0, len(stood) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    records_read, _ = read(bytes(stood))
    check(fold(records_read).view())


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(max_size=60) | st.sampled_from(LINES), max_size=8))
def test_any_bytes_at_all(pieces):
    records_read, _ = read(b"".join(pieces))
    check(fold(records_read).view())


def test_a_log_of_a_later_version_is_kept():
    later = {"v": 2, "n": 2, "t": 1.0, "kind": "prompt", "text": ["new", "shape"]}
    records, damage = read(LINES[0] + json.dumps(later).encode() + b"\n" + LINES[2])
    assert [record.n for record in records] == [1, 2, 3]
    assert damage == ()
    assert [item.id for item in fold(records).view().items] == [1, 3]
