"""A command that runs: waits for its end and takes its output, without a thread.

The shell's own end and the end of the output are two things: a process in the background keeps the
pipe open for as long as it likes.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

_CHUNK = 64 * 1024
_FIRST_LOOK = 0.002
_LONGEST_PAUSE = 0.05

Sink = Callable[[bytes], None]


class Running:
    """A started command.

    Args:
        command_line: program and arguments.
        cwd: working folder.
        environment: variables.
        sink: takes the output, standard output and error in the order in which they came.

    Raises:
        OSError: it could not be started.
        ValueError: a null character in the command, or half of a character pair.
    """

    def __init__(
        self, command_line: list[str], cwd: str, environment: Mapping[str, str], sink: Sink
    ) -> None:
        self.sink = sink
        self._loop = asyncio.get_running_loop()
        self.exited: asyncio.Future[int] = self._loop.create_future()
        self.drained: asyncio.Future[None] = self._loop.create_future()
        self._pidfd = -1
        self._pipe, writing = os.pipe()
        try:
            self.process = subprocess.Popen(
                _encoded(command_line),
                stdin=subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                cwd=cwd,
                env=environment,
                start_new_session=True,  # no controlling terminal, a group of its own
                creationflags=_creation_flags(),
            )
        except BaseException:
            os.close(self._pipe)
            raise
        finally:
            os.close(writing)
        if os.name == "nt":
            self._start_threads()
        else:
            os.set_blocking(self._pipe, False)
            self._loop.add_reader(self._pipe, self._read)
            self._watch()

    @property
    def pid(self) -> int:
        return self.process.pid

    async def wait_exit(self, seconds: float) -> bool:
        """Wait for the shell's own end; False when the time is over."""
        done, _ = await asyncio.wait((self.exited,), timeout=seconds)
        return bool(done)

    async def wait_drained(self, seconds: float) -> bool:
        """Wait until nobody holds the output any more; False when the time is over."""
        if not self.drained.done():
            await asyncio.wait((self.drained,), timeout=seconds)
        return self.drained.done()

    def close(self) -> None:
        """Take no more output. A process that could not be ended is still reaped when it ends."""
        if not self.drained.done():
            self._end_of_output()
        self.reap()

    def _read(self) -> None:
        try:
            data = os.read(self._pipe, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.sink(data)
        else:
            self._end_of_output()

    def _end_of_output(self) -> None:
        if os.name != "nt":
            self._loop.remove_reader(self._pipe)
            os.close(self._pipe)
        if not self.drained.done():
            self.drained.set_result(None)

    def _watch(self) -> None:
        """Learn of the end from the kernel, or look again and again where it does not tell."""
        try:
            self._pidfd = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            self._look(_FIRST_LOOK)
            return
        self._loop.add_reader(self._pidfd, self.reap)

    def _look(self, pause: float) -> None:
        if not self.reap():
            longer = min(2 * pause, _LONGEST_PAUSE)
            self._loop.call_later(pause, self._look, longer)

    def reap(self) -> bool:
        """See whether the shell has ended; the kernel tells of it only when the loop listens."""
        code = self.process.poll()
        if code is None:
            return False
        if self._pidfd != -1:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1
        if not self.exited.done():
            self.exited.set_result(code)
        return True

    def _start_threads(self) -> None:
        """Windows: its event loop cannot wait for pipes and processes of ours."""
        tell = self._loop.call_soon_threadsafe

        def read() -> None:
            with suppress(OSError, RuntimeError):  # RuntimeError: the loop is closed
                while data := os.read(self._pipe, _CHUNK):
                    tell(self.sink, data)
            with suppress(OSError, RuntimeError):
                os.close(self._pipe)
                tell(self._end_of_output)

        def wait() -> None:
            self.process.wait()
            with suppress(RuntimeError):
                tell(self.reap)

        for work in (read, wait):
            threading.Thread(target=work, daemon=True).start()


def _encoded(command_line: list[str]) -> list[str] | list[bytes]:
    """The command in UTF-8, whatever the locale says: so it comes, and so are files written."""
    if os.name == "nt":
        return command_line
    program, *rest = command_line
    return [os.fsencode(program), *(word.encode("utf-8", "surrogateescape") for word in rest)]


def _creation_flags() -> int:
    if os.name != "nt":
        return 0
    return int(
        getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
        | getattr(subprocess, "CREATE_NO_WINDOW", 0)
    )
