"""Paths as subjects: judged by where they lead, opened where they were judged.

What a path means is found as the operating system would find it: part by part, links followed
where they are met, `..` after the link and not before. Every form that the path takes on the way
is kept for deny rules. Of hard links only their number can be seen: a file with several names is
not written without a question, but reading one under a harmless name cannot be told from reading
any other file.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from dataclasses import dataclass, field
from typing import Any

from turnloop_core.errors import TurnloopError
from turnloop_core.permissions.case import folds_case
from turnloop_core.permissions.opening import checked_folder, open_checked
from turnloop_core.permissions.text import printable
from turnloop_core.ports.tool import Scope
from turnloop_core.types.subjects import Subject, SubjectKind

__all__ = [
    "checked_folder",
    "folds_case",
    "is_inside",
    "open_checked",
    "path_subject",
    "shown",
]

_SHORT = 1_000  # characters; paths up to here fit every system
_MAX_LINKS = 40  # as the kernel has it
_SYSTEM = ("/proc", "/sys", "/dev")
_FILE_URL = re.compile(r"file://(?:localhost)?(/.*)", re.IGNORECASE | re.DOTALL)
_UNEXPANDED = re.compile(r"\$\{?\w+\}?|~[^/]*|%\w+%")
_MISSING = (errno.ENOENT, errno.ENOTDIR)


def is_inside(real: str, root: str) -> bool:
    """Whether a real path is `root` or lies below it."""
    return real == root or real.startswith(root if root.endswith(os.sep) else root + os.sep)


def path_subject(path: str, scope: Scope, kind: SubjectKind) -> Subject:
    """The subject of reading or writing a path.

    Args:
        path: as the model gave it: absolute, relative to cwd, beginning with `~/`, or a `file:`
            address. Variables are not expanded. The last part need not exist.
        scope: its cwd and root are real paths.
        kind: READ or WRITE.

    Returns:
        A subject whose `narrow` is the real absolute path. It is `dynamic` where a plain answer is
        not possible: devices and kernel files, files that are written under one name and have
        others, `$NAME` or `~name` in front.

    Raises:
        TurnloopError: no path at all: empty, with a NUL character, too long, links in a circle.
    """
    if kind not in (SubjectKind.READ, SubjectKind.WRITE):
        raise ValueError(f"a path is read or written, not {kind}")
    _check(path)
    given = _expanded(path, scope)
    walk = _walk(given, scope)
    real = walk.real
    if len(real) > _SHORT and len(os.fsencode(real)) >= _longest():
        raise _too_long(path)
    wide = (_normal(given), *walk.passed)
    return Subject(
        kind,
        real,
        tuple(form for form in dict.fromkeys(wide) if form != real),
        display=shown(real, scope),
        **_doubt(path, kind, walk, wide, scope),
    )


def shown(real: str, scope: Scope) -> str:
    """A real path for people: relative to the project where it lies inside."""
    root = str(scope.root)
    if not is_inside(real, root) or root == os.sep:
        return printable(real)
    return printable(real[len(root) :].lstrip(os.sep)) or "."


def _check(path: str) -> None:
    if not path:
        raise TurnloopError("the path is empty", hint="name a file or a folder, `.` for this one")
    if "\0" in path:
        raise TurnloopError(
            "the path holds a NUL character", hint="give the path without it; nothing was opened"
        )
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise TurnloopError(
            "the path holds a character that no file name can have", hint="check its spelling"
        ) from None


def _expanded(path: str, scope: Scope) -> str:
    """The path made absolute, nothing normalised: `..` means what it means after links."""
    if path[0] in "fF" and (url := _FILE_URL.fullmatch(path)):
        from urllib.parse import unquote

        path = unquote(url[1])
        _check(path)
    if path == "~" or path.startswith("~/"):
        path = str(scope.home) + path[1:]
    return os.path.join(str(scope.cwd), path)  # noqa: PTH118 - Path would drop `.` and slashes


@dataclass(slots=True)
class _Walk:
    """A path on its way to what it means."""

    real: str
    passed: list[str] = field(default_factory=list)
    status: os.stat_result | None = None
    unknown: str = ""


def _walk(given: str, scope: Scope) -> _Walk:
    if os.name != "posix":
        return _Walk(os.path.realpath(given))
    start, rest = "", given
    for known in (str(scope.cwd), str(scope.root)):  # real already: not looked at again
        if known != "/" and given.startswith(known + "/"):
            start, rest = known, given[len(known) :]
            break
    walk = _Walk(start)
    todo = _parts(rest)
    links, missing = 0, False
    while todo:
        part = todo.pop()
        if part == "..":
            walk.real, walk.status, missing = walk.real.rpartition("/")[0], None, False
            continue
        here = f"{walk.real}/{part}"
        walk.status = None if missing else _look(here, walk)
        missing = walk.status is None
        target = _target(here, walk)
        if target is None:
            walk.real = here
            continue
        links += 1
        if links > _MAX_LINKS:
            raise TurnloopError(
                f"the symbolic links of {printable(given)} lead round in a circle",
                hint="name the file that is meant",
            )
        walk.status = None  # of the link: what it leads to is looked at next
        if target.startswith("/"):
            walk.real = ""
        todo.extend(_parts(target))
        walk.passed.append(_normal("/".join((walk.real, *reversed(todo)))))
    walk.real = walk.real or "/"
    return walk


def _parts(path: str) -> list[str]:
    """The parts of a path, last first."""
    return [part for part in reversed(path.split("/")) if part and part != "."]


def _normal(path: str) -> str:
    """A path tidied as text, without looking at the disk."""
    normal = os.path.normpath(path)
    return normal[1:] if normal.startswith("//") else normal


def _target(path: str, walk: _Walk) -> str | None:
    """Where a link points to; None when it is no link."""
    if walk.status is None or not stat.S_ISLNK(walk.status.st_mode):
        return None
    try:
        return os.readlink(path)  # noqa: PTH115 - the target as it is, not tidied by Path
    except OSError as error:
        walk.unknown = f"a link on the way cannot be read ({error.strerror})"
        return None


def _longest() -> int:
    """Bytes that a path may have, its end mark counted."""
    return os.pathconf("/", "PC_PATH_MAX") if os.name == "posix" else sys.maxsize


def _too_long(path: str) -> TurnloopError:
    return TurnloopError(
        f"the path is too long for this system: {printable(path)[:80]}…", hint="use a shorter name"
    )


def _look(path: str, walk: _Walk) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise _too_long(path) from None
        if error.errno not in _MISSING:
            walk.unknown = f"it cannot be looked at ({os.strerror(error.errno or 0)})"
        return None


def _doubt(
    path: str, kind: SubjectKind, walk: _Walk, wide: tuple[str, ...], scope: Scope
) -> dict[str, Any]:
    """`dynamic` and `reason`, as keyword arguments; empty when all is plain."""
    reason = walk.unknown or _special(walk, (walk.real, *wide), str(scope.root))
    if not reason and kind is SubjectKind.WRITE and _several_names(walk.status):
        reason = "the file has further names (hard links), which a write changes too"
    if not reason and path[0] in "$~%" and _looks_unexpanded(path, scope):
        reason = "variables and user names in paths are not expanded, and no such file is here"
    return {"dynamic": True, "reason": reason} if reason else {}


def _special(walk: _Walk, forms: tuple[str, ...], root: str) -> str:
    for system in _SYSTEM:
        for form in forms:
            if is_inside(form, system) and not (is_inside(root, system) and is_inside(form, root)):
                return f"{system} holds devices and live values of the system, not plain files"
    if walk.status is None:
        return ""
    mode = walk.status.st_mode
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return ""
    return "it is a device, a pipe or a socket, not a plain file"


def _several_names(status: os.stat_result | None) -> bool:
    return status is not None and stat.S_ISREG(status.st_mode) and status.st_nlink > 1


def _looks_unexpanded(path: str, scope: Scope) -> bool:
    first = path.partition("/")[0]
    if first == "~" or not _UNEXPANDED.fullmatch(first):
        return False
    return not os.path.lexists(scope.cwd / first)
