"""Answers that stream as lines instead of server-sent events."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import aclosing

import anyio
import pytest
from hypothesis import given, settings, strategies as st

from transport.bench import Bench, request
from turnloop_core.errors import BadReplyError, ProviderError, StreamCutError
from turnloop_core.testing.loopback import Answer, Gate, Loopback, pieces
from turnloop_core.transport.client import Transport
from turnloop_core.transport.lines import LineParser
from turnloop_core.transport.sse import SseEvent
from turnloop_core.types.deltas import Delta, End, Sent, TextDelta
from turnloop_core.types.items import StopReason


def parse(*chunks: bytes) -> list[str]:
    parser = LineParser()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    events += parser.close()
    assert parser.close() == []
    assert {(event.event, event.id) for event in events} <= {("", "")}
    return [event.data for event in events]


@pytest.mark.parametrize(
    ("stream", "lines"),
    [
        (b"", []),
        (b"\n \n\r\n", []),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\r\nb\n\n\nc", ["a", "b", "c"]),
        (b"a\rb\n", ["a\rb"]),
        (b"\xef\xbb\xbf{}\n\xef\xbb\xbf{}\n", ["{}", "\ufeff{}"]),
        ("\u20ac\U0001f600\u2028x\n".encode(), ["\u20ac\U0001f600\u2028x"]),
        (b"\xff\n", ["\ufffd"]),
    ],
)
def test_lines_at_every_cut(stream: bytes, lines: list[str]) -> None:
    assert parse(stream) == lines
    assert parse(*pieces(stream, 1)) == lines
    for cut in range(len(stream)):
        assert parse(stream[:cut], b"", stream[cut:]) == lines


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=8)), st.integers(1, 9))
def test_json_values_arrive_as_they_were_sent(values: list[str], size: int) -> None:
    stream = b"".join(json.dumps(v, ensure_ascii=False).encode() + b"\n" for v in values)
    assert [json.loads(line) for line in parse(*pieces(stream, size))] == values


def test_a_line_is_given_as_soon_as_it_is_complete() -> None:
    parser = LineParser()
    assert parser.feed(b"a") == []
    assert parser.feed(b"b\nc") == [SseEvent("", "ab")]
    assert parser.feed(b"\n") == [SseEvent("", "c")]


def test_a_line_has_a_largest_size_and_many_lines_have_none() -> None:
    parser = LineParser(largest=1000)
    assert sum(len(parser.feed(b"x" * 900 + b"\n")) for _ in range(5)) == 5
    assert parser.feed(b"x" * 900) == []
    with pytest.raises(BadReplyError, match="larger than 1,000 bytes"):
        parser.feed(b"x" * 101)


class Words:
    """Every line is `{"word": ...}`; `{"end": true}` is the end."""

    def __init__(self) -> None:
        self.done = False

    def feed(self, event: SseEvent) -> Sequence[Delta]:
        try:
            line = json.loads(event.data)
        except ValueError:
            raise BadReplyError("no JSON") from None
        self.done = "end" in line
        return () if self.done else (TextDelta(line["word"]),)

    def close(self) -> Sequence[Delta]:
        if not self.done:
            raise StreamCutError("no end")
        return (End(StopReason.END_TURN),)


ONE, TWO, LAST = b'{"word": "one"}\n', b'{"word": "two"}\n', b'{"end": true}\n'


def ask(answer: Answer) -> Bench:
    async def go(url: str) -> Bench:
        bench = Bench()
        try:
            async for delta in bench.transport.stream(request(url, framing=LineParser), Words):
                bench.deltas.append(delta)
        except ProviderError as error:
            bench.error = error
        finally:
            await bench.transport.aclose()
        return bench

    with Loopback(answer, *[answer] * 3) as server:
        return anyio.run(go, server.url)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_an_answer_of_lines(size: int) -> None:
    bench = ask(Answer(body=pieces(ONE + b"\n" + TWO + LAST.strip(), size)))
    assert bench.error is None
    assert bench.deltas == [Sent(), TextDelta("one"), TextDelta("two"), End(StopReason.END_TURN)]


def test_the_first_line_does_not_wait_for_the_last() -> None:
    """An answer that begins like a JSON text is not taken for one."""
    gate = Gate()

    async def first(url: str) -> Delta:
        transport = Transport()
        with anyio.fail_after(10):
            stream = transport.stream(request(url, framing=LineParser), Words)
            async with aclosing(stream) as deltas:
                found = [await anext(deltas), await anext(deltas)]
        await transport.aclose()
        return found[1]

    with Loopback(Answer(body=[ONE, gate])) as server:
        assert anyio.run(first, server.url) == TextDelta("one")


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=[ONE, b'{"wo'], drop="close"),
        Answer(body=[ONE, b'{"wo'], drop="reset"),
        Answer(body=ONE + b'{"wo'),
        Answer(body=ONE),
    ],
)
def test_an_answer_that_breaks_off_is_cut(answer: Answer) -> None:
    bench = ask(answer)
    assert type(bench.error) is StreamCutError
    assert not any(isinstance(delta, End) for delta in bench.deltas)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=b"<html>welcome</html>"),
        Answer(headers={"content-type": "text/html"}, body=b"welcome"),
        Answer(body=b""),
        Answer(body=b"hello\n"),
    ],
)
def test_what_is_no_answer_says_so(answer: Answer) -> None:
    assert type(ask(answer).error) is BadReplyError
