"""Environments as a user's would be: our wheels, a stranger's wheel, and nothing of this tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest

from turnloop_core.testing.project import Project
from wheels import Place, Uv, build_all, find_uv, make_place, make_uv

ACME = Path(__file__).parent / "acme"
LIMIT_S = 60.0
# Taken before the suite puts an empty HOME in its place: it says where registry and cache are.
OUTER = MappingProxyType(dict(os.environ))

collect_ignore = ["acme"]  # its tests run where it is installed


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment into which turnloop was installed, with or without the stranger."""

    place: Place

    def tl(self, *arguments: str, project: Project) -> subprocess.CompletedProcess[str]:
        """Run `tl` in a project, with that project's HOME."""
        home = {"HOME": str(project.home), "USERPROFILE": str(project.home)}
        return self.run(str(self.place.tl), *arguments, cwd=project.root, more=home)

    def run(
        self, *command: str, cwd: Path, more: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=cwd,
            env=self.place.environment(more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=LIMIT_S,
            check=False,
        )

    def files(self, word: str) -> list[str]:
        """Installed files with this word in their path."""
        found = (path.relative_to(self.place.folder) for path in self.place.folder.rglob("*"))
        return sorted(str(path) for path in found if word in str(path))


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where environments are made: the wheels, and the tool for it."""

    uv: Uv
    base: Path
    wheels: tuple[Path, ...]

    def install(self, name: str, *more: str) -> Installed:
        place = make_place(self.uv, self.base / name)
        place.install(*self.wheels, *more)
        return Installed(place)


@pytest.fixture(scope="session")
def workshop() -> Iterator[Workshop]:
    """Wheels of all our members and of the stranger, whose project is built elsewhere."""
    if find_uv() is None:
        pytest.skip("uv, which builds and installs wheels, is not installed")
    uv = make_uv(OUTER)
    with tempfile.TemporaryDirectory(prefix="turnloop-outside-") as folder:
        base = Path(folder).resolve()
        ours = build_all(uv, base / "ours")
        shutil.copytree(ACME, base / "acme", ignore=shutil.ignore_patterns("__pycache__"))
        uv.build(base / "acme", base / "theirs")
        yield Workshop(uv, base, (*ours.values(), *(base / "theirs").glob("*.whl")))


@pytest.fixture(scope="session")
def with_acme(workshop: Workshop) -> Installed:
    """The stranger is installed; pytest too, since it has tests."""
    return workshop.install("with-acme", "pytest")


@pytest.fixture(scope="session")
def after_acme(workshop: Workshop) -> Installed:
    """The stranger was installed, used once, and removed."""
    installed = workshop.install("after-acme")
    installed.place.run(installed.place.tl, "plugins")
    installed.place.uninstall("acme-turnloop")
    return installed
