"""What the loopback server says and hears: requests read, answers written, gates to wait at."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from turnloop_core.values import dataclass


class Gate:
    """A place where the server waits until the test opens it, or the client goes away.

    `reached` is set when the server arrives, `left` when the client closed the connection there.
    """

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.left = threading.Event()
        self._lock = threading.Lock()
        self._open = False
        self._waiters: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def open(self) -> None:
        """Let the server go on."""
        with self._lock:
            self._open = True
            waiters, self._waiters = self._waiters, []
        for loop, event in waiters:
            loop.call_soon_threadsafe(event.set)

    async def wait(self) -> None:
        """Wait until the gate is open (in the server's loop)."""
        event = asyncio.Event()
        with self._lock:
            if self._open:
                event.set()
            else:
                self._waiters.append((asyncio.get_running_loop(), event))
        self.reached.set()
        await event.wait()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server says to one request.

    Attributes:
        status: HTTP status; 0 sends nothing at all (with `drop`, the connection just ends).
        headers: added to what the framing needs; a content type is guessed when none is given.
        body: bytes go out at once with their length; a sequence goes out piece by piece, each
            flushed, and a `Gate` in it makes the server wait there.
        drop: end the connection after the body, without its proper end: `close` closes it, `reset`
            makes the client's socket fail.
        hold: wait here before anything is sent.
        until_close: no length and no chunks: the end of the connection is the end of the body.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | Sequence[bytes | Gate] = b""
    drop: Literal["close", "reset"] | None = None
    hold: Gate | None = None
    until_close: bool = False


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as it came.

    Attributes:
        method: `GET`, `POST`.
        path: with its query.
        headers: names in lower case; the last value where a name came twice.
        body: the bytes.
        connection: number of the connection, from 0: equal numbers mean that it was kept alive.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    connection: int = 0

    @property
    def json(self) -> Any:
        """The body, parsed."""
        return json.loads(self.body)


async def read_request(reader: asyncio.StreamReader, number: int) -> Recorded | None:
    line = (await reader.readline()).decode("latin-1").strip()
    if not line.endswith((" HTTP/1.1", " HTTP/1.0")):  # the end, or somebody who wants TLS
        return None
    method, path, _ = line.split(" ", 2)
    headers: dict[str, str] = {}
    while header := (await reader.readline()).decode("latin-1").strip():
        name, _, value = header.partition(":")
        headers[name.strip().lower()] = value.strip()
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = await _read_chunks(reader)
    else:
        body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Recorded(method, path, headers, body, number)


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    while size := int((await reader.readline()).split(b";")[0], 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    while (await reader.readline()).strip():
        pass  # trailers
    return b"".join(parts)


async def send(answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Send an answer; whether the connection stays open."""
    if answer.hold is not None and not await _hold(answer.hold, reader):
        return False
    if answer.status:
        await _send_parts(answer, reader, writer)
    if answer.drop == "reset":
        sock = writer.get_extra_info("socket")
        # linger of 0 seconds: the kernel sends RST instead of FIN
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        writer.transport.abort()
    return bool(answer.status) and answer.drop is None and not answer.until_close


async def _send_parts(
    answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    whole = isinstance(answer.body, bytes)
    parts: Sequence[bytes | Gate] = [answer.body] if isinstance(answer.body, bytes) else answer.body
    chunked = not answer.until_close and (not whole or answer.drop is not None)
    writer.write(_head(answer, chunked))
    for part in parts:
        if isinstance(part, Gate):
            if not await _hold(part, reader):
                raise ConnectionResetError
        elif part:
            writer.write(b"%x\r\n%b\r\n" % (len(part), part) if chunked else part)
        await writer.drain()
    if chunked and answer.drop is None:
        writer.write(b"0\r\n\r\n")
    await writer.drain()


def _head(answer: Answer, chunked: bool) -> bytes:
    headers = dict(answer.headers)
    if not any(name.lower() == "content-type" for name in headers):
        start = answer.body if isinstance(answer.body, bytes) else b""
        looks_json = start.lstrip()[:1] in (b"{", b"[")
        headers["content-type"] = "application/json" if looks_json else "text/event-stream"
    if chunked:
        headers["transfer-encoding"] = "chunked"
    elif answer.until_close:
        headers["connection"] = "close"
    elif isinstance(answer.body, bytes):
        headers["content-length"] = str(len(answer.body))
    lines = [f"HTTP/1.1 {answer.status} scripted", *(f"{k}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


async def _hold(gate: Gate, reader: asyncio.StreamReader) -> bool:
    """Wait at a gate; whether the client is still there."""
    opened = asyncio.ensure_future(gate.wait())
    gone = asyncio.ensure_future(reader.read(1))
    try:
        await asyncio.wait({opened, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not gone.done():
            return True
        if gone.exception() is None and gone.result():
            raise AssertionError("the client sent something while it was to wait")
        gate.left.set()
        return False
    finally:
        opened.cancel()
        gone.cancel()
        await asyncio.wait({opened, gone})  # the reader is free again only then
