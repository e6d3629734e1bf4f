"""Gives a file new content in one step: a crash leaves the old bytes or the new ones."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from turnloop_files.access import BINARY, Place
from turnloop_files.answers import RefusedError, plural

_FLAGS = os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | BINARY
_NO_ANONYMOUS = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL)
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
        _replace(at, data, status)
    except OSError as error:
        if error.errno not in _NO_REPLACING:
            raise
        _write_in_place(at, data, old)
        return ["written in place: its folder takes no file beside it"]
    return []


def _create(at: Place, data: bytes) -> None:
    fd = _open_anonymous(at, 0o666)
    if fd is not None:
        try:
            _fill(fd, data)
            if _link(fd, at, at.name):
                return
        except FileExistsError:
            raise _appeared(at) from None
        finally:
            os.close(fd)
    temporary = _temporary()
    fd = os.open(_beside(at, temporary), _FLAGS | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=at.dir_fd)
    try:
        try:
            _fill(fd, data)
        finally:
            os.close(fd)
        _refuse_if_there(at)
        _rename(at, temporary)
    except BaseException:
        _remove(at, temporary)
        raise


def _replace(at: Place, data: bytes, status: os.stat_result) -> None:
    temporary = _temporary()
    named = False
    fd = _open_anonymous(at, 0o600)
    try:
        if fd is None:
            flags = _FLAGS | os.O_CREAT | os.O_EXCL
            fd = os.open(_beside(at, temporary), flags, 0o600, dir_fd=at.dir_fd)
            named = True
        _keep_attributes(fd, at, status)
        _fill(fd, data)
        _refuse_if_changed(at, status)
        if not named:
            named = _link(fd, at, temporary)
            if not named:
                raise OSError(errno.EXDEV, "the file cannot be linked into its folder")
        os.close(fd)
        fd = None
        _rename(at, temporary)
        named = False
    finally:
        if fd is not None:
            os.close(fd)
        if named:
            _remove(at, temporary)


def _open_anonymous(at: Place, mode: int) -> int | None:
    """A file without a name: if we are killed before it is linked, nothing is left of it."""
    flag = getattr(os, "O_TMPFILE", 0)
    if not flag or at.dir_fd is None:
        return None
    try:
        return os.open(".", flag | os.O_WRONLY | os.O_CLOEXEC, mode, dir_fd=at.dir_fd)
    except OSError as error:
        if error.errno in _NO_ANONYMOUS:
            return None
        raise


def _link(fd: int, at: Place, name: str) -> bool:
    """Give an anonymous file a name; False where the system cannot do that."""
    try:
        os.link(f"/proc/self/fd/{fd}", name, dst_dir_fd=at.dir_fd, follow_symlinks=True)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno in (errno.EXDEV, errno.ENOENT, errno.EPERM, errno.EACCES):
            return False
        raise
    return True


def _fill(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]
    os.fsync(fd)


def _keep_attributes(fd: int, at: Place, status: os.stat_result) -> None:
    if not hasattr(os, "fchown"):  # Windows: a new file inherits from its folder
        return
    own = os.fstat(fd)
    if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
        with suppress(PermissionError):
            os.fchown(fd, status.st_uid, status.st_gid)
    if hasattr(os, "listxattr") and at.dir_fd is not None:
        _keep_extended(fd, at)
    os.fchmod(fd, stat.S_IMODE(status.st_mode))  # after the owner: changing that clears bits


def _keep_extended(fd: int, at: Place) -> None:
    """Access lists and labels, as far as they may be copied."""
    path_fd = os.open(at.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at.dir_fd)
    try:
        with suppress(OSError):
            for key in os.listxattr(path_fd):
                with suppress(OSError):
                    os.setxattr(fd, key, os.getxattr(path_fd, key))
    finally:
        os.close(path_fd)


def _refuse_if_changed(at: Place, status: os.stat_result) -> None:
    now = at.status()
    if now is None or _stamp(now) != _stamp(status):
        raise RefusedError(f"{at.shown} changed while it was being written: read it again.")


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _write_in_place(at: Place, data: bytes, old: bytes) -> None:
    fd = os.open(at.name, _FLAGS, dir_fd=at.dir_fd)
    try:
        try:
            _fill(fd, data)
            os.ftruncate(fd, len(data))
        except OSError:
            os.lseek(fd, 0, os.SEEK_SET)
            _fill(fd, old)
            os.ftruncate(fd, len(old))
            raise
    finally:
        os.close(fd)


def _temporary() -> str:
    return f".{os.urandom(6).hex()}.tl-tmp"


def _beside(at: Place, name: str) -> str:
    return name if at.dir_fd is not None else str(Path(at.name).with_name(name))


def _rename(at: Place, temporary: str) -> None:
    os.replace(_beside(at, temporary), at.name, src_dir_fd=at.dir_fd, dst_dir_fd=at.dir_fd)


def _remove(at: Place, temporary: str) -> None:
    with suppress(OSError):
        os.unlink(_beside(at, temporary), dir_fd=at.dir_fd)


def _refuse_if_there(at: Place) -> None:
    if at.status() is not None:
        raise _appeared(at)


def _appeared(at: Place) -> RefusedError:
    return RefusedError(f"{at.shown} appeared while it was being created: read it first.")
