"""Which shell is found on which system."""

from __future__ import annotations

import pytest

from turnloop_core.api import Scope, Subject, SubjectKind
from turnloop_shell.arguments import BashArguments
from turnloop_shell.shells import Platform, Shell, find_shell
from turnloop_shell.tool import Bash

GIT = r"C:\Program Files\Git"


def found(*programs, windows=False, **environment):
    return find_shell(Platform(windows, environment, set(programs).__contains__))


def test_bash_on_path_comes_first():
    assert found("/opt/bin/bash", "/bin/bash", PATH="/opt/bin:/bin") == (
        Shell("/opt/bin/bash", ("-c",), "bash")
    )


def test_relative_folders_of_path_are_not_searched():
    assert found("bin/bash", "./bash", "bash", "/bin/sh", PATH="bin:.::") == (
        Shell("/bin/sh", ("-c",), "sh")
    )


def test_usual_places_without_path():
    assert found("/usr/bin/bash").path == "/usr/bin/bash"
    assert found("/bin/sh", PATH="/nowhere").family == "sh"
    assert found(PATH="/nowhere") is None


@pytest.mark.parametrize(
    ("programs", "path", "expected"),
    [
        # the launcher of the other system is never taken
        ([r"C:\Windows\System32\bash.exe"], r"C:\Windows\System32", None),
        ([r"C:\WINDOWS\system32\bash.exe"], r"C:\WINDOWS\system32", None),
        (
            [r"C:\Users\a\AppData\Local\Microsoft\WindowsApps\bash.exe"],
            r"C:\Users\a\AppData\Local\Microsoft\WindowsApps",
            None,
        ),
        # through git
        (
            [rf"{GIT}\cmd\git.exe", rf"{GIT}\bin\bash.exe", r"C:\Windows\System32\bash.exe"],
            rf"C:\Windows\System32;{GIT}\cmd",
            rf"{GIT}\bin\bash.exe",
        ),
        (
            [rf"{GIT}\mingw64\bin\git.exe", rf"{GIT}\bin\bash.exe"],
            rf"{GIT}\mingw64\bin",
            rf"{GIT}\bin\bash.exe",
        ),
        # where the installer puts it
        ([rf"{GIT}\bin\bash.exe"], r"C:\Windows", rf"{GIT}\bin\bash.exe"),
        # any other bash on PATH
        ([r"C:\msys64\usr\bin\bash.exe"], r"C:\msys64\usr\bin", r"C:\msys64\usr\bin\bash.exe"),
    ],
)
def test_bash_on_windows(programs, path, expected):
    shell = found(*programs, windows=True, Path=path, ProgramFiles=r"C:\Program Files")
    assert (shell.path if shell else None) == expected


def test_powershell_is_the_last_on_windows():
    folder = r"C:\Windows\System32\WindowsPowerShell\v1.0"
    shell = found(rf"{folder}\powershell.exe", windows=True, PATH=folder)
    assert shell.command_line("-x") == [
        rf"{folder}\powershell.exe",
        "-NoProfile",
        "-NonInteractive",
        "-Command",
        "-x",
    ]


@pytest.mark.parametrize(
    ("variable", "folder"),
    [
        ("ProgramFiles(x86)", r"C:\Program Files (x86)\Git"),
        ("LocalAppData", r"C:\Users\a\AppData\Local\Programs\Git"),
    ],
)
def test_bash_on_windows_where_other_installers_put_it(variable, folder):
    base = folder.removesuffix(r"\Git").removesuffix(r"\Programs")
    shell = found(rf"{folder}\bin\bash.exe", windows=True, PATH="", **{variable: base})
    assert shell == Shell(rf"{folder}\bin\bash.exe", ("-c",), "bash")


def test_the_launcher_makes_way_for_powershell_and_the_newer_one_comes_first():
    system, newer = r"C:\Windows\System32", r"C:\Program Files\PowerShell\7"
    programs = [rf"{system}\bash.exe", rf"{system}\powershell.exe", rf"{newer}\pwsh.exe"]
    path = f"{system};{newer}"
    assert found(*programs, windows=True, PATH=path).path == rf"{newer}\pwsh.exe"
    shell = found(*programs[:2], windows=True, PATH=path)
    assert (shell.path, shell.family) == (rf"{system}\powershell.exe", "powershell")


def test_a_shell_of_another_language_is_not_looked_into(tmp_path):
    shell = Shell(r"C:\pwsh.exe", ("-Command",), "powershell")
    scope = Scope(tmp_path, tmp_path, tmp_path)
    (subject,) = Bash(shell).subjects(BashArguments(command=" Remove-Item  x "), scope)
    assert subject == Subject(
        SubjectKind.COMMAND,
        "Remove-Item x",
        ("Remove-Item  x",),
        display="Remove-Item  x",
        dynamic=True,
        reason="PowerShell is not looked into",
        exact=("Remove-Item  x",),
    )


def test_the_model_is_told_which_shell_it_is():
    shell = Shell(r"C:\pwsh.exe", ("-Command",), "powershell")
    for tool, word in ((Bash(shell), "powershell"), (Bash(None), "bash")):
        for verbosity in ("terse", "normal", "verbose"):
            assert f"with {word} in the working folder" in tool.descriptions.at(verbosity)
