"""The files that ignore rules stand in, beside those of the project."""

from __future__ import annotations

import os
import re
from pathlib import Path

from turnloop_core.worktree.regular import read_regular
from turnloop_core.worktree.rule import Rule, parse_rules

_MAX_BYTES = 256 * 1024  # of a file of rules, and of git's settings
_SECTION = re.compile(r"\s*\[\s*([\w.-]+)\s*(\"[^\"]*\")?\s*\]")
_SETTING = re.compile(r"\s*excludesfile\s*=\s*(\"(?:[^\"\\]|\\.)*\"|[^#;]*)", re.IGNORECASE)


def read_rules(path: str | Path, *, links: bool = False) -> tuple[Rule, ...]:
    """The rules of a file, none when it cannot be read. In a project a link is no file of rules,
    as with git: it could lead anywhere.
    """
    data = read_regular(path, _MAX_BYTES, links=links)
    return parse_rules(os.fsdecode(data)) if data else ()


def user_file(home: str | Path, config_home: str | Path | None = None) -> str | None:
    """Where the user keeps ignore rules for all projects, None when the settings say nowhere.

    What settings of a project say about it does not count.

    Args:
        home: the user's home.
        config_home: what `XDG_CONFIG_HOME` says.
    """
    join = os.path.join  # strings and no paths: this is asked at every look at a project
    folder = join(config_home or join(home, ".config"), "git")
    for settings in (join(home, ".gitconfig"), join(folder, "config")):
        named = _excludes_file(settings)
        if named is not None:
            path = join(home, named[2:]) if named.startswith("~/") else named
            return path if os.path.isabs(path) else None  # noqa: PTH117
    return join(folder, "ignore")


def _excludes_file(settings: str) -> str | None:
    """What `core.excludesFile` is set to; None when it is not set."""
    data = read_regular(settings, _MAX_BYTES, links=True)
    if data is None or b"excludesfile" not in data.lower():
        return None
    inside, value = False, None
    for line in os.fsdecode(data).splitlines():
        if section := _SECTION.match(line):
            inside = section[1].lower() == "core" and not section[2]
            line = line[section.end() :]  # noqa: PLW2901 - a setting may follow on the same line
        if inside and (setting := _SETTING.match(line)):
            value = setting[1].strip()
            if value.startswith('"'):
                value = re.sub(r"\\(.)", r"\1", value[1:-1])
    return value
