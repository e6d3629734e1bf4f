"""Lines that the user types, without holding up the loop that runs the agent."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable


class TypedLines:
    """Reads lines from a descriptor in a thread, and hands them to a function in the loop.

    Args:
        receive: called in the loop's thread with each line, without its end; None is the end of
            input.
        descriptor: what to read; a terminal gives whole lines.
    """

    def __init__(self, receive: Callable[[str | None], None], descriptor: int = 0) -> None:
        self._receive = receive
        self._descriptor = descriptor

    def start(self) -> None:
        """Begin. The thread ends with the process: a read from a terminal cannot be called off."""
        loop = asyncio.get_running_loop()
        # Straight from the descriptor: a thread that sits in sys.stdin holds a lock at exit.
        threading.Thread(target=self._read, args=(loop,), daemon=True).start()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        rest = b""
        while True:
            try:
                piece = os.read(self._descriptor, 65_536)
            except OSError:
                piece = b""
            *whole, rest = (rest + piece).split(b"\n")
            if not piece and rest:
                whole, rest = [rest], b""
            texts: list[str | None] = [line.decode(errors="replace").rstrip("\r") for line in whole]
            if not piece:
                texts.append(None)
            try:
                for text in texts:
                    loop.call_soon_threadsafe(self._receive, text)
            except RuntimeError:  # the loop is closed: nobody listens any more
                return
            if not piece:
                return
