"""Reads small files that steer a look, and nothing that could hang or lead elsewhere."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_ISREG

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def read_regular(path: str | Path, most: int, *, links: bool = False) -> bytes | None:
    """The first `most` bytes of a regular file, None when there is none to read.

    A pipe with that name is never waited for, a device never read.

    Args:
        path: the file.
        most: bytes.
        links: the file may be a symbolic link; folders on the way to it always may.
    """
    try:
        fd = os.open(path, _FLAGS | (0 if links else _NO_LINK))
    except (OSError, ValueError):
        return None
    try:
        if not S_ISREG(os.fstat(fd).st_mode):
            return None
        with os.fdopen(fd, "rb", closefd=False) as file:
            return file.read(most)
    except OSError:
        return None
    finally:
        os.close(fd)
