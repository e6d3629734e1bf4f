"""A real project folder, with a HOME of its own and a place outside of both."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from turnloop_core.ports.tool import Scope
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class Project:
    """Folders of a test. All paths are real: no part of them is a symbolic link.

    Attributes:
        base: holds the other three; removed at the end.
        root: the project.
        home: the user's home.
        outside: a folder that is neither.
    """

    base: Path
    root: Path
    home: Path
    outside: Path

    @property
    def scope(self) -> Scope:
        """cwd and root are the project."""
        return Scope(self.root, self.root, self.home)

    @property
    def environment(self) -> dict[str, str]:
        """Variables for child processes: a bare environment with this HOME."""
        return bare_environment(self.home)

    def path(self, name: str) -> Path:
        """A path below the project."""
        return self.root / name

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file of the project, making its folders."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def read(self, name: str) -> str:
        return (self.root / name).read_bytes().decode()

    def snapshot(self) -> dict[str, str]:
        """Everything below `base` as path -> what it is: content, mode and times, or link target.

        Two snapshots are equal when nothing was created, removed, written or touched in between.
        """
        return {str(p.relative_to(self.base)): _state(p) for p in sorted(self.base.rglob("*"))}


def _state(path: Path) -> str:
    if path.is_symlink():
        return f"link to {path.readlink()}"
    info = path.stat()
    if path.is_dir():
        return f"folder {info.st_mode:o}"
    content = path.read_bytes() if path.is_file() else b""
    return f"file {info.st_mode:o} {info.st_mtime_ns} {content!r}"


def bare_environment(home: Path) -> dict[str, str]:
    """What a child process needs and nothing more: no keys, no settings of the developer."""
    kept = ("PATH", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "COMSPEC", "PATHEXT")
    found = {name: os.environ[name] for name in kept if name in os.environ}
    return found | {"HOME": str(home), "USERPROFILE": str(home), "LANG": "C.UTF-8"}


@contextmanager
def temporary_project(
    files: Mapping[str, str | bytes] | None = None, *, git: bool = False, name: str = "project"
) -> Iterator[Project]:
    """A project with these files, removed afterwards.

    Args:
        files: path below the project, with `/` -> content.
        git: make it a repository with everything committed.
        name: name of the project's folder, which may hold blanks and any other character.
    """
    with tempfile.TemporaryDirectory(prefix="turnloop-test-") as folder:
        base = Path(folder).resolve()
        project = Project(base, base / name, base / "home", base / "outside")
        for path in (project.root, project.home, project.outside):
            path.mkdir(parents=True)
        for path_name, content in (files or {}).items():
            project.write(path_name, content)
        if git:
            _commit_all(project)
        yield project


def _commit_all(project: Project) -> None:
    identity = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "Test",
        "GIT_AUTHOR_EMAIL": "test@example.invalid",
        "GIT_COMMITTER_NAME": "Test",
        "GIT_COMMITTER_EMAIL": "test@example.invalid",
    }
    for arguments in (
        ("init", "--quiet", "--initial-branch=main"),
        ("add", "--all"),
        ("commit", "--quiet", "--allow-empty", "--message", "Start"),
    ):
        subprocess.run(
            ("git", *arguments),
            cwd=project.root,
            env=project.environment | identity,
            check=True,
            capture_output=True,
            timeout=60,
        )
