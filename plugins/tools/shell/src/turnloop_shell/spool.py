"""A file with a command's output: all of it, or its beginning and its end."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import IO

HEAD = 32 * 1024 * 1024
TAIL = 16 * 1024 * 1024  # twice: the last full part, and the one being filled


class Spool:
    """Takes output of any length and keeps at most 64 MB of it on disk, head and tail.

    A disk that is full ends the keeping, not the command; `trouble` says so. What was kept so far
    is given up then: the last free bytes belong to the record of the session.
    """

    def __init__(self, path: Path, *, head: int = HEAD, tail: int = TAIL) -> None:
        self.path = path
        self.trouble = ""
        self.left_out = 0
        self._room = head
        self._tail = tail
        self._made = False
        self._file: IO[bytes] | None = None
        self._older: IO[bytes] | None = None
        self._newer: IO[bytes] | None = None
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            # Unbuffered: who looks while the command runs sees all that came.
            self._file = os.fdopen(os.open(path, flags, 0o600), "wb", buffering=0)
            self._made = True
        except OSError as error:
            self._fail(error)

    def write(self, data: bytes | bytearray) -> None:
        if self._file is None:
            return
        try:
            self._write(memoryview(data))
        except OSError as error:
            self._fail(error)

    def _write(self, rest: memoryview) -> None:
        assert self._file is not None
        while rest and self._room:
            written = self._file.write(rest[: self._room])
            self._room -= written
            rest = rest[written:]
        while rest:
            part = self._part()
            written = part.write(rest[: self._tail - part.tell()])
            rest = rest[written:]

    def _part(self) -> IO[bytes]:
        """The part of the tail that has room; the oldest makes way for a new one."""
        from tempfile import TemporaryFile

        if self._newer is None or self._newer.tell() >= self._tail:
            if self._older is not None:
                self.left_out += self._older.tell()
                self._older.close()
            self._older = self._newer
            self._newer = TemporaryFile(buffering=0, dir=self.path.parent)  # noqa: SIM115
        return self._newer

    def close(self) -> None:
        """Put head and tail together."""
        from shutil import copyfileobj

        file, parts = self._file, [p for p in (self._older, self._newer) if p is not None]
        self._file = self._older = self._newer = None
        if file is None:
            return
        try:
            with file:
                if self.left_out:
                    file.write(f"\n[... {self.left_out:,} bytes were not kept ...]\n".encode())
                for part in parts:
                    part.seek(0)
                    copyfileobj(part, file, 1 << 20)
        except OSError as error:
            self._fail(error)
        finally:
            for part in parts:
                part.close()

    def _fail(self, error: OSError) -> None:
        self.trouble = error.strerror or type(error).__name__
        for file in (self._file, self._older, self._newer):
            if file is not None:
                file.close()
        self._file = self._older = self._newer = None
        self._give_up()

    def _give_up(self) -> None:
        """Give back the room that the file takes, even where somebody else holds it open."""
        if not self._made:  # what stands there is somebody else's
            return
        self._made = False
        with suppress(OSError):
            os.truncate(self.path, 0)
        with suppress(OSError):
            self.path.unlink()
