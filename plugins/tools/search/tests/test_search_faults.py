"""What searches are known to get wrong elsewhere: each fault with its neighbours (SEA-01, -02, -04,
-06 of the shared corpus). The other tests of this folder hold the details.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from turnloop_core.api import ErrorKind
from turnloop_core.testing.contexts import call_context
from turnloop_core.testing.processes import marked_processes, new_mark
from turnloop_core.testing.project import temporary_project
from turnloop_search import stop as brake
from turnloop_search.glob import Glob, GlobArguments
from turnloop_search.grep import Grep, GrepArguments

# SEA-01: what is left out is said, what is named is found.

PROJECT = {
    ".gitignore": "build/\n*.log\n",
    "build/out.js": "MARK\n",
    "app.log": "MARK\n",
    ".github/ci.yml": "MARK\n",
    ".env": "MARK\n",
    "src/a.js": "MARK\n",
}


@pytest.mark.parametrize("repository", [True, False], ids=["repository", "plain folder"])
def test_sea_01_nothing_is_left_out_without_a_word(make_desk, repository):
    desk = make_desk(PROJECT, git=repository)
    if repository:
        desk.project.write(".git/notes", "MARK\n")
    out = "left out: 1 ignored file and 1 ignored folder (build/)"
    named = ["build/out.js", ".github/*.yml", "app.log", ".env", "build/*"]
    assert {pattern: desk.names(pattern) for pattern in named} == {
        "build/out.js": ["build/out.js"],
        ".github/*.yml": [".github/ci.yml"],
        "app.log": ["app.log"],
        ".env": [".env"],
        "build/*": ["build/out.js"],
    }
    broad = desk.glob("**/*.js")
    assert desk.listed(broad) == ["src/a.js"]
    assert out in broad.text
    everywhere = desk.grep("MARK", output="files")
    assert desk.listed(everywhere) == [".env", ".github/ci.yml", "src/a.js"]
    assert out in everywhere.text
    assert "include_ignored=true" in everywhere.text
    assert desk.files("MARK", path="build") == ["build/out.js"]
    assert desk.files("MARK", path="app.log") == ["app.log"]
    whole = [".env", ".github/ci.yml", "app.log", "build/out.js", "src/a.js"]
    assert desk.files("MARK", include_ignored=True) == whole
    assert out in desk.grep("nobody wrote this").text
    if repository:
        assert desk.files("MARK", path=".git") == [".git/notes"]


# SEA-02: loops, giant trees, what is never opened, and interrupts.


def test_sea_02_links_in_circles_end(make_desk):
    desk = make_desk({"dir/x.txt": "y", "one/a.txt": "MARK", "two/b.txt": "MARK"})
    desk.link("dir/loop", "..")
    desk.link("one/two", "../two")
    desk.link("two/one", "../one")
    desk.link("self", "self")
    for more in ({}, {"include_ignored": True}):
        result = desk.grep("MARK", output="files", **more)
        assert desk.listed(result) == ["one/a.txt", "two/b.txt"]
        assert "[not followed: 4 symbolic links]" in desk.notes(result)
        assert desk.grep("NOT THERE", **more).facts[0].complete
        assert len(desk.names("**/*", **more)) == 7


class _Entry:
    """A folder that is nowhere, as `os.scandir` gives it."""

    def __init__(self, path: str, name: str) -> None:
        self.name, self.path = name, f"{path}/{name}"

    def is_dir(self, *, follow_symlinks: bool) -> bool:
        return True

    def is_symlink(self) -> bool:
        return False


class _Endless:
    """The listing of a folder full of folders."""

    def __init__(self, path: str, count: int) -> None:
        self._entries = (_Entry(path, f"d{number}") for number in range(count))

    def __enter__(self) -> Iterator[_Entry]:
        return self._entries

    def __exit__(self, *_: object) -> None: ...

    def close(self) -> None: ...


@pytest.mark.parametrize("wide", [3, 1_000_000_000], ids=["deep", "wide"])
def test_sea_02_a_giant_tree_ends_with_the_time(plain_desk, monkeypatch, wide):
    desk = plain_desk({"a.txt": "MARK\n"})
    monkeypatch.setattr("turnloop_search.walk.os.scandir", lambda path: _Endless(path, wide))
    monkeypatch.setattr(brake, "SECONDS", 0.2)
    monkeypatch.setattr(brake, "GRACE", 60.0)
    began = time.monotonic()
    for result in (desk.glob("*.txt"), desk.grep("MARK")):
        assert "so far" in result.text.splitlines()[0]
        assert "[not complete: the search was stopped after 0.2 seconds]" in desk.notes(result)
        assert not result.facts[0].complete
    assert time.monotonic() - began < 30


def test_sea_02_many_empty_files_in_many_folders(plain_desk):
    desk = plain_desk({f"{n % 40}/{n}.txt": "" for n in range(2_000)})
    assert desk.grep("x").text == "no matches for x in 2,000 files below the working folder."
    assert "first 100 of 2,000 files" in desk.glob("**").text


async def interrupted(tool, args, context, started) -> float:
    """Seconds until a call is over that is interrupted as soon as it has started."""
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(tool.run, args, context)
            while not started():  # noqa: ASYNC110 - nothing tells it
                await anyio.sleep(0.005)
            began = time.monotonic()
            tasks.cancel_scope.cancel()
        return time.monotonic() - began


@pytest.fixture
def slow_folder(monkeypatch):
    """A folder that does not answer until it is let go; gives what tells that it was asked."""
    asked, free = threading.Event(), threading.Event()
    listed = os.scandir

    def scandir(path):
        if str(path).endswith("slow"):
            asked.set()
            free.wait(30)
        return listed(path)

    monkeypatch.setattr("turnloop_search.walk.os.scandir", scandir)
    yield asked
    free.set()


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        (Grep(), GrepArguments.model_validate({"pattern": "x"})),
        (Glob(), GlobArguments.model_validate({"pattern": "*"})),
    ],
)
def test_sea_02_an_interrupt_does_not_wait_for_a_slow_folder(slow_folder, tool, args):
    with temporary_project({"slow/a.txt": "x"}) as project:
        context = call_context(project, tool.subjects(args, project.scope))
        assert anyio.run(interrupted, tool, args, context, slow_folder.is_set) < 1.0


def test_sea_02_a_folder_that_never_answers_is_no_empty_one(slow_folder, plain_desk, monkeypatch):
    monkeypatch.setattr(brake, "SECONDS", 0.05)
    monkeypatch.setattr(brake, "GRACE", 0.05)
    desk = plain_desk({"slow/a.txt": "x"})
    for result in (desk.glob("*"), desk.grep("x")):
        assert result.error is ErrorKind.TOOL_ERROR
        assert result.text.startswith("the search did not end after 0.05 seconds: a disk or")


@pytest.mark.skipif(os.name != "posix", reason="scripts in place of ripgrep")
@pytest.mark.parametrize("wrapper", ["sleep 60 & wait", "sleep 60 & sleep 60", "sleep 60 & exit 1"])
def test_sea_02_an_interrupt_ends_the_whole_tree_of_processes(tmp_path, wrapper):
    """Whoever has a script in place of ripgrep has two processes, and it may leave the second."""
    rg = tmp_path / "rg"
    rg.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{wrapper}\n")
    rg.chmod(0o755)
    mark = new_mark()
    tool, args = Grep(), GrepArguments.model_validate({"pattern": "x"})
    with temporary_project({"a.txt": "x"}) as project:
        environment = {"PATH": str(tmp_path), **mark}
        context = call_context(project, tool.subjects(args, project.scope), environment=environment)

        def started() -> bool:
            return len(marked_processes(mark)) >= (1 if "exit" in wrapper else 2)

        began = time.monotonic()
        took = anyio.run(interrupted, tool, args, context, started)
        while marked_processes(mark) and time.monotonic() - began < 20:
            time.sleep(0.005)
        assert took < 1.0
        assert marked_processes(mark) == []


# SEA-04: an error is an error, and what was found is found all the same.

OPTIONS = "-moz-grid\n--dry-run\n-e\n"


def test_sea_04_errors_are_not_empty_answers(scan_desk, monkeypatch):
    desk = scan_desk({"opts.txt": OPTIONS, "closed/b.txt": "grid", "z.txt": "grid"})
    for pattern in ("-moz-grid", "--dry-run", "-e"):
        assert "opts.txt" in desk.files(pattern), pattern
    for wrong in (desk.grep("a("), desk.grep("grid", path="nowhere"), desk.glob("*", path="no")):
        assert wrong.error is ErrorKind.TOOL_ERROR
        assert "othing was searched" in wrong.text
    listed = os.scandir

    def scandir(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr("turnloop_search.walk.os.scandir", scandir)
    found, none = desk.grep("grid", output="files"), desk.grep("nobody wrote this")
    assert desk.listed(found) == ["opts.txt", "z.txt"]
    for result in (found, none, desk.glob("*.rs")):
        assert "[could not be read: closed/]" in desk.notes(result)
        assert not result.facts[0].complete
    assert "at least" in found.display
    assert none.text.startswith("nothing found so far")


def test_sea_04_a_search_without_any_program_says_so(plain_desk, monkeypatch):
    desk = plain_desk({"a.txt": "MARK\n"})
    desk.programs = ""
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    result = desk.grep("MARK")
    assert result.text.startswith("nothing found so far for MARK: the search was not complete.")
    assert "python could not be started: No such file or directory" in result.text


def test_sea_04_a_file_that_cannot_be_read_hides_no_other(scan_desk, monkeypatch):
    desk = scan_desk({"a.txt": "grid", "b.txt": "grid", "c.txt": "grid"})
    listed = desk.project.path("b.txt")

    def size(path: str) -> int:
        listed.unlink(missing_ok=True)  # gone between the listing and the search
        return 1

    monkeypatch.setattr("turnloop_search.grep._size", size)
    result = desk.grep("grid", output="files")
    assert desk.listed(result) == ["a.txt", "c.txt"]


def test_sea_04_a_path_too_long_for_the_system_is_said(scan_desk):
    """Deeper than what one call can name."""
    desk = scan_desk({"a.txt": "MARK\n"})
    here = Path.cwd()
    name = "d" * 200
    try:
        os.chdir(desk.project.root)
        for _ in range(25):
            Path(name).mkdir()
            os.chdir(name)
        Path("deep.txt").write_text("MARK\n")
    finally:
        os.chdir(here)
    result = desk.grep("MARK")
    assert desk.listed(result) == ["a.txt", "1:MARK"]
    assert any(note.startswith("[could not be read: ddd") for note in desk.notes(result))
    assert not result.facts[0].complete
    assert len(result.text) < 1_000


# SEA-06: a cut is seen, and the rest can be had.


@pytest.mark.parametrize("more", [0, 1])
def test_sea_06_the_default_limit_and_one_more(make_desk, more):
    count = 100 + more
    files = {f"{number:03}.txt": "MARK\n" for number in range(count)}
    desk = make_desk({**files, "lines/all.md": "LINE\n" * count})
    for result in (desk.glob("*.txt"), desk.grep("MARK", output="files"), desk.grep("LINE")):
        cut = [note for note in desk.notes(result) if note.startswith("[first 100 of 101 ")]
        assert len(cut) == more
        assert not more or "offset=100 goes on" in cut[0]
    rest = [
        *desk.listed(desk.glob("*.txt", offset=100)),
        *desk.listed(desk.grep("MARK", output="counts", offset=100)),
        *desk.listed(desk.grep("LINE", offset=100)),
    ]
    assert rest == (["100.txt", "100.txt: 1", "lines/all.md", "101:LINE"] if more else rest)
    if not more:
        assert desk.glob("*.txt", offset=100).text.startswith("there are 100 files; none after")


def test_sea_06_no_folder_vanishes_and_the_rest_can_be_had(make_desk):
    files = {f"{'abcd'[n % 4]}/{n:02}.txt": "MARK x\n" * 50 for n in range(100)}
    desk = make_desk(files)
    first = desk.grep("MARK")
    assert first.text == desk.grep("MARK").text
    assert "first 100 of 5,000 matching lines, in path order; offset=100 goes on" in first.text
    assert "Not shown: b/ 1,250, c/ 1,250, d/ 1,250, a/ 1,150" in first.text
    seen: dict[str, int] = {}
    for offset in range(0, 5_000, 2_500):
        name = ""
        for line in desk.listed(desk.grep("MARK", limit=2_500, offset=offset)):
            if line.endswith(".txt"):
                name = line
            else:
                seen[name] = seen.get(name, 0) + 1
    assert seen == dict.fromkeys(sorted(files), 50)
