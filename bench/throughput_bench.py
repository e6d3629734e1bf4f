"""How fast a stream goes through the SSE parser, and through parser and decoder of each wire."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from bench.measured import Budget, Measured, figure
from bench.samples import call_stream, messages_stream, parts_stream, text_stream
from turnloop_anthropic.wire import WIRE as MESSAGES
from turnloop_core.errors import ProviderError
from turnloop_core.transport.speaker import Speaker
from turnloop_core.transport.sse import SseParser
from turnloop_core.transport.wire_format import WireFormat
from turnloop_gemini.wire import WIRE as PARTS
from turnloop_openai_compat.wire import WIRE as CHAT

CHUNK = 16 * 1024
SIZE = 8_000_000
ROUNDS = 5
RECORDED = Path(__file__).resolve().parent.parent.parent / "shared" / "fixtures" / "wire"
WIRES: Mapping[str, WireFormat] = {"anthropic": MESSAGES, "gemini": PARTS, "openai_compat": CHAT}
LIMIT = 20.0


def parse(stream: bytes) -> int:
    """Through the parser alone; the number of events."""
    parser, events = SseParser(), 0
    for start in range(0, len(stream), CHUNK):
        events += len(parser.feed(stream[start : start + CHUNK]))
    return events + len(parser.close())


def decoding(wire: WireFormat) -> Callable[[bytes], int]:
    """Through parser and decoder of a wire; gives the number of deltas."""

    def decode(stream: bytes) -> int:
        parser, decoder, deltas = wire.framing(), wire.decoder(Speaker("bench")), 0
        for start in range(0, len(stream), CHUNK):
            for event in parser.feed(stream[start : start + CHUNK]):
                deltas += len(decoder.feed(event))
        return deltas + len(decoder.close())

    return decode


def recorded(kind: str) -> list[bytes]:
    """The recorded streams of a wire that end well, where they are there."""
    streams = []
    for path in sorted(RECORDED.glob("*/*.sse")):
        if (path.parent.name if path.parent.name in WIRES else "openai_compat") != kind:
            continue
        stream = path.read_bytes()
        try:
            decoding(WIRES[kind])(stream)
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
    inputs = {
        "chat text": ("openai_compat", [text_stream(size)]),
        "chat calls": ("openai_compat", [call_stream(size)]),
        "messages text": ("anthropic", [messages_stream(size)]),
        "parts text": ("gemini", [parts_stream(size)]),
        **{f"{kind} recorded": (kind, recorded(kind)) for kind in WIRES},
    }
    figures = []
    for name, (kind, streams) in inputs.items():
        if streams:
            for what, work in (("parser", parse), ("parser and decoder", decoding(WIRES[kind]))):
                runs = [rate(work, streams, size) for _ in range(rounds)]
                figures.append(figure(f"{name}: {what}", runs, "MB/s"))
    budgets = [
        Budget(each.name, each.value, LIMIT, "MB/s", at_least=True)
        for each in figures
        if each.name.endswith("decoder") and "recorded" not in each.name
    ]
    note = f"Pieces of {CHUNK // 1024} KB."
    missing = () if inputs["gemini recorded"][1] else ("The recorded streams are not there.",)
    return Measured(tuple(figures), tuple(budgets), (note, *missing))
