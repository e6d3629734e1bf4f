"""Which files a command changed: for the record, and in a line for the model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from turnloop_core.api import Changes

_KEPT = 200  # files that the record names
_NAMED = 5  # files that the model is told
_LONGEST = 120  # characters of a path in that line
_SEPARATORS = re.compile(r"[\s\"'`;:,|&<>(){}\[\]=]+")


@dataclass(frozen=True, slots=True)
class Changed:
    """What a command changed.

    Attributes:
        files: for the record, real absolute paths; None when it is not known.
        more: how many more there were.
        line: for the model, "" when it knows already.
    """

    files: tuple[str, ...] | None = None
    more: int = 0
    line: str = ""


UNKNOWN = Changed()


def what_changed(changes: Changes | None, root: Path, *, command: str, output: str) -> Changed:
    """What to put on record, and what to tell.

    Args:
        changes: what was seen; None when nobody looked.
        root: the project's root.
        command: as the model wrote it.
        output: what the model is shown of it.
    """
    if changes is None:
        return UNKNOWN
    paths = changes.paths
    if not paths and not changes.complete:
        return UNKNOWN
    files = tuple(str(root / path) for path in paths[:_KEPT])
    return Changed(files, len(paths) - len(files), _line(changes, paths, command, output))


def _line(changes: Changes, paths: tuple[str, ...], command: str, output: str) -> str:
    """The files whose change the model cannot know: named neither by the command nor by its output.
    After many changes, a checkout for example, their number tells more.
    """
    said = _words(command)
    told = _words(output)
    news = [
        p for p in paths if p not in told and p not in said and p.rpartition("/")[2] not in said
    ]
    if not news:
        return ""
    how = dict.fromkeys(changes.added, " (new)") | dict.fromkeys(changes.removed, " (removed)")
    named = ", ".join(_shown(path) + how.get(path, "") for path in news[:_NAMED])
    more = len(news) - _NAMED
    return f"files changed: {named}{f' and {more:,} more' if more > 0 else ''}"


def _words(text: str) -> frozenset[str]:
    """Whatever in a text may be a path."""
    words = _SEPARATORS.split(text)
    return frozenset(word.rstrip(".").removeprefix("./") for word in words)


def _shown(path: str) -> str:
    """A path in one line: control characters and broken bytes escaped, the middle left out."""
    if not path.isprintable():
        path = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in path)
    if len(path) <= _LONGEST:
        return path
    return f"{path[: _LONGEST // 2]}...{path[-_LONGEST // 2 :]}"
