"""The event-stream parser gives the same events however the bytes are cut."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.errors import BadReplyError
from turnloop_core.testing.loopback import pieces
from turnloop_core.transport.sse import SseEvent, SseParser

SHARED = Path(__file__).parents[2].parent / "shared" / "fixtures" / "wire"


def parse(*chunks: bytes) -> list[SseEvent]:
    parser = SseParser()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return events + parser.close()


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\ndata: b\n\n", [("", "a"), ("", "b")]),
        (b"data:a\n\n", [("", "a")]),
        (b"data:  a\n\n", [("", " a")]),
        (b"data: a\ndata: b\n\n", [("", "a\nb")]),
        (b"data\n\n", [("", "")]),
        (b"data: a", [("", "a")]),
        (b"data: a\n", [("", "a")]),
        (b": comment\n\n:\n\ndata: a\n\n", [("", "a")]),
        (b": comment\ndata: a\n\n", [("", "a")]),
        (b"event: ping\n\ndata: a\n\n", [("", "a")]),
        (b"event: error\ndata: {}\n\ndata: a\n\n", [("error", "{}"), ("", "a")]),
        (b"retry: 10\ndata: a\n\n", [("", "a")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("", "a")]),
        (b"\n\n\n\ndata: a\n\n\n\n\ndata: b\n\n", [("", "a"), ("", "b")]),
        (b"\ndata: a\n\n", [("", "a")]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", [("", "a"), ("", "b")]),
        (b"data: a\r\rdata: b\r\r", [("", "a"), ("", "b")]),
        (b"data: a\r\n\ndata: b\n\r\n", [("", "a"), ("", "b")]),
        ("data: \u20ac\U0001f600\n\n".encode(), [("", "\u20ac\U0001f600")]),
        (b"data: \xff\n\n", [("", "\ufffd")]),
        (b"", []),
        (b"\n\n", []),
        (b"nonsense\n\n", []),
    ],
)
def test_events_at_every_cut(stream: bytes, events: list[tuple[str, str]]) -> None:
    expected = [SseEvent(kind, data) for kind, data in events]
    assert parse(stream) == expected
    assert parse(*pieces(stream, 1)) == expected
    for cut in range(len(stream)):
        assert parse(stream[:cut], b"", stream[cut:]) == expected


def test_ids_last() -> None:
    events = parse(b"id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n")
    assert [event.id for event in events] == ["1", "1", ""]


def test_an_event_is_given_as_soon_as_it_is_complete() -> None:
    parser = SseParser()
    assert parser.feed(b"data: a\r\n\r") == [SseEvent("", "a")]
    assert parser.feed(b"\ndata: b\n") == []
    assert parser.feed(b"\n") == [SseEvent("", "b")]


def test_lines_that_are_no_field_are_kept_aside() -> None:
    parser = SseParser()
    parser.feed(b'data: a\n\n{\n  "error": {"code": 499}\n}\n')
    assert parser.close() == []
    assert parser.stray == b'{\n  "error": {"code": 499}\n}\n'


def test_stray_lines_do_not_pile_up() -> None:
    parser = SseParser()
    for _ in range(300):
        parser.feed(b"x" * 1000 + b"\n\n")
    assert len(parser.stray) == 64 * 1024


def test_an_event_has_a_largest_size() -> None:
    parser = SseParser(largest=1000)
    assert parser.feed(b"data: " + b"x" * 900) == []
    with pytest.raises(BadReplyError, match="larger than 1,000 bytes"):
        parser.feed(b"x" * 100)


def test_many_small_events_are_no_large_one() -> None:
    parser = SseParser(largest=1000)
    assert sum(len(parser.feed(b"data: 12345\n\n")) for _ in range(500)) == 500


FIELD = st.sampled_from([b"data: x", b"data:y", b"data", b"event: e", b": c", b"id: 7", b"junk"])
END = st.sampled_from([b"\n", b"\r", b"\r\n"])


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.one_of(st.just(b""), FIELD), max_size=12),
    st.data(),
)
def test_line_ends_and_cuts_change_nothing(lines: list[bytes], data: st.DataObject) -> None:
    plain = b"".join(line + b"\n" for line in lines)
    ended = b"".join(line + data.draw(END) for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(ended)), max_size=6)))
    edges = [0, *cuts, len(ended)]
    # a CR before an LF would be one line end: compare only where both mean the same
    if ended.replace(b"\r\n", b"\n").replace(b"\r", b"\n") == plain:
        chunks = [ended[a:b] for a, b in itertools.pairwise(edges)]
        assert parse(*chunks) == parse(plain)


RECORDED = sorted(SHARED.glob("*/*.sse"))


@pytest.mark.skipif(not RECORDED, reason="the recorded wire fixtures are not beside the repository")
@pytest.mark.parametrize("path", RECORDED, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_recorded_streams_in_pieces(path: Path) -> None:
    stream = path.read_bytes()
    whole = parse(stream)
    assert len(whole) == stream.replace(b"\r\n", b"\n").count(b"\ndata:") + stream.startswith(
        b"data:"
    )
    for size in (1, 7, 64):
        assert parse(*pieces(stream, size)) == whole
