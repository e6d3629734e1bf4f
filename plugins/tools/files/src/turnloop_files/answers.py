"""What the tools say: refusals, and errors of the system in words that lead on."""

from __future__ import annotations

import errno
from collections.abc import Iterable

from turnloop_core.api import ErrorKind, PermissionMode, Result

_WORDS = {
    errno.EACCES: "no permission",
    errno.EPERM: "the system does not permit it",
    errno.ENOSPC: "the disk is full; free some space and try again",
    errno.EDQUOT: "the disk quota is used up; free some space and try again",
    errno.EROFS: "the file system is mounted read-only",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ENOTDIR: "a part of the path is a file, not a folder",
    errno.EISDIR: "it is a folder",
    errno.EFBIG: "the file would be larger than is allowed here",
    errno.EIO: "the disk reports an error",
}


class RefusedError(Exception):
    """The tool will not do it; the text tells the model why, and what to do instead."""

    def __init__(self, text: str, kind: ErrorKind = ErrorKind.TOOL_ERROR) -> None:
        super().__init__(text)
        self.kind = kind

    @property
    def result(self) -> Result:
        return Result.say(str(self), error=self.kind)


def refuse_in_plan_mode(mode: PermissionMode) -> None:
    """Writing tools do nothing in plan mode, even if a gate before them failed."""
    if mode is PermissionMode.PLAN:
        raise RefusedError(
            "plan mode: nothing is written. Describe the change in your answer instead.",
            ErrorKind.DENIED,
        )


def system_error(doing: str, path: str, error: OSError) -> Result:
    """An error of the operating system as a result."""
    words = _WORDS.get(error.errno or 0, error.strerror or type(error).__name__)
    return Result.say(f"cannot {doing} {path}: {words}.", error=ErrorKind.TOOL_ERROR)


def with_notes(text: str, notes: Iterable[str]) -> str:
    """The text, and each note in brackets on a line of its own."""
    return "\n".join([text, *(f"[{note}]" for note in notes)])


def join_numbers(numbers: list[int], most: int = 10) -> str:
    """`3, 8, 12`, cut after `most`."""
    shown = ", ".join(str(number) for number in numbers[:most])
    return f"{shown}, ..." if len(numbers) > most else shown


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
