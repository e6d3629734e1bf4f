import json
import typing

import pytest
from hypothesis import given, settings, strategies as st

from log import random_values
from turnloop_core.log.jsonl import LineError, decode, encode
from turnloop_core.log.records import (
    Body,
    EditRecord,
    PromptRecord,
    Record,
    ReplyRecord,
    ResultRecord,
    UnknownRecord,
)
from turnloop_core.types.codec import CodecError, from_json, to_json
from turnloop_core.types.content import Call, Text
from turnloop_core.types.edits import StubNudge
from turnloop_core.types.facts import OtherFact
from turnloop_core.types.items import Reply, StopReason
from turnloop_core.types.results import Result

KINDS = [kind for kind in typing.get_args(Body) if kind is not UnknownRecord]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_record_comes_back_as_it_was(kind, data):
    record = Record(
        data.draw(st.integers(1, 2**53)),
        data.draw(random_values.floats),
        data.draw(random_values.of(kind)),
    )
    line = encode(record)
    assert b"\n" not in line
    assert line.isascii()
    assert decode(line) == record
    assert encode(decode(line)) == line


@settings(max_examples=100, deadline=None)
@given(data=random_values.strange, version=st.integers(0, 3), number=st.integers(1, 99))
def test_an_unknown_record_is_written_as_it_was_read(data, version, number):
    stood = {**data, "v": version, "n": number, "t": 1.5}
    record = decode(json.dumps(stood).encode())
    assert record == Record(number, 1.5, UnknownRecord(stood))
    assert json.loads(encode(record)) == stood


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"v": None},
        {"v": True},
        {"kind": "telepathy"},
        {"kind": "unknown"},
        {"kind": ["prompt"]},
        {"kind": None},
        {"text": 7},
        {"attachments": [{"kind": "hologram"}]},
        {"t": "yesterday"},
        {"t": 10**400},
        {"t": float("inf")},
    ],
    ids=str,
)
def test_what_this_version_does_not_understand_is_kept(change):
    stood = {"v": 1, "n": 4, "t": 9.0, "kind": "prompt", "text": "hello"} | change
    record = decode(json.dumps(stood).encode())
    assert record.n == 4
    assert record.body == UnknownRecord(stood)
    assert json.loads(encode(record)) == stood


def test_a_field_that_is_not_known_is_passed_over():
    line = b'{"v":1,"n":1,"t":1.0,"kind":"prompt","text":"hi","mood":"good"}'
    assert decode(line) == Record(1, 1.0, PromptRecord("hi"))


def test_a_record_with_a_value_that_is_too_large_for_its_type_is_kept():
    line = b'{"v":1,"n":1,"t":1.0,"kind":"result","turn":1,"call":0,"seconds":1%s,' % (b"0" * 400)
    line += b'"result":{"content":[]}}'
    assert isinstance(decode(line).body, UnknownRecord)


def test_a_reply_whose_calls_share_an_id_is_kept_and_not_believed():
    call = {"kind": "call", "id": "c", "name": "Read", "arguments": "{}"}
    stood = {"v": 1, "n": 2, "t": 1.0, "kind": "reply"}
    stood["reply"] = {"blocks": [call, call], "stop": "tool_use"}
    assert decode(json.dumps(stood).encode()).body == UnknownRecord(stood)


@pytest.mark.parametrize("kind", ["other", "of a later version"])
def test_a_fact_of_another_version_is_kept(kind):
    fact = {"kind": kind, "depth": 3}
    body = ResultRecord(2, 0, Result.say("done", facts=(OtherFact(fact),)))
    line = encode(Record(3, 1.0, body))
    assert json.loads(line)["result"]["facts"] == [fact]
    assert decode(line).body == body


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b"7", "not a JSON object"),
        (b'{"v":1}', "no record number"),
        (b'{"n":0}', "no record number"),
        (b'{"n":true}', "no record number"),
        (b'{"n":1.0}', "no record number"),
        (b'{"n":1}{"n":2}', "more than one JSON object"),
        (b'{"n":1,"t":"\xff"}', "not UTF-8"),
        (b"[" * 100_000, "not JSON"),
        (b'{"n":' + b"9" * 5_000 + b"}", "not JSON"),
    ],
)
def test_a_line_that_is_no_record_says_why(line, reason):
    with pytest.raises(LineError) as caught:
        decode(line)
    assert str(caught.value) == reason


def test_half_a_surrogate_pair_survives():
    record = Record(1, 1.0, PromptRecord("\ud83d and \x00 and \u2028"))
    assert decode(encode(record)) == record


def test_the_line_is_what_the_documentation_says():
    reply = Reply((Text("hi"), Call("c1", "Read", '{"path": "ä"}')), StopReason.TOOL_USE, "p/m")
    assert encode(Record(7, 1764522872.31, ReplyRecord(reply))) == (
        b'{"v":1,"n":7,"t":1764522872.31,"kind":"reply","reply":{"blocks":['
        b'{"kind":"text","text":"hi"},'
        b'{"kind":"call","id":"c1","name":"Read","arguments":"{\\"path\\": \\"\\u00e4\\"}"}],'
        b'"stop":"tool_use","origin":"p/m"}}'
    )


@pytest.mark.parametrize("data", [None, [], {"kind": "stub_nudge"}, {"kind": "erase"}, {}])
def test_a_union_without_a_keeper_refuses_what_it_does_not_know(data):
    with pytest.raises(CodecError):
        from_json(EditRecord, {"edits": [data], "strategy": "s", "reason": "r"})


def test_edits_are_tagged():
    edit = EditRecord((StubNudge(3, "stub"),), "tiered", "why")
    assert to_json(edit) == {
        "kind": "edit",
        "edits": [{"kind": "stub_nudge", "nudge": 3, "text": "stub"}],
        "strategy": "tiered",
        "reason": "why",
    }
