"""How fast a stream goes through the SSE parser, and through parser and decoder."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from bench.measured import Budget, Measured, figure
from bench.samples import call_stream, text_stream
from turnloop_core.errors import ProviderError
from turnloop_core.transport.sse import SseParser
from turnloop_openai_compat.decode import Decoder

CHUNK = 16 * 1024
SIZE = 8_000_000
ROUNDS = 5
RECORDED = Path(__file__).resolve().parent.parent.parent / "shared" / "fixtures" / "wire"
OTHER_WIRES = ("anthropic", "gemini")
LIMIT = 20.0


def parse(stream: bytes) -> int:
    """Through the parser alone; the number of events."""
    parser, events = SseParser(), 0
    for start in range(0, len(stream), CHUNK):
        events += len(parser.feed(stream[start : start + CHUNK]))
    return events + len(parser.close())


def decode(stream: bytes) -> int:
    """Through parser and decoder; the number of deltas."""
    parser, decoder, deltas = SseParser(), Decoder("bench"), 0
    for start in range(0, len(stream), CHUNK):
        for event in parser.feed(stream[start : start + CHUNK]):
            deltas += len(decoder.feed(event))
    return deltas + len(decoder.close())


def recorded() -> list[bytes]:
    """The recorded streams of this wire that end well, where they are there."""
    streams = []
    for path in sorted(RECORDED.glob("*/*.sse")):
        if path.parent.name in OTHER_WIRES:
            continue
        stream = path.read_bytes()
        try:
            decode(stream)
        except ProviderError:  # a recorded fault: it ends early, so it proves nothing here
            continue
        streams.append(stream)
    return streams


def rate(work: Callable[[bytes], int], streams: Iterable[bytes], size: int) -> float:
    """MB a second over at least `size` bytes."""
    streams = list(streams)
    whole = sum(map(len, streams))
    times = max(1, size // whole)
    began = time.perf_counter()
    for _ in range(times):
        for stream in streams:
            work(stream)
    return times * whole / (time.perf_counter() - began) / 1e6


def run(quick: bool) -> Measured:
    size, rounds = (20_000, 1) if quick else (SIZE, ROUNDS)
    inputs = {"text": [text_stream(size)], "calls": [call_stream(size)], "recorded": recorded()}
    figures = []
    for name, streams in inputs.items():
        if streams:
            for what, work in (("parser", parse), ("parser and decoder", decode)):
                runs = [rate(work, streams, size) for _ in range(rounds)]
                figures.append(figure(f"{name}: {what}", runs, "MB/s"))
    budgets = [
        Budget(each.name, each.value, LIMIT, "MB/s", at_least=True)
        for each in figures
        if each.name in ("text: parser and decoder", "calls: parser and decoder")
    ]
    note = f"Pieces of {CHUNK // 1024} KB."
    missing = () if inputs["recorded"] else ("The recorded streams are not there.",)
    return Measured(tuple(figures), tuple(budgets), (note, *missing))
