"""Opens what was judged, and nothing else: every look goes through the checked folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from turnloop_core.api import CallContext, PathChangedError, Subject, nearest
from turnloop_files.answers import RefusedError

_NAMES_LOOKED_AT = 5_000
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
# A pipe put in the place of a file must not make the open wait for a writer.
_READ = os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
BINARY = getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Place:
    """A file's place: an open folder and a name in it.

    Attributes:
        folder: descriptor of the folder, -1 on systems without such; `name` is the path then.
        name: the last part of the path.
        shown: the path as the model gave it, for messages.
    """

    folder: int
    name: str
    shown: str

    @property
    def dir_fd(self) -> int | None:
        return None if self.folder == -1 else self.folder

    def status(self) -> os.stat_result | None:
        """What stands there, None for nothing.

        Raises:
            PathChangedError: a symbolic link stands there; the judged path was free of links.
        """
        try:
            status = os.stat(self.name, dir_fd=self.dir_fd, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if stat.S_ISLNK(status.st_mode):
            raise PathChangedError(
                f"{self.shown} has become a symbolic link since it was checked",
                hint="make the same call again, so that the new target is checked",
            )
        return status

    def open(self) -> BinaryIO:
        """The file, for reading.

        Raises:
            RefusedError: it is not a plain file.
        """
        fd = os.open(self.name, _READ | BINARY, dir_fd=self.dir_fd)
        try:
            refuse_unless_file(os.fstat(fd), self.shown)
            return os.fdopen(fd, "rb")
        except BaseException:
            os.close(fd)
            raise

    def neighbours(self) -> list[str]:
        """Names in the same folder that are like the missing one."""
        folder = self.folder if self.folder != -1 else Path(self.name).parent
        wanted = Path(self.name).name
        try:
            with os.scandir(folder) as entries:
                names = [entry.name for entry in islice(entries, _NAMES_LOOKED_AT)]
        except OSError:
            return []
        return nearest(wanted, names, cutoff=0.6)


@contextmanager
def place(context: CallContext, shown: str, *, create: bool = False) -> Iterator[Place]:
    """The place of the call's one path.

    Raises:
        RefusedError: the folder does not exist, or a part of the path is a file.
    """
    subject = context.subjects[0]
    try:
        opened = context.checked_folder(subject, create=create)
        folder, name = opened.__enter__()
    except FileNotFoundError:
        raise RefusedError(_no_folder(subject, shown)) from None
    except (NotADirectoryError, FileExistsError):
        raise RefusedError(f"{shown}: a part of this path is a file, not a folder.") from None
    try:
        yield Place(folder, name or ".", shown)
    finally:
        opened.__exit__(None, None, None)


def _no_folder(subject: Subject, shown: str) -> str:
    folder = Path(subject.narrow).parent
    nearest = next((parent for parent in folder.parents if parent.is_dir()), folder)
    return f"{shown} does not exist: there is no folder {folder}; the nearest is {nearest}."


def missing(at: Place, advice: str = "") -> RefusedError:
    """No such file: says which names come near."""
    near = at.neighbours()
    where = Path(at.shown).parent
    words = f" Did you mean {' or '.join(str(where / name) for name in near)}?" if near else ""
    return RefusedError(f"{at.shown} does not exist.{words}{advice and ' ' + advice}")


def refuse_unless_file(status: os.stat_result, shown: str) -> None:
    """Folders, pipes, sockets and devices are refused, each by name."""
    mode = status.st_mode
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise RefusedError(f"{shown} is a folder. List it with the shell (ls) or Glob.")
    kinds = (
        (stat.S_ISFIFO, "a named pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    kind = next((words for test, words in kinds if test(mode)), "not a plain file")
    raise RefusedError(f"{shown} is {kind}: only plain files are read and written.")


def refuse_new_names(context: CallContext, status: os.stat_result, shown: str) -> None:
    """Permission to write a file of several names is asked for; a name may have come since."""
    if status.st_nlink > 1 and not context.subjects[0].dynamic:
        raise PathChangedError(
            f"{shown} has further names (hard links) since it was checked",
            hint="make the same call again, so that it is checked anew",
        )


def real_path_note(context: CallContext, shown: str) -> list[str]:
    """Says which file was written when the path led through a link."""
    real = context.subjects[0].narrow
    given = os.path.normpath(Path(context.scope.cwd, Path(shown).expanduser()))
    return [] if given == real else [f"the file behind this path is {real}"]
