"""A model on loopback that plays a script, in a process of its own.

    python scripted_server.py TURNS FILE

Prints its port. Every conversation (one that brings no results of tools) starts the script: TURNS
replies with one call each, in turn a read of FILE and an `echo`, then a text. When standard input
closes, it prints what came, as JSON, and ends.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
    b"Cache-Control: no-cache\r\n\r\n"
)
ARGUMENT_PIECES = 3


class Script:
    """The replies, and a record of what was asked.

    Attributes:
        log: for each request: when its headers were here, when the last byte of its reply was
            handed over (both in nanoseconds of the monotonic clock, which all processes share), its
            size, and whether it repeats the request before it unchanged.
        first: the body of the first request.
    """

    def __init__(self, turns: int, file: str) -> None:
        self.log: list[dict[str, Any]] = []
        self.first = ""
        self._turns = turns
        self._file = file
        self._before: list[Any] = []

    def take(self, body: bytes, arrived: int) -> Iterator[bytes]:
        """Note a request and give the events of its reply."""
        messages = json.loads(body)["messages"]
        turn = sum(message["role"] == "assistant" for message in messages)
        kept = messages[: len(self._before)] == self._before if turn else True
        self._before = messages
        self.first = self.first or body.decode()
        self.log.append({"turn": turn, "arrived": arrived, "bytes": len(body), "kept": kept})
        return self._events(turn)

    def _events(self, turn: int) -> Iterator[bytes]:
        if turn >= self._turns:
            yield from (_chunk({"content": piece}) for piece in ("Do", "ne."))
            yield _chunk({}, "stop")
        else:
            yield from self._call(turn)
            yield _chunk({}, "tool_calls")
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        yield _event({"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": usage})
        yield b"data: [DONE]\n\n"

    def _call(self, turn: int) -> Iterator[bytes]:
        name, arguments = "Bash", {"command": f"echo turn {turn}"}
        if turn % 2 == 0:
            name = "Read"
            arguments = {"file_path": self._file, "offset": 1 + turn % 40, "limit": 10}  # type: ignore[dict-item]
        function = {"name": name, "arguments": ""}
        start = {"index": 0, "id": f"call_{turn}", "type": "function", "function": function}
        yield _chunk({"role": "assistant", "content": None, "tool_calls": [start]})
        text = json.dumps(arguments)
        size = -(-len(text) // ARGUMENT_PIECES)
        for begin in range(0, len(text), size):
            part = {"index": 0, "function": {"arguments": text[begin : begin + size]}}
            yield _chunk({"tool_calls": [part]})


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _event({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})


def _event(value: Any) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def converse(connection: socket.socket, script: Script) -> None:
    """One connection, request after request."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    held = b""
    while True:
        while b"\r\n\r\n" not in held:
            data = connection.recv(1 << 16)
            if not data:
                return
            held += data
        arrived = time.monotonic_ns()
        head, _, held = held.partition(b"\r\n\r\n")
        size = _length(head)
        while len(held) < size:
            held += connection.recv(1 << 20)
        body, held = held[:size], held[size:]
        events = list(script.take(body, arrived))
        connection.sendall(HEAD)
        for event in events:
            connection.sendall(b"%x\r\n%b\r\n" % (len(event), event))
        connection.sendall(b"0\r\n\r\n")
        script.log[-1]["ended"] = time.monotonic_ns()


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    raise ValueError("a request without its length")


def _serve(listener: socket.socket, script: Script) -> None:
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=converse, args=(connection, script), daemon=True).start()


def main(turns: int, file: str) -> None:
    script = Script(turns, file)
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=_serve, args=(listener, script), daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    sys.stdin.read()
    print(json.dumps({"log": script.log, "first": script.first}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
