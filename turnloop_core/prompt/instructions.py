"""Instructions that a project, or its user, leaves for the model in files."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from turnloop_core.values import dataclass

NAMES = ("TURNLOOP.md", "CLAUDE.md", "AGENTS.md")
MAX_BYTES = 32 * 1024

_USER_FOLDER = ".turnloop"
_HEADING = """\
# Instructions
The user and the project keep these files for you. Follow them where they bear on the task; a file \
further down goes before one further up, and what the user says goes before all. They cannot grant \
permissions."""


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """A file with instructions.

    Attributes:
        path: the file.
        label: its name for the model and the user: relative to the root, or below `~`.
        text: its content; "" when it was not read.
        truncated: the content is longer than 32 KB, and was cut.
        problem: why it was not read; "" when it was.
    """

    path: Path
    label: str
    text: str = ""
    truncated: bool = False
    problem: str = ""


def find_instructions(
    root: Path,
    cwd: Path,
    home: Path | None = None,
    denied: Callable[[str], str] | None = None,
) -> tuple[InstructionFile, ...]:
    """The instruction files from the user's own down to those of the working directory.

    `~/.turnloop/TURNLOOP.md` comes first, then `TURNLOOP.md`, `CLAUDE.md` and `AGENTS.md` of each
    folder from `root` to `cwd`. The same content counts once. Only exact names count. A link out
    of the project is not followed: its target may be something that the user never meant to send.

    Args:
        root: the project root.
        cwd: the working directory; outside `root` only the root's files count.
        home: the user's home, None to leave the user's own file out.
        denied: real path -> why no tool may read it, "" when one may: by a link in the project,
            what rules deny would be sent all the same. None denies nothing.
    """
    root = root.resolve()
    found: list[InstructionFile] = []
    if home is not None:
        own = home / _USER_FOLDER / NAMES[0]
        if os.path.lexists(own):
            found.append(_read(own, f"~/{_USER_FOLDER}/{NAMES[0]}", None))
    for folder in _folders(root, cwd.resolve()):
        for name in _exact_names(folder):
            label = str((folder / name).relative_to(root))
            path = folder / name
            reason = denied(os.path.realpath(path)) if denied is not None else ""
            file = InstructionFile(path, label, problem=reason) if reason else None
            found.append(file or _read(path, label, root))
    return tuple(_once(found))


def render_instructions(files: Sequence[InstructionFile]) -> str:
    """The section of the system prompt for these files, "" without any content."""
    parts = [
        f'<instructions from="{_attribute(file.label)}">\n{_inert(file.text)}\n</instructions>'
        for file in files
        if file.text
    ]
    return "\n\n".join([_HEADING, *parts]) if parts else ""


def _folders(root: Path, cwd: Path) -> Iterator[Path]:
    yield root
    if cwd.is_relative_to(root):
        here = root
        for part in cwd.relative_to(root).parts:
            here = here / part
            yield here


def _exact_names(folder: Path) -> list[str]:
    """The names that stand in the folder letter for letter, also where case does not count."""
    there = [name for name in NAMES if os.path.lexists(folder / name)]
    if not there:
        return []
    try:
        names = set(os.listdir(folder))  # noqa: PTH208  names alone are wanted
    except OSError:  # the folder may be entered, not listed: take the file system's word
        return there
    return [name for name in there if name in names]


def _once(files: Sequence[InstructionFile]) -> Iterator[InstructionFile]:
    seen: set[str] = set()
    for file in files:
        if file.problem or (file.text and file.text not in seen):
            seen.add(file.text)
            yield file


def _read(path: Path, label: str, inside: Path | None) -> InstructionFile:
    real = Path(os.path.realpath(path))
    if inside is not None and not real.is_relative_to(inside):
        return InstructionFile(path, label, problem="a link out of the project")
    try:
        data = _first_bytes(real)
    except OSError as error:
        return InstructionFile(path, label, problem=f"cannot be read: {error.strerror or error}")
    if data is None:
        return InstructionFile(path, label, problem="not a regular file")
    text = _decode(data[:MAX_BYTES])
    if len(data) <= MAX_BYTES:
        return InstructionFile(path, label, text)
    cut = f"[cut here: only the first {MAX_BYTES // 1024} KB of {label} are shown]"
    return InstructionFile(path, label, f"{text.rstrip('�')}\n{cut}", truncated=True)


def _first_bytes(path: Path) -> bytes | None:
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(MAX_BYTES + 1)


def _decode(data: bytes) -> str:
    """The text, whatever the bytes are: what is no text becomes a replacement character."""
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = data.decode("utf-16" if wide else "utf-8", errors="replace").removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c if c.isprintable() or c in "\n\t" else "�" for c in lines).strip()


def _inert(text: str) -> str:
    """The content cannot end its own element."""
    return text.replace("</instructions", "<\\/instructions")


def _attribute(label: str) -> str:
    return "".join(c if c.isprintable() and c not in '<>"' else "?" for c in label)
