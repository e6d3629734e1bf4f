"""Messages of the search programs: long ones are cut, and what is needed of them is kept."""

from __future__ import annotations

import io
import json
import tracemalloc

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_search.hits import Hits
from turnloop_search.messages import messages

LIMIT = 64 * 1024


def match(text: str | bytes, start: int, *, number: int = 7, others: int = 0) -> bytes:
    """A message as `rg --json` writes it."""
    if isinstance(text, bytes):
        from base64 import b64encode

        told = {"bytes": b64encode(text).decode()}
    else:
        told = {"text": text}
    places = [{"match": {"text": "x"}, "start": start, "end": start + 1}]
    places += [{"match": {"text": "x"}, "start": start + 5, "end": start + 6}] * others
    data = {
        "path": {"text": 'a "quoted" name'},
        "lines": told,
        "line_number": number,
        "absolute_offset": 12,
        "submatches": places,
    }
    message = {"type": "match", "data": data}
    return (json.dumps(message, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def taken(line: bytes, most: int = 1_000_000) -> list[dict]:
    return [json.loads(message) for message in messages(io.BytesIO(line), most)]


filling = st.sampled_from(
    ['"},"line_number":3', "\\", '"', "é", "日本", "\x01", "\U0001f600", "ab"]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(filling, min_size=1, max_size=6).map("".join), st.integers(0, 500), st.booleans())
def test_a_long_line_says_the_same_as_read_whole(piece, start, after):
    text = piece * (LIMIT // len(piece)) + "end\n"
    line = match(text, start, others=2_000 if after else 0)
    (message, last) = taken(line + match("short", 1))
    whole = json.loads(line)["data"]
    assert message["type"] == "match"
    assert message["data"] == {
        "path": whole["path"],
        "lines": {"text": text},
        "line_number": 7,
        "submatches": [{"start": start}],
        "cut": False,
    }
    assert last["data"]["lines"] == {"text": "short"}


@settings(max_examples=100, deadline=None)
@given(st.lists(filling, min_size=1, max_size=6).map("".join), st.integers(100, 5_000))
def test_a_longer_one_is_cut_and_says_so(piece, most):
    text = piece * (LIMIT // len(piece) + 1)
    (message,) = taken(match(text, 3), most)
    cut = message["data"]["lines"]["text"]
    assert message["data"]["cut"] is True
    assert message["data"]["line_number"] == 7
    assert message["data"]["submatches"] == [{"start": 3}]
    known = cut.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    assert text.startswith(known)
    assert len(cut) <= most


def test_bytes_that_are_no_text_are_cut_too():
    (message,) = taken(match(b"caf\xe9 " * 50_000, 3), 5_000)
    hits = Hits()
    hits.take(b'{"type":"begin","data":{"path":{"text":"a"}}}\n', keep=True)
    hits.take(json.dumps(message).encode(), keep=True)
    ((number, text, is_match),) = hits.files[0].lines
    assert (number, is_match, hits.cut) == (7, True, "")
    assert text.startswith("caf\udce9 caf\udce9 ")
    assert text.endswith(" characters...")


@pytest.mark.parametrize(
    "line", [b"x" * 300_000, b"x" * 300_000 + b"\n", b'{"type":"match",' * 90_000]
)
def test_a_long_line_of_nonsense_ends_and_is_noticed(line):
    hits = Hits()
    for message in messages(io.BytesIO(line), 1_000):
        hits.take(message, keep=True)
    assert hits.cut == "the search program's answer broke off"


def test_memory_does_not_grow_with_the_matches():
    class Endless(io.RawIOBase):
        """A line with a match in it, and 40 MB of places after it."""

        def __init__(self) -> None:
            head = match("a" * LIMIT, 5).removesuffix(b"]}}\n")
            self._pieces = [head, *[b',{"match":{"text":"x"},"start":9,"end":10}' * 10_000] * 100]
            self._pieces.append(b"]}}\n")

        def readable(self) -> bool:
            return True

        def readinto(self, buffer) -> int:
            piece = self._pieces.pop(0) if self._pieces else b""
            self._pieces[:0] = [piece[len(buffer) :]] if len(piece) > len(buffer) else []
            buffer[: len(piece[: len(buffer)])] = piece[: len(buffer)]
            return min(len(piece), len(buffer))

    tracemalloc.start()
    try:
        found = [json.loads(m) for m in messages(io.BufferedReader(Endless()))]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [message["data"]["submatches"] for message in found] == [[{"start": 5}]]
    assert peak < 12_000_000


def test_one_line_with_very_many_matches(scan_desk):
    desk = scan_desk({"min.js": "start " + "abc MARK " * 60_000, "b.txt": "MARK\n"})
    result = desk.grep("MARK")
    *names, line = desk.listed(result)
    assert names == ["b.txt", "1:MARK", "min.js"]
    assert line.startswith("1:start abc MARK abc MARK ")
    assert line.endswith("...539,706 characters...")
    assert "[2 matching lines in 2 files]" in desk.notes(result)


def test_of_an_enormous_line_only_the_beginning_is_held(scan_desk):
    result = scan_desk({"min.js": "MARK " + "x" * 17_000_000}).grep("MARK")
    (_, line) = result.text.splitlines()[:2]
    assert line.startswith("1:MARK xxx")
    assert "...over 16,7" in line
    assert result.facts[0].complete
