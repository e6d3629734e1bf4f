"""A real HTTP/1.1 server on 127.0.0.1 that answers as a test scripts it.

It runs in a thread of its own, so that a client under test may block or be killed. Bytes go out
exactly as they are given, piece by piece; connections can end early in the ways that real ones do.

    with Loopback(Answer(body=sse(*chat_chunks(text="hello")))) as server:
        ...  # talk to server.url
    assert server.requests[0].json["stream"] is True
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from turnloop_core.testing._http import Answer, Gate, Recorded, read_request, send
from turnloop_core.testing.wire import chat_chunks, pieces, sse

__all__ = [
    "Answer",
    "Gate",
    "Loopback",
    "Recorded",
    "chat_chunks",
    "free_port",
    "pieces",
    "sse",
]

LONGEST_WAIT_S = 30.0  # a test that waits longer than this has failed


Handler = Callable[[Recorded], Answer]


class Loopback:
    """The server, as a context manager.

    Args:
        answers: given in their order, one for each request; requests beyond them get a 400.
        handler: decides instead of `answers`.

    Attributes:
        requests: what came, in order.
        url: `http://127.0.0.1:PORT`.
    """

    def __init__(self, *answers: Answer, handler: Handler | None = None) -> None:
        self.requests: list[Recorded] = []
        self.url = ""
        self.port = 0
        self._answers = list(answers)
        self._handler = handler
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._connections = 0
        self._thread = threading.Thread(target=self._run, name="loopback", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(LONGEST_WAIT_S)
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(LONGEST_WAIT_S)
        assert not self._thread.is_alive(), "the loopback server did not stop"
        if self._failure is not None:
            raise self._failure

    def answer(self, *answers: Answer) -> None:
        """Add answers to the script."""
        self._answers.extend(answers)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001  # handed to the test's own thread
            self._failure = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        tasks: set[asyncio.Task[None]] = set()
        writers: list[asyncio.StreamWriter] = []

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            number, self._connections = self._connections, self._connections + 1
            writers.append(writer)
            task = asyncio.ensure_future(self._converse(reader, writer, number))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await asyncio.start_server(accept, "127.0.0.1", 0, limit=1 << 20)
        self.port = server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._ready.set()
        await self._stop.wait()
        server.close()
        for _ in range(10):  # what clients did before the end is still to be noticed
            await asyncio.sleep(0)
        pending = list(tasks)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        for writer in writers:  # a task that was cancelled before it began closed nothing
            writer.close()
        await server.wait_closed()

    async def _converse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int
    ) -> None:
        try:
            while (recorded := await read_request(reader, number)) is not None:
                self.requests.append(recorded)
                if not await send(self._next(recorded), reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went away: that is what many tests are about
        except Exception as error:  # noqa: BLE001  # a handler's: raised when the test ends
            self._failure = error
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    def _next(self, recorded: Recorded) -> Answer:
        if self._handler is not None:
            return self._handler(recorded)
        if self._answers:
            return self._answers.pop(0)
        return Answer(400, body=b'{"error": {"message": "the script has no answer left"}}')


def free_port() -> int:
    """A port of 127.0.0.1 on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
