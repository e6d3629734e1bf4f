"""Which shell runs the commands: bash where there is one, and what comes next where not."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath, PureWindowsPath


@dataclass(frozen=True, slots=True)
class Shell:
    """A shell: its absolute path, what stands before the command, and its family."""

    path: str
    options: tuple[str, ...]
    family: str

    def command_line(self, command: str) -> list[str]:
        """The program and its arguments that run `command`."""
        # A command that begins with a dash must not be read as options of the shell.
        guard = ("--",) if self.family != "powershell" and command[:1] in ("-", "+") else ()
        return [self.path, *self.options, *guard, command]


@dataclass(frozen=True, slots=True)
class Platform:
    """What the choice depends on, so that tests can bring another system.

    Attributes:
        windows: Windows, rather than something like POSIX.
        environment: variables, of which PATH is looked at.
        is_program: whether a path is a program that can be run.
    """

    windows: bool
    environment: Mapping[str, str]
    is_program: Callable[[str], bool]


def this_platform(environment: Mapping[str, str]) -> Platform:
    def is_program(path: str) -> bool:
        return os.access(path, os.X_OK) and not os.path.isdir(path)  # noqa: PTH112 - start-up path

    return Platform(os.name == "nt", environment, is_program)


def find_shell(platform: Platform) -> Shell | None:
    """The shell to use, or None when there is none at all."""
    if platform.windows:
        return _on_windows(platform)
    for name in ("bash", "sh"):
        fixed = (PurePosixPath("/bin", name), PurePosixPath("/usr/bin", name))
        path = _first(platform, (*_on_path(platform, name), *fixed))
        if path:
            return Shell(path, ("-c",), name)
    return None


def _on_path(platform: Platform, name: str) -> Iterator[PurePath]:
    """Places of `name` on PATH. Relative folders are left out: they depend on who works where."""
    flavour = PureWindowsPath if platform.windows else PurePosixPath
    separator = ";" if platform.windows else ":"
    for folder in _variable(platform, "PATH").split(separator):
        if folder and flavour(folder).is_absolute():
            yield flavour(folder, name)


def _first(platform: Platform, paths: tuple[PurePath, ...]) -> str:
    return next((str(path) for path in paths if platform.is_program(str(path))), "")


def _variable(platform: Platform, name: str) -> str:
    if not platform.windows:
        return platform.environment.get(name, "")
    folded = {key.upper(): value for key, value in platform.environment.items()}
    return folded.get(name.upper(), "")


def _on_windows(platform: Platform) -> Shell | None:
    bash = _first(platform, tuple(_bashes_on_windows(platform)))
    if bash:
        return Shell(bash, ("-c",), "bash")
    for name in ("pwsh.exe", "powershell.exe"):
        path = _first(platform, tuple(_on_path(platform, name)))
        if path:
            return Shell(path, ("-NoProfile", "-NonInteractive", "-Command"), "powershell")
    return None


def _bashes_on_windows(platform: Platform) -> Iterator[PurePath]:
    """Git's bash beside git, then where its installer puts it, then on PATH.

    The `bash.exe` of Windows itself starts another system in a virtual machine, with other paths
    and programs: it is not the user's shell.
    """
    for git in _on_path(platform, "git.exe"):
        if platform.is_program(str(git)):
            for above in list(git.parents)[:3]:
                yield above / "bin" / "bash.exe"
                yield above / "usr" / "bin" / "bash.exe"
    for variable in ("ProgramFiles", "ProgramFiles(x86)", "LocalAppData"):
        folder = _variable(platform, variable)
        if folder:
            start = PureWindowsPath(folder, "Programs" if variable == "LocalAppData" else "")
            yield start / "Git" / "bin" / "bash.exe"
    root = PureWindowsPath(_variable(platform, "SystemRoot") or "C:\\Windows")
    for path in _on_path(platform, "bash.exe"):
        parts = [part.lower() for part in path.parts]
        if not path.is_relative_to(root) and "windowsapps" not in parts:
            yield path
