"""The project root: what settings, sessions, trust and permissions key on."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from turnloop_core.values import dataclass

FOLDER = ".turnloop"

# Build manifests come first and repositories last: whoever reads the result is told the most
# specific reason there is.
MARKERS = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "package.json",
    "deno.json",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "build.sbt",
    "CMakeLists.txt",
    "meson.build",
    "MODULE.bazel",
    "WORKSPACE",
    "Makefile",
    "GNUmakefile",
    "justfile",
    "composer.json",
    "Gemfile",
    "mix.exs",
    "pubspec.yaml",
    "Package.swift",
    "stack.yaml",
    "dune-project",
    "build.zig",
    ".hg",
    ".svn",
    ".jj",
    ".git",
)


@dataclass(frozen=True, slots=True)
class ProjectRoot:
    """A project root and what made it one: a marker's name, "" for the working directory itself."""

    path: Path
    marker: str = ""


def find_root(cwd: Path, home: Path) -> ProjectRoot:
    """The root of the project that `cwd` lies in.

    The nearest folder that holds `.turnloop/` wins; else the nearest with a build manifest or a
    repository; else `cwd`. Neither a drive's root, nor the home folder and what lies above it, nor
    a folder where anybody may put files (`/tmp`) makes a project of what lies below.

    Args:
        cwd: an existing folder.
        home: the user's home.
    """
    cwd = cwd.resolve()
    candidates = list(_candidates(cwd, home.resolve()))
    for folder in candidates:
        if os.path.isdir(folder / FOLDER):  # noqa: PTH112  no error without access
            return ProjectRoot(folder, FOLDER)
    for folder in candidates:
        for marker in MARKERS:
            if os.path.exists(folder / marker):  # noqa: PTH110  as above
                return ProjectRoot(folder, marker)
    return ProjectRoot(cwd)


def _candidates(cwd: Path, home: Path) -> Iterator[Path]:
    for folder in (cwd, *cwd.parents):
        if folder in (home, folder.parent):
            return
        if folder == cwd or not _anybody_may_write(folder):
            yield folder


def _anybody_may_write(folder: Path) -> bool:
    # The sticky bit tells `/tmp` from a shared volume, where mode bits say nothing.
    shared = stat.S_IWOTH | stat.S_ISVTX
    return folder.stat().st_mode & shared == shared
