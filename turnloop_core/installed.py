"""Entry points of what is installed, read straight from the files.

`importlib.metadata` gives the same answer, at a price that every start would pay: its import alone
takes as long as everything else that `tl --help` does, since it brings a parser of e-mail. What
installers leave is simple: `NAME-VERSION.dist-info/entry_points.txt`. Where things are not so
simple (packages in archives, finders of somebody's own), `importlib.metadata` is asked after all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple


class EntryPoint(NamedTuple):
    """An entry point, and the distribution that brings it."""

    name: str
    value: str
    distribution: str = ""
    version: str = ""


def entry_points(group: str, paths: Sequence[str] | None = None) -> list[EntryPoint]:
    """The entry points of a group, by name.

    Args:
        group: the group.
        paths: folders to look in; None takes those that modules are imported from.
    """
    places = list(dict.fromkeys(path or "." for path in (sys.path if paths is None else paths)))
    if (paths is None and _other_finders()) or any(Path(place).is_file() for place in places):
        return _by_the_library(group, places)
    seen: set[str] = set()
    found = [
        point
        for place in places
        for folder in _distributions(place, seen)
        for point in _points(folder, group)
    ]
    return sorted(found)


def _other_finders() -> bool:
    return any(
        hasattr(finder, "find_distributions") and finder is not PathFinder
        for finder in sys.meta_path
    )


def _distributions(place: str, seen: set[str]) -> Iterator[Path]:
    """Metadata folders in a place. Of one distribution, the first on the path counts."""
    try:
        names = sorted(os.listdir(place))  # noqa: PTH208 - names are all that is wanted
    except OSError:
        return
    for name in names:
        stem, dot, kind = name.rpartition(".")
        if not dot or kind.lower() not in ("dist-info", "egg-info"):
            continue
        project = stem.partition("-")[0].lower().replace("_", "-").replace(".", "-")
        if project not in seen:
            seen.add(project)
            yield Path(place, name)


def _points(folder: Path, group: str) -> Iterator[EntryPoint]:
    text = _text(folder, "entry_points.txt")
    if f"[{group}]" not in text:
        return
    distribution, version = _name_and_version(folder)
    section = ""
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("["):
            section = line.strip("[]").strip()
        elif section == group and line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield EntryPoint(name.strip(), value.strip(), distribution, version)


def _name_and_version(folder: Path) -> tuple[str, str]:
    headers: dict[str, str] = {}
    for line in (_text(folder, "METADATA") or _text(folder, "PKG-INFO")).splitlines():
        if not line:
            break
        key, _, value = line.partition(":")
        headers.setdefault(key.lower(), value.strip())
    return headers.get("name", ""), headers.get("version", "")


def _text(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_text("utf-8", "replace")
    except OSError:
        return ""


def _by_the_library(group: str, places: list[str]) -> list[EntryPoint]:
    from importlib.metadata import distributions

    found: dict[str, list[EntryPoint]] = {}
    for distribution in distributions(path=places):
        name = distribution.metadata["Name"] or ""
        points = [
            EntryPoint(point.name, point.value, name, distribution.version)
            for point in distribution.entry_points
            if point.group == group
        ]
        found.setdefault(name.lower().replace("_", "-").replace(".", "-"), points)
    return sorted(point for points in found.values() for point in points)
