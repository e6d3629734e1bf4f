"""Wheels of all members, and empty environments to install them into.

Used by `check_wheels.py`, and by the tests that install what users install.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 300.0
# What would make a fresh environment see the one that we run in.
OWN = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "UV_PROJECT_ENVIRONMENT", "PYTEST_ADDOPTS")


class WheelsError(Exception):
    """A program that was needed failed; the message holds what it said."""


@dataclass(frozen=True, slots=True)
class Member:
    """One distribution of the workspace.

    Attributes:
        folder: where its `pyproject.toml` stands.
        sources: the folder of its package.
        project: the table `project` of its `pyproject.toml`.
    """

    folder: Path
    sources: Path
    project: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.project["name"])

    @property
    def package(self) -> str:
        return self.sources.name

    @property
    def tests(self) -> Path:
        return self.folder / "tests"


def read_project(folder: Path) -> dict[str, Any]:
    """The `pyproject.toml` of a folder."""
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


def core(root: Path = ROOT) -> Member:
    """The distribution that all others need."""
    return Member(root, root / "turnloop_core", read_project(root)["project"])


def members(root: Path = ROOT) -> list[Member]:
    """The members of the workspace, core left out."""
    found = []
    for name in read_project(root)["tool"]["uv"]["workspace"]["members"]:
        folder = root / name
        project = read_project(folder)["project"]
        package = str(project["name"]).replace("-", "_")
        found.append(Member(folder, folder / "src" / package, project))
    return found


def pins(root: Path = ROOT) -> list[str]:
    """The versions that were tested together."""
    found: list[str] = read_project(root)["tool"]["uv"]["constraint-dependencies"]
    return found


def find_uv() -> list[str] | None:
    """How to call uv; None when it is nowhere.

    `uv run` names itself in `UV`, so that a uv which is on nobody's path is found as well.
    """
    named = os.environ.get("UV")
    if named and Path(named).is_file():
        return [named]
    if found := shutil.which("uv"):
        return [found]
    if importlib.util.find_spec("uv") is not None:
        return [sys.executable, "-m", "uv"]
    return None


@dataclass(frozen=True, slots=True)
class Uv:
    """Calls uv.

    Attributes:
        command: how.
        variables: environment of the calls: the user's own, since it says where the registry and
            the cache are.
    """

    command: tuple[str, ...]
    variables: Mapping[str, str]

    def call(self, *arguments: str | Path, cwd: Path | None = None) -> str:
        """Run it, and give what it said.

        Raises:
            WheelsError: it failed.
        """
        return run_it((*self.command, *map(str, arguments)), env=self.variables, cwd=cwd)

    def build(self, folder: Path, into: Path, *, all_members: bool = False) -> None:
        """Build the wheel of the project in `folder`, or those of its whole workspace."""
        more = ("--all-packages",) if all_members else ()
        arguments = ("build", "--wheel", *more, "--out-dir", into, "--no-create-gitignore")
        self._offline_first(*arguments, cwd=folder)

    def install(self, python: Path, *what: str | Path, constraints: Path | None = None) -> None:
        """Install wheels and requirements into the environment of `python`."""
        bounds = ("--constraints", constraints) if constraints else ()
        self._offline_first("pip", "install", "--quiet", "--python", python, *bounds, *what)

    def uninstall(self, python: Path, name: str) -> None:
        self.call("pip", "uninstall", "--quiet", "--python", python, name)

    def _offline_first(self, *arguments: str | Path, cwd: Path | None = None) -> None:
        """What is cached needs no network, and comes sooner without asking it."""
        try:
            self.call(*arguments, "--offline", cwd=cwd)
        except WheelsError:
            self.call(*arguments, cwd=cwd)


def make_uv(variables: Mapping[str, str] | None = None) -> Uv:
    """The uv of this machine.

    Args:
        variables: the environment that it is to see; that of this process when None.

    Raises:
        WheelsError: there is none.
    """
    command = find_uv()
    if command is None:
        raise WheelsError("uv is not installed; see CONTRIBUTING.md")
    kept = {n: v for n, v in (variables or os.environ).items() if n not in OWN}
    return Uv(tuple(command), kept)


@dataclass(frozen=True, slots=True)
class Place:
    """An environment with nothing in it but what is installed here.

    Attributes:
        uv: what made it.
        folder: where it is.
        home: HOME of what runs in it.
        constraints: a file of versions to keep to.
    """

    uv: Uv
    folder: Path
    home: Path
    constraints: Path

    @property
    def python(self) -> Path:
        return self._program("python")

    @property
    def tl(self) -> Path:
        return self._program("tl")

    def install(self, *what: str | Path) -> None:
        self.uv.install(self.python, *what, constraints=self.constraints)

    def uninstall(self, name: str) -> None:
        self.uv.uninstall(self.python, name)

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Variables for a program that runs in it: no keys, no settings of ours."""
        kept = ("TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "COMSPEC", "PATHEXT")
        found = {name: os.environ[name] for name in kept if name in os.environ}
        own = {"HOME": str(self.home), "USERPROFILE": str(self.home), "LANG": "C.UTF-8"}
        return found | own | {"PATH": self._path()} | dict(more or {})

    def _path(self) -> str:
        """Its own programs first, and none of the environment that we run in."""
        ours = Path(sys.executable).parent
        others = os.environ.get("PATH", os.defpath).split(os.pathsep)
        kept = [name for name in others if Path(name) != ours]
        return os.pathsep.join([str(self.python.parent), *kept])

    def run(self, *command: str | Path, cwd: Path | None = None) -> str:
        """Run a program in it, and give its standard output.

        Raises:
            WheelsError: its exit status is not 0.
        """
        env = self.environment()
        return run_it(tuple(map(str, command)), env=env, cwd=cwd or self.home)

    def _program(self, name: str) -> Path:
        windows = os.name == "nt"
        return self.folder / ("Scripts" if windows else "bin") / (name + ".exe" * windows)


def make_place(uv: Uv, base: Path) -> Place:
    """A new, empty environment in the folder `base`, which is made."""
    home = base / "home"
    home.mkdir(parents=True)
    constraints = base / "constraints.txt"
    constraints.write_text("\n".join(pins()) + "\n", encoding="utf-8")
    uv.call("venv", "--quiet", "--python", sys.executable, base / "venv")
    return Place(uv, base / "venv", home, constraints)


def build_all(uv: Uv, into: Path) -> dict[str, Path]:
    """Build the wheels of core and of all members: name -> wheel."""
    uv.build(ROOT, into, all_members=True)
    built = {path.name.split("-")[0].replace("_", "-"): path for path in into.glob("*.whl")}
    wanted = {member.name for member in (core(), *members())}
    if set(built) != wanted:
        raise WheelsError(f"built {sorted(built)}, wanted {sorted(wanted)}")
    return built


def run_it(command: Sequence[str], *, env: Mapping[str, str], cwd: Path | None) -> str:
    done = subprocess.run(
        command,
        env=dict(env),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=LIMIT_S,
        check=False,
    )
    if done.returncode != 0:
        said = "\n".join(part for part in (done.stdout.strip(), done.stderr.strip()) if part)
        raise WheelsError(f"{' '.join(command)}\nexit status {done.returncode}\n{said}")
    return done.stdout
