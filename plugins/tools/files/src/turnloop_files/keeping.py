"""What a new file takes over from the one that it replaces, and what is left lying about."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from contextlib import suppress
from itertools import islice

from turnloop_files.access import Place

_STRAY = re.compile(r"\.[0-9a-f]{12}\.tl-tmp")
_LOOKED_AT = 5_000  # names in a folder
_OLD = 600  # seconds; no write that is still going on takes that long
_SPECIAL = stat.S_ISUID | stat.S_ISGID
# Set by the system for each file; they cannot be copied, and are not missed.
_NOT_COPIED = ("security.", "trusted.", "system.nfs4", "system.cifs")


def temporary_name() -> str:
    return f".{os.urandom(6).hex()}.tl-tmp"


def remove_strays(at: Place) -> None:
    """Remove what a killed process left in this folder: our own files alone, and old ones."""
    if at.dir_fd is None:
        return
    with suppress(OSError), os.scandir(at.dir_fd) as entries:
        for entry in islice(entries, _LOOKED_AT):
            if _STRAY.fullmatch(entry.name):
                with suppress(OSError):
                    _remove_if_old(at.dir_fd, entry.name)


def _remove_if_old(folder: int, name: str) -> None:
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISREG(status.st_mode) and time.time() - status.st_mtime > _OLD:
        os.unlink(name, dir_fd=folder)


def sync_folder(at: Place) -> None:
    """A new name is on disk only when its folder is. Not every system can do that."""
    if at.dir_fd is not None:
        with suppress(OSError):
            os.fsync(at.dir_fd)


def keep_attributes(fd: int, at: Place, status: os.stat_result) -> list[str]:
    """Owner, access lists, labels and mode bits of the old file, as far as they may be copied.

    To be called once the content is written: that clears the bits that lend the owner's rights.

    Returns:
        Notes on what could not be kept.
    """
    if not hasattr(os, "fchown"):  # Windows: a new file inherits from its folder
        return []
    notes = []
    mode = stat.S_IMODE(status.st_mode)
    if not _keep_owner(fd, status):
        mode &= ~_SPECIAL  # they would lend the rights of somebody else
        notes.append("owner and group could not be kept")
    if hasattr(os, "listxattr") and at.dir_fd is not None:
        lost = _keep_extended(fd, at)
        notes += [f"could not be kept: {', '.join(lost)}"] if lost else []
    os.fchmod(fd, mode)  # last: changing the owner clears bits, access lists change them
    return notes


def _keep_owner(fd: int, status: os.stat_result) -> bool:
    own = os.fstat(fd)
    if (own.st_uid, own.st_gid) == (status.st_uid, status.st_gid):
        return True
    try:
        os.fchown(fd, status.st_uid, status.st_gid)
    except PermissionError:
        with suppress(OSError):  # the group at least: its members go on having access
            os.fchown(fd, -1, status.st_gid)
        return False
    return True


def _keep_extended(fd: int, at: Place) -> list[str]:
    """Copy access lists and labels; drop what the folder gave the new file. What was lost."""
    try:
        old = os.open(at.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at.dir_fd)
    except PermissionError:  # writable, but not readable
        return []
    lost = []
    try:
        wanted = _listed(old)
        for key in _listed(fd):
            if key not in wanted and not key.startswith(_NOT_COPIED):
                with suppress(OSError):
                    os.removexattr(fd, key)
        for key in wanted:
            try:
                os.setxattr(fd, key, os.getxattr(old, key))
            except OSError as error:
                if error.errno != errno.ENODATA and not key.startswith(_NOT_COPIED):
                    lost.append(key)
    finally:
        os.close(old)
    return lost


def _listed(fd: int) -> list[str]:
    try:
        return os.listxattr(fd)
    except OSError:  # the file system has none
        return []
