"""What git knows of a folder: one run for the files, one for what is ignored.

git reads the repository's configuration, which may name programs. Whatever could start one is
switched off, and so are locks, transports and the settings that lead to another folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from turnloop_search.stop import Stop, complaints_of

_HARMLESS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.untrackedCache=false",
    "core.quotePath=false",
    "protocol.allow=never",
)
_ALONE = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_UNREAD = re.compile(r"could not open directory '(.*?)/?':")


@dataclass(frozen=True, slots=True)
class Known:
    """git's answer. Names are relative to the folder asked about; folders end in `/`.

    Attributes:
        names: tracked, or neither tracked nor ignored. Some may be gone, or be repositories.
        ignored: files and folders that are ignored.
        unread: folders that could not be opened.
        base_ignored: the folder itself is ignored.
    """

    names: list[str]
    ignored: list[str]
    unread: list[str]
    base_ignored: bool


def top_of(folder: str) -> str | None:
    """The nearest folder at or above this one that is a repository."""
    for path in (Path(folder), *Path(folder).parents):
        if os.path.lexists(path / ".git"):
            return str(path)
    return None


def ask_git(
    git: str, folder: str, top: str, environment: Mapping[str, str], stop: Stop
) -> Known | None:
    """What git says of a folder in the repository `top`; None when it gives no answer.

    Raises:
        StoppedError: the search is over.
    """
    settings = [word for setting in _HARMLESS for word in ("-c", setting)]
    command = [git, f"--work-tree={top}", "--no-pager", *settings]
    files = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    ignored = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]
    asked = [files, ignored]
    if folder != top:
        asked.append(["check-ignore", "--quiet", "--no-index", "."])
    env = {**environment, **_ALONE}
    try:
        with ExitStack() as stack:  # side by side: each waits for the disk
            running = [
                stack.enter_context(stop.process([*command, *words], cwd=folder, environment=env))
                for words in asked
            ]
            # They end by themselves, or by the clock; what one writes waits in its pipe.
            outputs = [process.communicate()[0] for process, _ in running]
            codes = [process.returncode for process, _ in running]
            complaints = complaints_of(running[0][1])
    except OSError:
        return None
    if stop or codes[0] or codes[1]:
        return None
    return Known(
        _names(outputs[0]),
        _outermost(_names(outputs[1])),
        _UNREAD.findall(complaints),
        codes[2:] == [0],
    )


def _names(output: bytes) -> list[str]:
    return os.fsdecode(output).split("\0")[:-1]


def _outermost(names: list[str]) -> list[str]:
    """Without what lies in a folder that is named itself, and without the folder asked about."""
    out: list[str] = []
    folder = "\0"
    for name in sorted(names):
        if name != "./" and not name.startswith(folder):
            out.append(name)
            folder = name if name.endswith("/") else folder
    return out
