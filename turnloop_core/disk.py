"""What parts that write files share: locks, names that last, and caches."""

from __future__ import annotations

import errno
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

_HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_FAR = 1 << 30  # Windows locks bytes against reading too: these are beyond what is written

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def unlock(descriptor: int) -> None:
        """Give a lock back."""
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def unlock(descriptor: int) -> None:
        """Give a lock back."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def lock_now(descriptor: int) -> None:
    """Lock an open file against other processes, at once or not at all.

    Raises:
        BlockingIOError: somebody else holds it.
        OSError: it cannot be locked.
    """
    try:
        _take(descriptor)
    except OSError as error:
        if error.errno in _HELD:
            raise BlockingIOError(*error.args) from error
        raise


def sync_folder(folder: Path) -> None:
    """Make new names in a folder last; not every system and file system can."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_cache(path: Path) -> dict[str, Any]:
    """What `write_cache` kept; empty when it cannot be read."""
    try:
        kept = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def write_cache(path: Path, kept: dict[str, Any]) -> None:
    """Write the file in one step. A cache that cannot be written is none."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside.write_text(json.dumps(kept), encoding="utf-8")
        beside.replace(path)
