"""What git tracks, read from its index.

Tracked files count as source whatever the ignore rules say. The index is read here, and git is not
asked: it would take a process for each look, and would run under the repository's configuration.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

from turnloop_core.values import dataclass
from turnloop_core.worktree.regular import read_regular

_HEADER = struct.Struct(">4sII")
_STAT = 40  # bytes of an entry before the object's name: ten numbers
_EXTENDED, _LENGTH = 0x40, 0x0F  # in the upper byte of the flags
_LONG = 0xFFF  # the length of a name stands there unless it is this or more
_MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Tracked:
    """Paths relative to the project root.

    Attributes:
        files: tracked files.
        folders: folders that hold one, at any depth.
    """

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: set[str]) -> Tracked:
        folders: set[str] = set()
        for folder in {name.rpartition("/")[0] for name in names}:
            above = folder
            while above and above not in folders:
                folders.add(above)
                above = above.rpartition("/")[0]
        return cls(frozenset(names), frozenset(folders))


NOTHING = Tracked()


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository that a project lies in.

    Attributes:
        top: its working folder.
        folder: where its index lies (`.git`, or elsewhere for a linked working folder).
        common: where what all working folders share lies.
    """

    top: Path
    folder: Path
    common: Path

    def read_index(self, root: Path) -> Tracked:
        """What is tracked below `root`; nothing when the index cannot be read."""
        try:
            data = read_regular(self.folder / "index", _MAX_BYTES + 1, links=True)
            if data is None or len(data) > _MAX_BYTES:
                return NOTHING
            size = 32 if _sha256(self.common) else 20
            names = _names(data, size)
        except (ValueError, IndexError, struct.error):
            return NOTHING
        below = root.relative_to(self.top).parts
        if not below:
            return Tracked.of(set(names))
        prefix = "".join(f"{part}/" for part in below)
        return Tracked.of({n[len(prefix) :] for n in names if n.startswith(prefix)})


def find_repository(root: Path) -> Repository | None:
    """The repository whose working folder holds `root`, None when there is none."""
    for top in (root, *root.parents):
        marker = top / ".git"
        try:
            if marker.is_dir() or marker.is_file():
                return repository_at(top)
        except OSError:
            continue
    return None


def repository_at(top: Path) -> Repository | None:
    """The repository whose working folder `top` is, None when it is none."""
    marker = top / ".git"
    try:
        if marker.is_dir():
            return Repository(top, marker, marker)
        return _linked(top, marker) if marker.is_file() else None
    except OSError:
        return None


def _linked(top: Path, marker: Path) -> Repository | None:
    """A working folder whose `.git` is a file that names another folder."""
    text = _line(marker)
    if not text.startswith("gitdir:"):
        return None
    folder = top / text.removeprefix("gitdir:").strip()
    shared = _line(folder / "commondir")
    return Repository(top, folder, folder / shared if shared else folder)


def _line(path: Path) -> str:
    return os.fsdecode(read_regular(path, 4096, links=True) or b"").strip()


def _sha256(common: Path) -> bool:
    """Whether objects have the longer names. Only this one word is looked for."""
    text = read_regular(common / "config", 64 * 1024, links=True) or b""
    return b"objectformat = sha256" in text.lower()


def _names(data: bytes, size: int) -> list[str]:
    """The names in an index.

    Args:
        data: the file.
        size: bytes of an object's name.

    Raises:
        ValueError: it is no index of a known version, or is cut off.
        IndexError, struct.error: it is cut off.
    """
    magic, version, count = _HEADER.unpack_from(data)
    if magic != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("no index of a known version")
    names: list[bytes] = []
    at, last = _HEADER.size, b""
    flags_at = _STAT + size  # they follow the object's name
    for _ in range(count):
        begin = at
        high, low = data[at + flags_at], data[at + flags_at + 1]
        at += flags_at + (4 if high & _EXTENDED else 2)
        if version == 4:
            drop, at = _varint(data, at)
            end = data.index(b"\0", at)
            last = last[: len(last) - drop] + data[at:end]
            names.append(last)
            at = end + 1
        else:
            length = (high & _LENGTH) << 8 | low
            end = at + length if length < _LONG else data.index(b"\0", at)
            names.append(data[at:end])
            at = begin + (end - begin + 8) // 8 * 8  # padded to eight, one zero at least
    if at > len(data):
        raise ValueError("cut off")
    return os.fsdecode(b"\0".join(names)).split("\0") if names else []


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of version 4, and where it ends."""
    byte = data[at]
    at += 1
    value = byte & 0x7F
    while byte & 0x80:
        byte = data[at]
        at += 1
        value = (value + 1) << 7 | byte & 0x7F
    return value, at
