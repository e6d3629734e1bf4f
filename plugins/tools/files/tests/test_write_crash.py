"""A process that is killed in the middle of a write leaves the old file or the new one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from turnloop_core.testing.project import temporary_project

# Kills itself just before (or, for the last step, just after) the named call of the system.
PROGRAM = """
import os, signal, sys
from turnloop_files.access import Place
from turnloop_files.save import save

folder, call, when, anonymous = sys.argv[1:]
real = getattr(os, call)

def fatal(*arguments, **keywords):
    if when == "after":
        real(*arguments, **keywords)
    os.kill(os.getpid(), signal.SIGKILL)

if anonymous == "no":
    del os.O_TMPFILE
at = Place(os.open(folder, os.O_RDONLY), "a.txt", "a.txt")
status = at.status()
old = at.open().read() if status else None
setattr(os, call, fatal)
save(at, b"new content", old, status)
"""


def killed_in(folder, call, when="before", anonymous="yes"):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, folder, call, when, anonymous], timeout=60
    )
    assert done.returncode == -signal.SIGKILL


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="the system has no files without names")
@pytest.mark.parametrize("old", [None, b"old content"])
@pytest.mark.parametrize("call", ["write", "fsync", "link"])
def test_killed_before_the_file_has_its_name(old, call):
    with temporary_project({} if old is None else {"a.txt": old}) as project:
        killed_in(str(project.root), call)
        found = {path.name: path.read_bytes() for path in project.root.iterdir()}
    assert found == ({} if old is None else {"a.txt": old})


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="the system has no files without names")
def test_killed_after_the_last_step():
    with temporary_project({"a.txt": "old content"}) as project:
        killed_in(str(project.root), "replace", "after")
        found = {path.name: path.read_bytes() for path in project.root.iterdir()}
    assert found == {"a.txt": b"new content"}


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_the_old_file_is_whole_also_where_every_file_has_a_name(call):
    with temporary_project({"a.txt": "old content"}) as project:
        killed_in(str(project.root), call, anonymous="no")
        assert project.path("a.txt").read_bytes() == b"old content"
