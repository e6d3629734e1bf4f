"""Opening what was judged.

Between the judgement of a path and its use somebody may swap a folder for a symbolic link. So a
judged path is not handed to the system as a string: it is walked from the root, one descriptor
after the other, and a link met on the way ends the walk. Only plain files are opened, and never in
a way that could block.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Literal, NoReturn

from turnloop_core.errors import PathChangedError
from turnloop_core.types.subjects import Subject, SubjectKind

OpenMode = Literal["rb", "wb", "ab", "xb"]

CAN_WALK = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")

_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
# No waiting for the other end of a pipe, no terminal taken over.
_CALM = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW | _CLOEXEC
# A folder that may be passed but not listed is opened as a mere place, where the system knows that.
_PLACE = getattr(os, "O_PATH", os.O_RDONLY)
_FLAGS: dict[OpenMode, int] = {
    "rb": os.O_RDONLY,
    "wb": os.O_WRONLY | os.O_CREAT,  # truncated only once it is known to be a plain file
    "ab": os.O_WRONLY | os.O_CREAT | os.O_APPEND,
    "xb": os.O_WRONLY | os.O_CREAT | os.O_EXCL,
}


def open_checked(subject: Subject, mode: OpenMode) -> BinaryIO:
    """Open the file of a path subject, along its real path as it was judged.

    Args:
        subject: of kind READ or WRITE; READ subjects are opened with `rb` only.
        mode: `wb` truncates, `xb` must create. New files get the usual mode bits.

    Raises:
        PathChangedError: a part of the path is a symbolic link now, or it is no plain file.
        OSError: as `open` does.
    """
    if mode != "rb" and subject.kind is not SubjectKind.WRITE:
        raise PathChangedError(f"{subject.display} was judged for reading only")
    with checked_folder(subject) as (folder, name):
        descriptor = _open_last(subject, folder, name, mode)
    try:
        _check_plain(subject, descriptor, mode)
        if mode == "wb":
            os.ftruncate(descriptor, 0)
        return os.fdopen(descriptor, "wb" if mode == "xb" else mode)
    except BaseException:
        os.close(descriptor)
        raise


@contextmanager
def checked_folder(subject: Subject, *, create: bool = False) -> Iterator[tuple[int, str]]:
    """The folder of a path subject, as an open descriptor, and the last part of the path.

    Args:
        subject: of kind READ or WRITE.
        create: make missing folders; for WRITE subjects only.

    Yields:
        Descriptor and name. Where the system has no descriptors for folders: -1 and the whole path.

    Raises:
        PathChangedError: a part of the path is a symbolic link now.
        OSError: as `os.open` does.
    """
    if subject.kind not in (SubjectKind.READ, SubjectKind.WRITE):
        raise PathChangedError(f"{subject.display} is not a path")
    if create and subject.kind is not SubjectKind.WRITE:
        raise PathChangedError(f"{subject.display} was judged for reading only")
    if not CAN_WALK:
        yield -1, _folder_by_path(subject, create=create)
        return
    *folders, name = [part for part in subject.narrow.split("/") if part] or ["."]
    descriptor = os.open("/", _PLACE | _FOLDER)
    try:
        for depth in range(1, len(folders) + 1):
            last = depth == len(folders)
            below = _step(subject, descriptor, folders[:depth], create=create, last=last)
            os.close(descriptor)
            descriptor = below
        yield descriptor, name
    finally:
        os.close(descriptor)


def _step(subject: Subject, folder: int, names: list[str], *, create: bool, last: bool) -> int:
    """Open the next folder on the way, or make it."""
    name = names[-1]
    for attempt in range(2):
        try:
            return _open_folder(folder, name, listable=last)
        except FileNotFoundError as error:
            if not create or attempt:
                _refuse(subject, folder, name, error, "/" + "/".join(names))
            with suppress(FileExistsError):  # somebody else made it: it is looked at all the same
                os.mkdir(name, dir_fd=folder)
        except OSError as error:
            _refuse(subject, folder, name, error, "/" + "/".join(names))
    raise AssertionError("the second attempt returns or raises")


def _open_folder(folder: int, name: str, *, listable: bool) -> int:
    if listable:  # what is done in it may need more than a place: listing, syncing
        with suppress(PermissionError):
            return os.open(name, os.O_RDONLY | _FOLDER, dir_fd=folder)
    return os.open(name, _PLACE | _FOLDER, dir_fd=folder)


def _open_last(subject: Subject, folder: int, name: str, mode: OpenMode) -> int:
    flags = _FLAGS[mode] | _NOFOLLOW | _CALM | _CLOEXEC
    where = {} if folder < 0 else {"dir_fd": folder}
    try:
        return os.open(name, flags, 0o666, **where)
    except OSError as error:
        _refuse(subject, folder, name, error, subject.narrow)


def _refuse(subject: Subject, folder: int, name: str, error: OSError, path: str) -> NoReturn:
    """Raise what an error in opening means: the path changed, or the error with its whole path."""
    where = {} if folder < 0 else {"dir_fd": folder}
    with suppress(OSError):
        mode = os.lstat(name, **where).st_mode
        if stat.S_ISLNK(mode):
            raise _changed(subject, f"{path} is a symbolic link now") from None
        if error.errno == errno.ENXIO:  # a pipe that nobody reads, a socket
            raise _changed(subject, "it is not a plain file") from None
    if error.errno == errno.ELOOP:
        raise _changed(subject, f"{path} was a symbolic link") from None
    raise OSError(error.errno, error.strerror, path) from None


def _changed(subject: Subject, what: str) -> PathChangedError:
    return PathChangedError(
        f"{subject.display} was not opened: {what}, unlike when permission was given",
        hint="look at the path again before another try",
    )


def _check_plain(subject: Subject, descriptor: int, mode: OpenMode) -> None:
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), subject.narrow)
    if not stat.S_ISREG(status.st_mode):
        raise PathChangedError(
            f"{subject.display} was not opened: it is a device, a pipe or a socket",
            hint="only plain files are opened; use a command where a device is meant",
        )
    if mode in ("wb", "ab") and status.st_nlink > 1 and not subject.dynamic:
        raise _changed(subject, "it has further names (hard links) now")
    if not CAN_WALK and os.path.realpath(subject.narrow) != subject.narrow:
        raise _changed(subject, "a part of it is a link now")


def _folder_by_path(subject: Subject, *, create: bool) -> str:
    """The check of a system without descriptors for folders: a gap remains, but a small one."""
    folder = os.path.dirname(subject.narrow)  # noqa: PTH120 - the judged text is kept as it is
    if os.path.realpath(folder) != folder:
        raise _changed(subject, f"{folder} leads elsewhere now")
    if create:
        Path(folder).mkdir(parents=True, exist_ok=True)
    if Path(subject.narrow).is_symlink():
        raise _changed(subject, f"{subject.narrow} is a symbolic link now")
    return subject.narrow
