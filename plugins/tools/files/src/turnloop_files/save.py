"""Gives a file new content in one step: a crash leaves the old bytes or the new ones."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Self

from turnloop_files.access import BINARY, Place
from turnloop_files.answers import RefusedError, plural
from turnloop_files.keeping import (
    keep_attributes,
    remove_strays,
    sync_folder,
    temporary_name,
)

_FLAGS = os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | BINARY
_NO_NAMELESS = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL)
# Where a file cannot be put beside and renamed over, it may still be writable itself: folders
# without write right, and single files that a container mounts.
_NO_REPLACING = (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV)


def refuse_unless_writable(at: Place, status: os.stat_result) -> None:
    """A rename would silently replace a read-only file, so that is looked at first."""
    mode = stat.S_IMODE(status.st_mode)
    if mode & 0o222 == 0:
        raise RefusedError(
            f"{at.shown} is read-only (mode {mode:03o}). If it is really to be changed, make it "
            "writable first: chmod u+w"
        )
    if not os.access(at.name, os.W_OK, dir_fd=at.dir_fd):
        raise RefusedError(f"{at.shown} may not be written by this user (mode {mode:03o}).")


def save(at: Place, data: bytes, old: bytes | None, status: os.stat_result | None) -> list[str]:
    """Write `data` to the file, and give notes on what could not be kept.

    Args:
        at: where the file stands.
        data: the new content.
        old: what the file holds now, None for a new file.
        status: what `old` was read from.

    Raises:
        RefusedError: the file changed while this went on.
        OSError: nothing was changed.
    """
    remove_strays(at)
    if old is None or status is None:
        _create(at, data)
        return []
    if status.st_nlink > 1:
        _refuse_if_changed(at, status)
        # Replacing would part the names. That the other ones change too is known: permission was
        # asked with that reason.
        _write_in_place(at, data, old)
        others = status.st_nlink - 1
        return [f"written in place: {plural(others, 'other name')} (hard links) changed with it"]
    try:
        return _replace(at, data, status)
    except OSError as error:
        if error.errno not in _NO_REPLACING:
            raise
        _refuse_if_changed(at, status)
        _write_in_place(at, data, old)
        return ["written in place: its folder takes no file beside it"]


def _create(at: Place, data: bytes, *, nameless: bool = True) -> None:
    try:
        with _Beside(at, 0o666, nameless) as new:
            _write(new.fd, data)
            os.fsync(new.fd)
            if not new.appears():
                _refuse_if_there(at)
                new.take_place()
    except _NoNameError:
        _create(at, data, nameless=False)
    else:
        sync_folder(at)


def _replace(at: Place, data: bytes, status: os.stat_result, *, nameless: bool = True) -> list[str]:
    try:
        with _Beside(at, 0o600, nameless) as new:
            _write(new.fd, data)
            notes = keep_attributes(new.fd, at, status)
            os.fsync(new.fd)
            _refuse_if_changed(at, status)
            new.take_place()
    except _NoNameError:
        return _replace(at, data, status, nameless=False)
    sync_folder(at)
    return notes


class _NoNameError(Exception):
    """The system does not let us name a file that had no name."""


class _Beside:
    """The new file, in the folder of the old one, until it takes its place or goes away.

    On Linux it has no name at first: if we are killed before it gets one, nothing is left of it.
    """

    def __init__(self, at: Place, mode: int, nameless: bool) -> None:
        self._at = at
        self._name = temporary_name()
        fd = _open_nameless(at, mode) if nameless else None
        self._named = fd is None
        self.fd = self._open_named(mode) if fd is None else fd

    def _open_named(self, mode: int) -> int:
        flags = _FLAGS | os.O_CREAT | os.O_EXCL
        return os.open(_beside(self._at, self._name), flags, mode, dir_fd=self._at.dir_fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.fd != -1:
            with suppress(OSError):  # it is of no use any more
                os.close(self.fd)
        if self._named:
            with suppress(OSError):
                os.unlink(_beside(self._at, self._name), dir_fd=self._at.dir_fd)

    def appears(self) -> bool:
        """Become a new file, in one step. False where it has a name of its own already."""
        if self._named:
            return False
        try:
            _link(self.fd, self._at, self._at.name)
        except FileExistsError:
            raise _appeared(self._at) from None
        return True

    def take_place(self) -> None:
        """Become the file that stands there, in one step."""
        at = self._at
        if not self._named:
            _link(self.fd, at, self._name)
            self._named = True
        fd, self.fd = self.fd, -1
        os.close(fd)
        os.replace(_beside(at, self._name), at.name, src_dir_fd=at.dir_fd, dst_dir_fd=at.dir_fd)
        self._named = False


def _open_nameless(at: Place, mode: int) -> int | None:
    flag = getattr(os, "O_TMPFILE", 0)
    if not flag or at.dir_fd is None:
        return None
    try:
        return os.open(".", flag | os.O_WRONLY | os.O_CLOEXEC, mode, dir_fd=at.dir_fd)
    except OSError as error:
        if error.errno in _NO_NAMELESS:
            return None
        raise


def _link(fd: int, at: Place, name: str) -> None:
    try:
        os.link(f"/proc/self/fd/{fd}", name, dst_dir_fd=at.dir_fd, follow_symlinks=True)
    except OSError as error:
        if error.errno in (errno.EXDEV, errno.ENOENT, errno.EPERM, errno.EACCES):
            raise _NoNameError from None
        raise


def _write(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _refuse_if_changed(at: Place, status: os.stat_result) -> None:
    now = at.status()
    if now is None or _stamp(now) != _stamp(status):
        raise RefusedError(f"{at.shown} changed while it was being written: read it again.")


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _write_in_place(at: Place, data: bytes, old: bytes) -> None:
    fd = os.open(at.name, _FLAGS, dir_fd=at.dir_fd)
    try:
        mode = stat.S_IMODE(os.fstat(fd).st_mode)
        try:
            # What comes beyond the old end first: if there is no room for it, nothing is touched.
            os.lseek(fd, len(old), os.SEEK_SET)
            _write(fd, data[len(old) :])
            _overwrite(fd, data[: len(old)], len(data))
        except OSError as error:
            _put_back(fd, at, old, error)
            raise
        with suppress(OSError):  # the content is there; writing clears bits that lend rights
            if stat.S_IMODE(os.fstat(fd).st_mode) != mode:
                os.fchmod(fd, mode)
    finally:
        with suppress(OSError):  # it is synced
            os.close(fd)


def _overwrite(fd: int, start: bytes, length: int) -> None:
    os.lseek(fd, 0, os.SEEK_SET)
    _write(fd, start)
    os.ftruncate(fd, length)
    os.fsync(fd)


def _put_back(fd: int, at: Place, old: bytes, why: OSError) -> None:
    try:
        _overwrite(fd, old, len(old))
    except OSError:
        raise RefusedError(
            f"{at.shown} could not be written ({why.strerror}), and its old content could not be "
            "put back: it may be half written. Look at it, and mend it."
        ) from None


def _beside(at: Place, name: str) -> str:
    return name if at.dir_fd is not None else str(Path(at.name).with_name(name))


def _refuse_if_there(at: Place) -> None:
    if at.status() is not None:
        raise _appeared(at)


def _appeared(at: Place) -> RefusedError:
    return RefusedError(f"{at.shown} appeared while it was being created: read it first.")
