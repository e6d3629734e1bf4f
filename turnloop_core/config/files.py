"""Files of settings: read with a bound, replaced whole or not at all, saved one at a time."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from turnloop_core.disk import lock_now, sync_folder
from turnloop_core.errors import SettingsError

MAX_BYTES = 4 * 1024 * 1024
LOCK_SECONDS = 10.0


def read_settings_file(path: Path) -> str | None:
    """The text of a file, None when there is none.

    Raises:
        SettingsError: something is there that cannot be read as text: it is never skipped, since
            it may hold a deny rule.
    """
    data = _read_bytes(path)
    return None if data is None else _decode(data, path)


def _read_bytes(path: Path) -> bytes | None:
    try:
        # Without O_NONBLOCK a named pipe in the place of the file would hold up the start.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise SettingsError(
                "a link to a file that does not exist", where=str(path), hint="remove the link"
            ) from None
        return None
    except OSError as error:
        raise _unreadable(path, error) from error
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        what = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        raise SettingsError(
            f"cannot be read: it is {what}", where=str(path), hint="put a file in its place"
        )
    try:
        with os.fdopen(descriptor, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(data) > MAX_BYTES:
        raise SettingsError(f"larger than {MAX_BYTES} bytes", where=str(path))
    return data


_CLOEXEC = getattr(os, "O_CLOEXEC", 0)


def _unreadable(path: Path, error: OSError) -> SettingsError:
    return SettingsError(
        f"cannot be read: {error.strerror or error}",
        where=str(path),
        hint="make it readable, or remove it",
    )


def _decode(data: bytes, path: Path) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SettingsError(
            "the text is UTF-16; settings are UTF-8", where=str(path), hint="save it as UTF-8"
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(
            f"the byte 0x{data[error.start]:02x} is not UTF-8",
            where=f"{path}:{line}",
            hint="save it as UTF-8",
        ) from error


def replace_file(path: Path, data: bytes, *, new_mode: int = 0o666) -> None:
    """Put `data` in the place of the file, whole or not at all; mode and owner stay.

    Args:
        path: the file itself, not a link to it.
        data: the new content.
        new_mode: mode bits of a new file, before the umask.

    Raises:
        OSError: it cannot be written; the old file is untouched.
    """
    old = path.stat() if path.exists() else None
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CLOEXEC
    descriptor = os.open(temporary, flags, new_mode if old is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if old is not None:
                _keep_owner_and_mode(temporary, old)
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _keep_owner_and_mode(path: Path, old: os.stat_result) -> None:
    if sys.platform != "win32":
        with suppress(PermissionError):  # only root may give files away
            os.chown(path, old.st_uid, old.st_gid)
    path.chmod(stat.S_IMODE(old.st_mode))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file while it is read, changed and written.

    Raises:
        SettingsError: another process held it for ten seconds.
        OSError: the lock file cannot be made.
    """
    lock = path.with_name(f".{path.name}.lock")
    deadline = time.monotonic() + LOCK_SECONDS
    while (descriptor := _try_lock(lock)) is None:
        if time.monotonic() > deadline:
            raise SettingsError(
                "another process is saving this file", where=str(path), hint="try again"
            )
        time.sleep(0.01)
    try:
        yield
    finally:
        if sys.platform != "win32":
            lock.unlink(missing_ok=True)  # while held: whoever waits sees that its file is gone
        os.close(descriptor)


def _try_lock(lock: Path) -> int | None:
    """A descriptor that holds the lock, None while another has it."""
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | _CLOEXEC, 0o600)
        try:
            lock_now(descriptor)
            held = os.fstat(descriptor)
            if os.path.samestat(held, lock.stat()):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
    except (BlockingIOError, FileNotFoundError):
        if not lock.parent.is_dir():
            raise
    return None
