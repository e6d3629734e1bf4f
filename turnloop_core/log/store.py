"""Where the logs of sessions lie: a folder for each project root, a file for each session."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from turnloop_core.errors import LogError, UnknownNameError, UsageError
from turnloop_core.nearest import nearest
from turnloop_core.values import dataclass

_SUFFIX = ".jsonl"
_HEAD = 64 * 1024  # bytes of a log that a listing reads
_TITLE = 80  # characters
_LONG_PROMPT = (  # what `jsonl` writes: a prompt, as far as the head has it
    rb'\{"v":\d+,"n":\d+,"t":[0-9.e+-]+,"kind":"prompt",'
    rb'"text":"((?:[^"\\]|\\u[0-9a-f]{4}|\\[^u]){0,400})'
)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as a list shows it.

    Attributes:
        id: as `--resume` takes it.
        path: its log.
        root: the project's root, "" when the first record is lost.
        started: Unix time in seconds, of the first record or else of the file.
        updated: Unix time in seconds, when something was last written.
        title: first line of the first prompt, "" before there is one.
        size: bytes.
        model: the first model that was used, as `provider/model`, "" when that is not known.
    """

    id: str
    path: Path
    root: str
    started: float
    updated: float
    title: str
    size: int
    model: str


@dataclass(frozen=True, slots=True)
class SessionStore:
    """The sessions under one base folder. It makes nothing: the writer does."""

    base: Path

    @staticmethod
    def new_id(clock: Callable[[], float] = time.time) -> str:
        """An id that sorts by time (UTC) and is nobody else's."""
        return time.strftime("%Y%m%d-%H%M%S-", time.gmtime(clock())) + os.urandom(3).hex()

    def folder(self, root: Path) -> Path:
        """Where the sessions of a project lie."""
        real = os.path.realpath(root)
        digest = blake2b(os.path.normcase(real).encode("utf-8", "surrogateescape"), digest_size=6)
        slug = re.sub(r"[^A-Za-z0-9]+", "-", Path(real).name).strip("-").lower()[:40]
        return self.base / f"{slug or 'root'}-{digest.hexdigest()}"

    def path_for(self, root: Path, id: str) -> Path:  # noqa: A002 - the id of a session
        """Where the log of a session lies.

        Raises:
            UsageError: the id cannot be the name of a file.
        """
        if not _ID.fullmatch(id) or len(id) > 200:
            raise UsageError(
                f"{id!r} is no session id", hint="use letters, digits, `.`, `_` and `-`"
            )
        return self.folder(root) / (id + _SUFFIX)

    def find(self, wanted: str, root: Path) -> Path:
        """The log of a session, by its id or the beginning of it; this root's sessions come first.

        Raises:
            UnknownNameError: there is none, and the hint names those that are near.
            UsageError: several begin so.
        """
        here = self._logs(root)
        everywhere = (*here, *self._logs(None))
        for logs in (here, everywhere):
            exact = {log.path for log in logs if log.id == wanted}
            begun = exact or {log.path for log in logs if wanted and log.id.startswith(wanted)}
            if len(begun) == 1:
                return begun.pop()
            if begun:
                ids = ", ".join(sorted(path.stem for path in begun)[:5])
                raise UsageError(
                    f"{len(begun)} sessions begin with {wanted!r}: {ids}",
                    hint="give more of the id",
                )
        near = nearest(wanted, {log.id for log in everywhere})
        hint = f"did you mean {' or '.join(near)}?" if near else "`tl sessions` lists what there is"
        raise UnknownNameError(f"there is no session {wanted!r}", hint=hint)

    def latest(self, root: Path) -> Path | None:
        """The log of this root that was written last, None when there is none."""
        logs = self._logs(root)
        return max(logs, key=lambda log: (log.updated, log.id)).path if logs else None

    def list(self, root: Path | None = None) -> tuple[SessionInfo, ...]:
        """Sessions of a root, or of all, the last written first. Reads only the head of each.

        Raises:
            LogError: the folder is there and cannot be read.
        """
        logs = sorted(self._logs(root), key=lambda log: (log.updated, log.id), reverse=True)
        return tuple(_describe(log) for log in logs)

    def _logs(self, root: Path | None) -> tuple[_Log, ...]:
        """The logs that hold anything at all."""
        try:
            folders = [str(self.folder(root))] if root else _subfolders(self.base)
            return tuple(log for folder in folders for log in _logs_in(folder))
        except OSError as error:
            raise LogError(
                f"cannot list the sessions in {self.base}: {error.strerror or error}",
                hint="make that folder readable for you",
            ) from error


@dataclass(frozen=True, slots=True)
class _Log:
    id: str
    path: Path
    size: int
    updated: float


def _subfolders(base: Path) -> Iterator[str]:
    try:
        with os.scandir(base) as entries:
            yield from (entry.path for entry in entries if entry.is_dir())
    except FileNotFoundError:
        return


def _logs_in(folder: str) -> Iterator[_Log]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(_SUFFIX) and entry.is_file():
                    stat = entry.stat()
                    if stat.st_size:
                        name = entry.name.removesuffix(_SUFFIX)
                        yield _Log(name, Path(entry.path), stat.st_size, stat.st_mtime)
    except FileNotFoundError:
        return


@dataclasses.dataclass(slots=True)
class _Head:
    """What the first records say."""

    root: str = ""
    started: float | None = None
    title: str = ""
    model: str = ""
    done: bool = False

    def take(self, data: dict[str, Any]) -> None:
        kind, at = data.get("kind"), data.get("t")
        if self.started is None and isinstance(at, (int, float)):
            self.started = float(at)
        if kind == "session":
            self.root = self.root or str(data.get("root", ""))
        elif kind == "prefix" and not self.model:
            self.model = f"{data.get('provider', '')}/{data.get('model', '')}"
        elif kind == "prompt":
            self.prompt(str(data.get("text", "")))

    def prompt(self, text: str) -> None:
        lines = text.strip().splitlines()
        self.title = lines[0][:_TITLE] if lines else ""
        self.done = True


def _describe(log: _Log) -> SessionInfo:
    head = _Head()
    for line in _head_lines(log.path):
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):  # damage, or the end of what is read
            if begun := re.match(_LONG_PROMPT, line):
                head.prompt(json.loads(b'"' + begun[1] + b'"'))
            continue
        if isinstance(data, dict):
            head.take(data)
        if head.done:
            break
    started = log.updated if head.started is None else head.started
    return SessionInfo(
        log.id, log.path, head.root, started, log.updated, head.title, log.size, head.model
    )


def _head_lines(path: Path) -> list[bytes]:
    try:
        with path.open("rb", buffering=0) as stream:
            return (stream.read(_HEAD) or b"").splitlines()
    except OSError:
        return []  # gone, or not ours to read: the list shows what the folder says
