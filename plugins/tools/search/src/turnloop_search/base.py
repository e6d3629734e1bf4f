"""Where a search begins: what was judged is what is looked at."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from turnloop_core.api import CallContext, PathChangedError, nearest
from turnloop_search.answers import RefusedError, some


@dataclass(frozen=True, slots=True)
class Base:
    """A folder, or one file.

    Attributes:
        path: real absolute path.
        is_file: it is a plain file.
    """

    path: str
    is_file: bool


def folder_of(context: CallContext, shown: str) -> Base:
    """The base of a call that needs a folder.

    Raises:
        RefusedError: as `base_of`, and for a file.
    """
    base = base_of(context, shown)
    if base.is_file:
        raise RefusedError(
            f"{shown} is a file, not a folder; nothing lies below it. Read shows it."
        )
    return base


def base_of(context: CallContext, shown: str) -> Base:
    """The base of the call's one subject.

    Raises:
        RefusedError: nothing is there, or something that is never opened.
        PathChangedError: it leads elsewhere since it was judged.
    """
    path = context.subjects[0].narrow
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        raise RefusedError(_missing(path, shown)) from None
    except OSError as error:
        raise RefusedError(f"cannot look at {shown}: {error.strerror}.") from None
    if os.path.realpath(path) != path:
        raise PathChangedError(
            f"{shown} leads elsewhere since it was checked",
            hint="make the same call again, so that the new target is checked",
        )
    if not (stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)):
        raise RefusedError(f"{shown} is a device, a pipe or a socket: it is never opened.")
    if stat.S_ISDIR(status.st_mode):
        try:
            os.scandir(path).close()
        except OSError as error:
            raise RefusedError(f"{shown} could not be read: {error.strerror}.") from None
    return Base(path, stat.S_ISREG(status.st_mode))


def _missing(path: str, shown: str) -> str:
    near: list[str] = []
    try:
        with os.scandir(Path(path).parent) as entries:
            names = [entry.name for entry in islice(entries, 5_000)]
        near = nearest(Path(path).name, names, cutoff=0.6)
    except OSError:
        pass
    hint = f" Near it: {some(near)}." if near else " Look with Glob at the folder above it."
    return f"{shown} does not exist; nothing was searched.{hint}"
