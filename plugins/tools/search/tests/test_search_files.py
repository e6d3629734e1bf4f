"""Which files a search looks at: the same on every road, and never fewer than it says."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from turnloop_core.api import ErrorKind, PathChangedError, Searched

MARKED = {
    ".gitignore": "build/\n*.log\n",
    "build/out.js": "MARK\n",
    "app.log": "MARK\n",
    ".github/ci.yml": "MARK\n",
    "src/a.js": "MARK\n",
    "src/deep/er/b.js": "nothing\n",
}


@pytest.mark.parametrize("git", [True, False], ids=["repository", "plain folder"])
def test_ignored_files_are_counted_and_hidden_ones_are_found(make_desk, git):
    desk = make_desk(MARKED, git=git)
    assert desk.files("MARK") == [".github/ci.yml", "src/a.js"]
    found = desk.glob("**/*")
    assert found.text.splitlines()[:-1] == [
        ".github/ci.yml",
        ".gitignore",
        "src/a.js",
        "src/deep/er/b.js",
    ]
    left_out = (
        "[left out: 1 ignored file and 1 ignored folder (build/); include_ignored=true, or a path "
        "within, takes them in]"
    )
    assert desk.notes(found) == [left_out]
    assert left_out in desk.notes(desk.grep("MARK"))
    assert left_out in desk.notes(desk.grep("NOT THERE"))


def test_what_is_named_outright_is_found(make_desk):
    desk = make_desk(MARKED)
    assert desk.names("build/out.js") == ["build/out.js"]
    assert desk.names("build/*.js") == ["build/out.js"]
    assert desk.names("app.log") == ["app.log"]
    assert desk.names(".github/*.yml") == [".github/ci.yml"]
    assert desk.files("MARK", path="build") == ["build/out.js"]
    assert desk.files("MARK", glob="build/*.js") == ["build/out.js"]
    assert desk.grep("MARK", path="app.log").text == "app.log\n1:MARK\n[1 matching line in 1 file]"
    assert desk.notes(desk.glob("*", path="build")) == [
        "[the folder is ignored itself, so everything in it was searched]"
    ]


def test_ignored_files_on_request(make_desk):
    desk = make_desk(MARKED)
    everything = [".github/ci.yml", "app.log", "build/out.js", "src/a.js"]
    assert desk.files("MARK", include_ignored=True) == everything
    assert desk.names("*.js", include_ignored=True) == [
        "build/out.js",
        "src/a.js",
        "src/deep/er/b.js",
    ]


def test_a_folder_whose_own_rules_ignore_everything_is_not_empty(make_desk):
    desk = make_desk({"env/.gitignore": "*\n", "env/x.py": "MARK\n", "a.py": "MARK\n"})
    assert desk.files("MARK") == ["a.py"]
    assert desk.files("MARK", path="env") == ["env/x.py"]


@pytest.mark.parametrize("git", [True, False], ids=["repository", "plain folder"])
def test_rules_nest_and_take_back(make_desk, git):
    files = {
        ".gitignore": "*.tmp\n/top.txt\n",
        "a/.gitignore": "!keep.tmp\nlocal.txt\n",
        "a/keep.tmp": "",
        "a/other.tmp": "",
        "a/local.txt": "",
        "a/top.txt": "",
        "top.txt": "",
        "b/local.txt": "",
    }
    desk = make_desk(files, git=git)
    wanted = ["a/keep.tmp", "a/top.txt", "b/local.txt"]
    assert desk.names("*.{tmp,txt}") == wanted
    assert desk.names("*.{tmp,txt}", path="a") == wanted[:2]


def test_removed_untracked_and_changed_files(make_desk):
    desk = make_desk({"gone.txt": "MARK", "stays.txt": "MARK"})
    desk.project.path("gone.txt").unlink()
    desk.project.write("new.txt", "MARK")
    assert desk.names("*.txt") == ["new.txt", "stays.txt"]
    result = desk.grep("MARK", output="files")
    assert result.text == "new.txt\nstays.txt\n[2 matching lines in 2 files]"


def test_repositories_within(make_desk):
    desk = make_desk({"a.txt": "MARK", ".gitignore": "inner.log\n"})
    inner = desk.project.write("sub/b.txt", "MARK").parent
    desk.project.write("sub/.git/HEAD", "ref: refs/heads/main\n")
    desk.project.write("sub/.git/config", "[core]\n")
    (inner / ".git" / "objects").mkdir()
    (inner / ".git" / "refs").mkdir()
    assert desk.files("MARK") == ["a.txt", "sub/b.txt"]
    assert desk.names("**/HEAD") == []


def test_links_are_named_and_not_followed(make_desk):
    desk = make_desk({"dir/a.txt": "MARK"})
    desk.link("dir/loop", "..")
    desk.link("x", "dir")
    desk.link("dir/y", "../x")
    desk.project.outside.joinpath("secret.txt").write_text("MARK")
    desk.link("out", desk.project.outside)
    desk.link("secret.txt", desk.project.outside / "secret.txt")
    desk.link("nowhere", "not/there")
    assert desk.files("MARK") == ["dir/a.txt"]
    assert "[not followed: 6 symbolic links]" in desk.notes(desk.grep("NOT THERE"))
    names = ["dir/a.txt", "dir/loop", "dir/y", "nowhere", "out", "secret.txt", "x"]
    assert desk.names("**/*") == names


def test_a_tracked_folder_that_became_a_link_is_not_followed(make_desk):
    desk = make_desk({"dir/a.txt": "MARK", "b.txt": "MARK"})
    desk.project.path("dir/a.txt").unlink()
    desk.project.path("dir").rmdir()
    desk.project.outside.joinpath("a.txt").write_text("MARK")
    desk.link("dir", desk.project.outside)
    assert desk.files("MARK") == ["b.txt"]
    assert desk.names("*.txt") == ["b.txt"]
    assert desk.files("MARK", glob="dir/*.txt") == []


def test_pipes_and_sockets_are_never_opened(make_desk):
    desk = make_desk({"a.txt": "MARK"})
    os.mkfifo(desk.project.path("pipe"))
    here = Path.cwd()
    os.chdir(desk.project.root)  # names of sockets are short
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("s")
            assert desk.files("MARK") == ["a.txt"]
            assert desk.names("*") == ["a.txt"]
    finally:
        os.chdir(here)
    refused = desk.grep("MARK", path="pipe")
    assert refused.error is ErrorKind.TOOL_ERROR
    assert refused.text == "pipe is a device, a pipe or a socket: it is never opened."


ODD = ["-e", "-", "--json", "a b.txt", "[x].txt", "ü 日本.txt", "new\nline", "tab\tname", "ü" * 127]


def test_odd_names(make_desk):
    desk = make_desk(dict.fromkeys(ODD, "MARK\n"))
    Path(os.fsdecode(bytes(desk.project.root) + b"/bad\xff.txt")).write_text("MARK\n")
    shown = sorted([*ODD, "bad\udcff.txt"])
    for place, text in (("\n", "\\n"), ("\udcff", "\\xff"), ("[x]", "./[x]")):
        shown = [name.replace(place, text) for name in shown]
    assert desk.files("MARK") == shown
    assert desk.names("*") == shown
    assert desk.names("[[]x].txt") == ["./[x].txt"]


def test_what_rules_deny_is_named_and_not_searched(make_desk):
    desk = make_desk({"secret/key.txt": "MARK", "a.txt": "MARK", "b.txt": "nothing"})
    desk.unreadable.append("secret/key.txt")
    note = "[permission rules keep 1 file from being searched: secret/key.txt]"
    assert desk.files("MARK") == ["a.txt"]
    # The same note whether the file would match or not: it must not tell what is in it.
    assert note in desk.notes(desk.grep("MARK"))
    assert note in desk.notes(desk.grep("NOT THERE"))
    assert desk.names("**/key.txt") == ["secret/key.txt"]


def test_an_unreadable_folder_is_said(make_desk):
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    desk = make_desk({"a.txt": "grid", "closed/b.txt": "grid"})
    desk.project.path("closed").chmod(0)
    try:
        found = desk.grep("grid", output="files")
        missing = desk.grep("NOT THERE")
    finally:
        desk.project.path("closed").chmod(0o755)
    assert found.text.startswith("a.txt\n")
    assert "[could not be read: closed/]" in desk.notes(found)
    assert missing.text.startswith("nothing found so far")


def test_a_folder_that_cannot_be_listed_is_said(make_desk, monkeypatch):
    listed = os.scandir

    def scandir(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr("turnloop_search.walk.os.scandir", scandir)
    desk = make_desk({"a.txt": "grid", "closed/b.txt": "grid"}, git=False)
    found, missing = desk.grep("grid"), desk.grep("NOT THERE")
    assert desk.listed(found) == ["a.txt", "1:grid"]
    assert "[could not be read: closed/]" in desk.notes(found)
    assert not found.facts[0].complete
    assert missing.text.startswith("nothing found so far for NOT THERE")


def test_a_file_that_cannot_be_read_is_said(make_desk):
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    desk = make_desk({"a.txt": "grid", "closed.txt": "grid"})
    desk.project.path("closed.txt").chmod(0)
    found = desk.grep("grid")
    assert desk.listed(found) == ["a.txt", "1:grid"]
    assert any("could not be read: closed.txt" in note for note in desk.notes(found))


def test_base_that_is_missing_or_no_folder(make_desk):
    desk = make_desk({"source/a.txt": "x"})
    for result in (desk.grep("x", path="sourc"), desk.glob("*", path="sourc")):
        assert result.error is ErrorKind.TOOL_ERROR
        assert result.text == "sourc does not exist; nothing was searched. Near it: source."
    assert desk.glob("*", path="source/a.txt").error is ErrorKind.TOOL_ERROR
    assert desk.glob("source/a.txt/*").error is ErrorKind.TOOL_ERROR


def test_a_folder_that_becomes_a_link_is_not_searched(make_desk):
    desk = make_desk({"dir/a.txt": "MARK"})
    desk.project.outside.joinpath("a.txt").write_text("MARK")

    def swap() -> None:
        desk.project.path("dir").rename(desk.project.path("other"))
        desk.link("dir", desk.project.outside)

    with pytest.raises(PathChangedError):
        desk.grep("MARK", path="dir", meanwhile=swap)


def test_outside_the_project_and_by_absolute_pattern(make_desk):
    desk = make_desk({"a.txt": "MARK"})
    far = desk.project.outside / "far"
    far.mkdir()
    (far / "b.txt").write_text("MARK")
    assert desk.files("MARK", path=str(far)) == [str(far / "b.txt")]
    assert desk.names(f"{far}/*.txt") == [str(far / "b.txt")]
    assert desk.names("../outside/**/b.txt") == [str(far / "b.txt")]


def test_folders_are_hinted_at(make_desk):
    desk = make_desk({"src/components/a.js": "x"})
    assert desk.glob("components").text == (
        "no file matches components (1 file below the working folder looked at).\n"
        "[folders that match: src/components; add /** for what is in them]"
    )
    assert desk.names("src/components/") == ["src/components/a.js"]


def test_globs_of_grep(make_desk):
    files = {"a.py": "MARK", "b.ts": "MARK", "lib/c.py": "MARK", "lib/d.min.js": "MARK"}
    desk = make_desk(files)
    cases: dict[str, list[str]] = {
        "*.py": ["a.py", "lib/c.py"],
        "*.{py,ts}": ["a.py", "b.ts", "lib/c.py"],
        "*.ts, lib/*.py": ["b.ts", "lib/c.py"],
        "!*.py": ["b.ts", "lib/d.min.js"],
        "lib/**,!*.min.js": ["lib/c.py"],
    }
    assert {glob: desk.files("MARK", glob=glob) for glob in cases} == cases
    assert desk.grep("MARK", glob="*.rs").text == (
        "nothing was searched: no file below the working folder fits the glob *.rs "
        "(4 files looked at)."
    )
    assert desk.grep("MARK", glob="../x/*.py").error is ErrorKind.TOOL_ERROR


def test_facts(make_desk):
    desk = make_desk({"a.txt": "MARK\nMARK\n", "b.txt": "MARK\n"})
    root = str(desk.project.root)
    assert desk.grep("MARK").facts == (Searched("MARK", root, 3, complete=True),)
    assert desk.glob("*.txt").facts == (Searched("*.txt", root, 2, complete=True),)
    assert desk.grep("MARK", path="a.txt").facts == (
        Searched("MARK", f"{root}/a.txt", 2, complete=True),
    )


def test_everything_is_ignored_at_the_root(make_desk):
    desk = make_desk({".gitignore": "*\n", "a.txt": "MARK"}, git=False)
    assert desk.files("MARK") == ["a.txt"]
    assert "[the folder is ignored itself, so everything in it was searched]" in desk.notes(
        desk.grep("MARK")
    )
