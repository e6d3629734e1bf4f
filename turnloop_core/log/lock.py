"""One writer for each session.

The lock is the operating system's, on a small file beside the log: it goes when its process goes,
however that ends, so there are no stale locks. The file itself stays (removing it would let two
processes hold a lock each) and says who holds it.
"""

from __future__ import annotations

import errno
import json
import os
import time
from contextlib import suppress
from pathlib import Path

from turnloop_core.disk import lock_now, unlock
from turnloop_core.errors import LogError, SessionLockedError
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock: process id, and when it took the lock (Unix, seconds)."""

    pid: int
    started: float


class SessionLock:
    """A lock that this process holds until `release`."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor = descriptor
        self.path = path

    @classmethod
    def acquire(cls, path: Path, *, session: str) -> SessionLock:
        """Take the lock at `path`, at once or not at all.

        Raises:
            SessionLockedError: another process, or another writer of this one, holds it.
            LogError: the lock file cannot be made or locked.
        """
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        except OSError as error:
            raise _unusable(path, error) from error
        try:
            lock_now(descriptor)
            _write_holder(descriptor)
        except OSError as error:
            holder = _read_holder(descriptor)
            os.close(descriptor)
            if isinstance(error, BlockingIOError):
                raise _locked(session, holder) from error
            raise _unusable(path, error) from error
        return cls(descriptor, path)

    def release(self, *, remove: bool = False) -> None:
        """Give the lock back; a second time does nothing.

        Args:
            remove: remove the file too; right only for a session that nobody else knows of.
        """
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            if remove:
                with suppress(OSError):  # Windows does not remove what is open
                    self.path.unlink()
            unlock(descriptor)
            os.close(descriptor)


def _locked(session: str, holder: Holder | None) -> SessionLockedError:
    who = "another process"
    if holder is not None:
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(holder.started))
        who = f"process {holder.pid} (since {since})"
    return SessionLockedError(
        f"session {session} is in use by {who}",
        hint="wait until that ends, or leave out `--resume` to begin a session of your own",
    )


def _unusable(path: Path, error: OSError) -> LogError:
    return LogError(
        f"cannot lock the session: {path}: {error.strerror or error}",
        hint=f"make {path.parent} a writable folder on a disk with room and file locks",
    )


def _write_holder(descriptor: int) -> None:
    text = json.dumps({"pid": os.getpid(), "started": time.time()}).encode() + b"\n"
    os.lseek(descriptor, 0, os.SEEK_SET)
    try:
        os.write(descriptor, text)
        os.ftruncate(descriptor, len(text))
    except OSError as error:
        # A full disk: the lock holds all the same, only its holder stays unnamed.
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise


def _read_holder(descriptor: int) -> Holder | None:
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        data = json.loads(os.read(descriptor, 1000))
        return Holder(int(data["pid"]), float(data["started"]))
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None  # it holds the lock, and has not written its name yet
