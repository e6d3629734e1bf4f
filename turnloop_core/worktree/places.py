"""Folders that hold nothing of the source, whatever the ignore rules say."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

# What version control and this program keep for themselves. Never looked into.
INTERNAL: Final = frozenset({".git", ".hg", ".svn", ".jj", ".turnloop"})

# Made by programs. Looked into only where git tracks something in them.
_GENERATED: Final = frozenset(
    {
        "__pycache__",
        "node_modules",
        "bower_components",
        ".venv",
        ".tox",
        ".nox",
        ".eggs",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        ".gradle",
        ".terraform",
        ".next",
        ".nuxt",
        ".svelte-kit",
        ".parcel-cache",
        ".direnv",
    }
)

# A folder that holds one of these says itself that it was made by a program.
MARKS: Final = frozenset({"pyvenv.cfg", "CACHEDIR.TAG"})

# Names that a build gives, and people too: it is a build's beside the file that steers the build.
# For projects without a repository; in one the ignore rules know better.
_BUILT: Final = {
    "target": ("Cargo.toml", "pom.xml", "build.sbt"),
    "build": (
        "pyproject.toml",
        "setup.py",
        "package.json",
        "build.gradle",
        "build.gradle.kts",
        "CMakeLists.txt",
        "pubspec.yaml",
    ),
    "dist": ("pyproject.toml", "setup.py", "package.json"),
}


def is_generated(above: str, name: str, files: Container[str], *, repository: bool) -> bool:
    """Whether a folder holds what programs make.

    Args:
        above: path of the folder that it lies in, "" or with a slash at its end.
        name: its name.
        files: paths of the files beside it.
        repository: the project lies in a repository.
    """
    if name in _GENERATED:
        return True
    return not repository and any(above + steers in files for steers in _BUILT.get(name, ()))
