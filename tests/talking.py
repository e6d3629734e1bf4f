"""A conversation with the program on a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import time
from contextlib import suppress
from typing import Any

BOUND = 20.0


class Talk:
    """A conversation with the program: type, and wait for what it shows."""

    def __init__(self, tl: Any, *arguments: str) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:  # the program, with the terminal as its own
            try:
                os.chdir(tl.cwd)
                os.execve(
                    sys.executable,
                    [*tl.command, *arguments],
                    {**tl.variables(), "TERM": "dumb"},
                )
            finally:
                os._exit(127)
        self.seen = ""
        self._read = 0  # how much of `seen` was waited for

    def wait(self, word: str) -> None:
        """Until the program shows it, after what was waited for before."""
        until = time.monotonic() + BOUND
        while word not in self.seen[self._read :]:
            piece = self._piece(until)
            assert piece, f"{word!r} did not come: {self.seen!r}"
        self._read = self.seen.index(word, self._read) + len(word)

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def end(self) -> int:
        """Wait for the end; the exit status."""
        until = time.monotonic() + BOUND
        while self._piece(until):
            pass
        os.close(self.fd)
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)

    def kill(self) -> None:
        """End the program, unless it has ended, as it should."""
        with suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            os.close(self.fd)

    def _piece(self, until: float) -> str:
        ready, _, _ = select.select([self.fd], [], [], max(0, until - time.monotonic()))
        assert ready, f"nothing comes: {self.seen!r}"
        try:
            piece = os.read(self.fd, 65_536)
        except OSError:  # Linux: the program is gone
            return ""
        self.seen += piece.decode()
        return piece.decode()
