"""Write a log: one record, one line, on its way to the disk before what it announces happens.

The file is only ever appended to. What a crash left behind is mended by appending: a torn last
line gets its newline, calls without results get one that says so, an open run gets its end.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from turnloop_core.disk import sync_folder
from turnloop_core.errors import LogError
from turnloop_core.log.jsonl import MAX_LINE, encode
from turnloop_core.log.lock import SessionLock
from turnloop_core.log.reader import Damage, collector_paused, open_log, read_records, unreadable
from turnloop_core.log.records import Body, EndRecord, Record, ResultRecord, SessionRecord
from turnloop_core.log.view import Fold, unanswered_result
from turnloop_core.types.events import RunEnd
from turnloop_core.types.view import View

Clock = Callable[[], float]

_FLAGS = os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class LogWriter:
    """The one writer of a session. Make it with `create` or `open`.

    Attributes:
        path: the log.
        fold: what the log says so far.
        damage: what could not be read when an existing log was opened.
    """

    def __init__(self, path: Path, descriptor: int, lock: SessionLock, clock: Clock) -> None:
        self.path = path
        self.fold = Fold()
        self.damage: tuple[Damage, ...] = ()
        self._descriptor = descriptor
        self._lock = lock
        self._clock = clock
        self._next = 1
        self._torn = False  # the file does not end with a newline
        self._folder_synced = False
        self._unused = False  # made here, and nothing was said in it yet
        # Not every file system counts names; where it does, none left means that the log is gone.
        self._counts_names = os.fstat(descriptor).st_nlink > 0

    @classmethod
    def create(cls, path: Path, session: SessionRecord, *, clock: Clock = time.time) -> LogWriter:
        """Begin a log; folders that are missing are made, private to the user.

        Raises:
            SessionLockedError: another writer holds this session.
            LogError: the log exists already, or cannot be written.
        """
        try:
            make_private_folder(path.parent)
        except OSError as error:
            raise _no_folder(path, error) from error
        writer = cls._locked(path, os.O_CREAT | os.O_EXCL, "create", clock)
        with ExitStack() as unless_begun:
            unless_begun.callback(writer.close, discard_unused=True)
            writer._begin(session)
            unless_begun.pop_all()
        return writer

    @classmethod
    def open(cls, path: Path, *, clock: Clock = time.time) -> LogWriter:
        """Go on with a log: read it, fold it, and append what brings it into a legal state.

        Raises:
            SessionLockedError: another writer holds this session.
            LogError: the log is not there, or cannot be read or written.
        """
        if not path.is_file():
            raise unreadable(path, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
        writer = cls._locked(path, 0, "write", clock)
        with ExitStack() as unless_mended:
            unless_mended.callback(writer.close)
            writer._read()
            writer._mend()
            unless_mended.pop_all()
        return writer

    @classmethod
    def _locked(cls, path: Path, flags: int, verb: str, clock: Clock) -> LogWriter:
        lock = SessionLock.acquire(path.with_suffix(".lock"), session=path.stem)
        try:
            descriptor = os.open(path, _FLAGS | flags, 0o600)
        except OSError as error:
            lock.release()
            raise _cannot(verb, path, error) from error
        return cls(path, descriptor, lock, clock)

    def now(self) -> float:
        """The clock of the log: Unix time, seconds."""
        return self._clock()

    @property
    def view(self) -> View:
        return self.fold.view()

    def append(self, body: Body) -> Record:
        """Number, stamp, write and fold a record. When this returns, a kill cannot lose it.

        Raises:
            LogError: it could not be written; it is not folded, and the log stays readable.
        """
        record = Record(self._next, self._clock(), body)
        line = encode(record)
        if len(line) > MAX_LINE:
            raise LogError(
                f"a record of {len(line)} bytes is too large for the session log",
                hint="ask for less at once",
            )
        self._write(b"\n" + line + b"\n" if self._torn else line + b"\n")
        self.fold.feed(record)
        return record

    def _begin(self, session: SessionRecord) -> None:
        """Write the first record. Where that fails, nothing was said yet: no log is left behind."""
        try:
            self.append(session)
        except LogError as error:
            if isinstance(error.__cause__, OSError):
                raise _cannot("create", self.path, error.__cause__) from error.__cause__
            raise
        finally:
            self._unused = True

    def _write(self, data: bytes) -> None:
        if self._counts_names and not os.fstat(self._descriptor).st_nlink:
            raise LogError(
                f"the session log {self.path} was removed while it was in use",
                hint="begin a new session; what was done so far stands in no record",
            )
        was_torn, written = self._torn, 0
        # Whatever ends this early, an interrupt too, leaves a line that the next append must end,
        # and a number that may be on disk already.
        self._torn = True
        self._next += 1
        self._unused = False
        try:
            while written < len(data):
                written += _write_some(self._descriptor, data[written:] if written else data)
        except OSError as error:
            if not written:
                self._torn = was_torn
                self._next -= 1
            raise _cannot("write", self.path, error) from error
        self._torn = False

    def sync(self) -> None:
        """Wait until all of it is on the disk itself, safe from a loss of power.

        Raises:
            LogError: the disk refuses.
        """
        try:
            getattr(os, "fdatasync", os.fsync)(self._descriptor)
            if not self._folder_synced:
                sync_folder(self.path.parent)
        except OSError as error:
            raise _cannot("write", self.path, error) from error
        self._folder_synced = True

    def close(self, *, discard_unused: bool = False) -> None:
        """Close the file and give the lock back; a second time does nothing.

        Args:
            discard_unused: remove a log that this writer made and in which nothing stands but
                what the session is.
        """
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            discard = discard_unused and self._unused
            try:
                os.close(descriptor)
                if discard:
                    self.path.unlink(missing_ok=True)
            finally:
                self._lock.release(remove=discard)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _read(self) -> None:
        damage: list[Damage] = []
        with open_log(self.path) as stream, collector_paused():
            try:
                for record in read_records(stream, damage):
                    self.fold.feed(record)
                if stream.tell():
                    stream.seek(-1, os.SEEK_END)
                    self._torn = stream.read(1) != b"\n"
            except OSError as error:
                raise unreadable(self.path, error) from error
        self.damage = tuple(damage)
        self._next = self.fold.last_number + 1

    def _mend(self) -> None:
        for missing in self.fold.unanswered():
            result = unanswered_result(started=missing.started)
            self.append(ResultRecord(missing.turn, missing.call, result))
        if self.fold.run_open:
            self.append(EndRecord(RunEnd.INTERRUPTED, "the program ended during the run"))


def _write_some(descriptor: int, data: bytes) -> int:
    count = os.write(descriptor, data)
    if not count:
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    return count


def make_private_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, each for the user alone."""
    missing: list[Path] = []
    while not folder.exists() and folder != folder.parent:
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def _no_folder(path: Path, error: OSError) -> LogError:
    """The folder of a log cannot be made: what stands in its way is named."""
    for folder in reversed((path.parent, *path.parent.parents)):
        if os.path.lexists(folder) and not folder.is_dir():
            return LogError(
                f"cannot create the session log {path}: {folder} is no folder",
                hint="move it out of the way",
            )
    return _cannot("create", path, error)


def _cannot(verb: str, path: Path, error: OSError) -> LogError:
    if isinstance(error, FileExistsError):
        hint = f"go on with it: `tl --resume {path.stem}`"
    elif verb == "create" and error.errno in _FULL:
        hint = "free some space, then try again"
    elif verb == "create":
        hint = f"make {path.parent} writable for you"
    elif error.errno in _FULL:
        hint = f"free some space, then go on with `tl --resume {path.stem}`"
    else:
        hint = f"check the disk and its permissions, then go on with `tl --resume {path.stem}`"
    return LogError(f"cannot {verb} the session log {path}: {error.strerror or error}", hint=hint)
