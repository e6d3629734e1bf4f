"""Write: what is kept of the old file, and when it refuses."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from turnloop_core.api import ErrorKind, PathChangedError, PermissionMode, WroteFile
from turnloop_files.seen import digest_of


def test_a_new_file_needs_no_read(make_desk):
    desk = make_desk()
    result = desk.write("a/b/c.txt", "one\ntwo\n")
    path = str(desk.project.path("a/b/c.txt"))
    assert desk.bytes("a/b/c.txt") == b"one\ntwo\n"
    assert result.text == "created a/b/c.txt: 2 lines, 8 bytes"
    assert result.display == "--- a/b/c.txt\n+++ a/b/c.txt\n@@ -0,0 +1,2 @@\n+one\n+two"
    assert result.facts == (WroteFile(path, 8, digest_of(b"one\ntwo\n"), created=True),)
    again = desk.write("a/b/c.txt", "three\n")  # what it wrote itself is known
    before, after = digest_of(b"one\ntwo\n"), digest_of(b"three\n")
    assert again.facts == (WroteFile(path, 6, after, before=before),)
    same = desk.write("a/b/c.txt", "three\n")
    assert same.facts == (WroteFile(path, 6, after, changed=False, before=after),)


def test_new_files_get_the_usual_mode(make_desk):
    desk = make_desk()
    before = os.umask(0o027)
    try:
        desk.write("a.txt", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE(desk.project.path("a.txt").stat().st_mode) == 0o640


def test_a_file_never_read_is_not_overwritten(make_desk):
    desk = make_desk({"a.txt": "old\n"})
    result = desk.write("a.txt", "new\n")
    assert result.error is ErrorKind.TOOL_ERROR
    assert (
        "exists, and you have not read it as it is now. Nothing was written. Read it first"
        in result.text
    )
    assert (desk.bytes("a.txt"), result.facts) == (b"old\n", ())
    desk.read("a.txt")
    assert desk.write("a.txt", "new\n").ok
    assert desk.bytes("a.txt") == b"new\n"


def test_a_file_that_changed_since_is_not_overwritten_and_the_change_is_shown(make_desk):
    desk = make_desk({"a.py": "one\ntwo\nthree\n"})
    desk.read("a.py")
    desk.put("a.py", "one\n2\nthree\n")
    result = desk.write("a.py", "new\n")
    assert result.error is ErrorKind.TOOL_ERROR
    assert desk.bytes("a.py") == b"one\n2\nthree\n"
    assert result.text == (
        "a.py changed since you last read it. Nothing was written. Read it again, then write what "
        "is to stand there now. What changed:\n"
        "--- a.py\n+++ a.py\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three"
    )
    desk.read("a.py")
    assert desk.write("a.py", "new\n").ok


def test_detection_is_by_content_not_by_time(make_desk):
    desk = make_desk({"a.py": "one\n"})
    desk.read("a.py")
    path = desk.project.path("a.py")
    times = path.stat().st_mtime_ns
    desk.put("a.py", "two\n")
    os.utime(path, ns=(times, times))
    assert not desk.write("a.py", "new\n").ok
    desk.put("a.py", "one\n")  # as it was
    assert desk.write("a.py", "new\n").ok


def test_two_sessions_write_one_file(make_desk):
    first = make_desk({"a.py": "one\n"})
    first.read("a.py")
    second = type(first)(first.project, list(first.facts))
    assert first.write("a.py", "first\n").ok
    assert not second.write("a.py", "second\n").ok
    assert first.bytes("a.py") == b"first\n"


def test_no_change(make_desk):
    desk = make_desk({"a.txt": b"a\r\nb\r\n"})
    desk.read("a.txt")
    before = desk.project.snapshot()
    result = desk.write("a.txt", "a\nb\n")
    assert result.text == "no change: a.txt already has this content."
    assert result.ok
    assert not result.facts[0].changed
    assert desk.project.snapshot() == before


MARKED = "é\n".encode("utf-8-sig")


@pytest.mark.parametrize(
    ("old", "content", "new", "note"),
    [
        (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n", "CRLF line ends kept"),
        (b"a\nb\n", "x\r\ny\r\n", b"x\r\ny\r\n", "line ends were LF, are CRLF"),
        (b"a\r\nb\n", "x\ny\n", b"x\ny\n", "line ends were LF and CRLF, are LF"),
        (b"a\nb\n", "x", b"x", "no newline at the end, unlike before"),
        (b"a\rb\r", "x\ny\n", b"x\ry\r", "CR line ends kept"),
        (
            "é\n".encode("utf-8-sig"),
            "ü\n",
            "ü\n".encode("utf-8-sig"),
            "UTF-8 with byte-order mark kept",
        ),
        (
            "é\n".encode("utf-8-sig"),
            "\ufeffü\n",
            "ü\n".encode("utf-8-sig"),
            "UTF-8 with byte-order mark kept",
        ),
        (
            "é\n".encode("utf-16"),
            "ü\n",
            "ü\n".encode("utf-16"),
            "UTF-16-LE with byte-order mark kept",
        ),
        (b"caf\xe9\n", "\xfc\n", b"\xfc\n", "Latin-1 kept"),
        (
            b"caf\xe9\n",
            "→\n",
            "→\n".encode(),
            "the old encoding Latin-1 has no '→': written as UTF-8",
        ),
        ("éé".encode() + b"\xff", "x", b"x", "the old content was not clean UTF-8; the new one is"),
        (b"GIF89a\x01\x00\x01\x00", "x", b"x", "the old content was binary"),
    ],
)
def test_the_manner_of_the_old_file_is_kept_or_the_loss_is_told(make_desk, old, content, new, note):
    desk = make_desk({"a": old})
    desk.read("a")
    result = desk.write("a", content)
    assert desk.bytes("a") == new
    first, *notes = result.text.splitlines()
    assert first.startswith("replaced a: ")
    assert notes == ([f"[{note}]"] if note else [])


def test_mode_bits_and_links_stay(make_desk):
    desk = make_desk({"run.sh": "old\n", "docs/real.md": "old\n"})
    root = desk.project.root
    (root / "run.sh").chmod(0o755)
    (root / "link.md").symlink_to("docs/real.md")
    (root / "chain.md").symlink_to("link.md")
    (root / "dangling.md").symlink_to("docs/fresh.md")
    for name in ("run.sh", "chain.md"):
        desk.read(name)
        assert desk.write(name, "new\n").ok
    result = desk.write("dangling.md", "new\n")
    assert result.text.splitlines()[-1] == f"[the file behind this path is {root}/docs/fresh.md]"
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o755
    assert (root / "chain.md").readlink().name == "link.md"
    assert (root / "link.md").is_symlink()
    assert desk.bytes("docs/real.md") == desk.bytes("docs/fresh.md") == b"new\n"
    assert desk.names() == ["chain.md", "dangling.md", "docs", "link.md", "run.sh"]


def test_hard_links_are_written_through_and_told(make_desk):
    desk = make_desk({"a": "old\n"})
    os.link(desk.project.path("a"), desk.project.path("b"))
    desk.read("a")
    result = desk.write("a", "new content\n")
    assert result.text.splitlines()[1] == (
        "[written in place: 1 other name (hard links) changed with it]"
    )
    assert desk.bytes("b") == b"new content\n"
    assert desk.project.path("a").samefile(desk.project.path("b"))


def test_a_hard_link_made_after_the_judgement_is_not_written(make_desk):
    desk = make_desk({"a": "old\n"})
    desk.read("a")
    a, b = desk.project.path("a"), desk.project.path("b")
    with pytest.raises(PathChangedError, match="hard links"):
        desk.write("a", "new\n", meanwhile=lambda: os.link(a, b))
    assert desk.bytes("b") == b"old\n"


def test_a_read_only_file_is_an_error_for_every_user(make_desk):
    desk = make_desk({"a": "old\n"})
    desk.read("a")
    desk.project.path("a").chmod(0o444)
    result = desk.write("a", "new\n")
    assert result.error is ErrorKind.TOOL_ERROR
    assert "a is read-only (mode 444)" in result.text
    assert desk.bytes("a") == b"old\n"


def test_plan_mode_writes_nothing(make_desk):
    desk = make_desk()
    result = desk.write("x/a.txt", "new\n", mode=PermissionMode.PLAN)
    assert result.error is ErrorKind.DENIED
    assert desk.names() == []


def test_folders_and_half_characters_are_refused(make_desk):
    desk = make_desk({"folder/a": "x"})
    assert "is a folder" in desk.write("folder", "x").text
    assert "part of this path is a file" in desk.write("folder/a/b", "x").text
    assert "lone surrogate" in desk.write("b", "\ud800").text
    assert desk.names() == ["folder"]


def failing(monkeypatch, name, error, after=0):
    """Make a call of the system fail, from the nth time on."""
    real, calls = getattr(os, name), []

    def fake(*arguments, **keywords):
        calls.append(arguments)
        if len(calls) > after:
            raise OSError(error, os.strerror(error))
        return real(*arguments, **keywords)

    monkeypatch.setattr(os, name, fake)
    return calls


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
@pytest.mark.parametrize("anonymous", [True, False])
def test_a_failure_midway_leaves_the_old_content_and_no_stray_file(
    make_desk, monkeypatch, call, anonymous
):
    desk = make_desk({"a": "old\n"})
    desk.read("a")
    if not anonymous:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    failing(monkeypatch, call, errno.ENOSPC)
    result = desk.write("a", "new\n")
    monkeypatch.undo()
    assert result.text == "cannot write a: the disk is full; free some space and try again."
    assert (desk.bytes("a"), desk.names(), result.facts) == (b"old\n", ["a"], ())


@pytest.mark.parametrize("call", ["write", "fsync"])
@pytest.mark.parametrize("anonymous", [True, False])
def test_a_new_file_that_fails_is_not_there(make_desk, monkeypatch, call, anonymous):
    desk = make_desk()
    if not anonymous:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    failing(monkeypatch, call, errno.ENOSPC)
    result = desk.write("a", "new\n")
    monkeypatch.undo()
    assert not result.ok
    assert desk.names() == []


def test_where_no_file_can_be_put_beside_it_is_written_in_place(make_desk, monkeypatch):
    desk = make_desk({"a": "old content\n"})
    desk.read("a")
    failing(monkeypatch, "replace", errno.EBUSY)  # a single file that a container mounts
    result = desk.write("a", "new\n")
    monkeypatch.undo()
    assert result.text.splitlines()[1] == "[written in place: its folder takes no file beside it]"
    assert (desk.bytes("a"), desk.names()) == (b"new\n", ["a"])


def test_writing_in_place_puts_the_old_content_back_when_it_fails(make_desk, monkeypatch):
    desk = make_desk({"a": "old content\n"})
    os.link(desk.project.path("a"), desk.project.path("b"))
    desk.read("a")
    real, calls = os.write, []

    def half(fd, data):
        calls.append(data)
        if len(calls) == 1:
            return real(fd, data[:2])
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "full")
        return real(fd, data)

    monkeypatch.setattr(os, "write", half)
    result = desk.write("a", "new and longer content\n")
    monkeypatch.undo()
    assert not result.ok
    assert desk.bytes("a") == b"old content\n"


def test_a_file_that_changes_during_the_write_is_not_replaced(make_desk, monkeypatch):
    desk = make_desk({"a": "old\n"})
    desk.read("a")
    real = os.fsync

    def meanwhile(fd):
        real(fd)
        desk.put("a", "somebody else's\n")

    monkeypatch.setattr(os, "fsync", meanwhile)
    result = desk.write("a", "new\n")
    monkeypatch.undo()
    assert "changed while it was being written" in result.text
    assert (desk.bytes("a"), desk.names()) == (b"somebody else's\n", ["a"])


@pytest.mark.parametrize("anonymous", [True, False])
def test_a_file_that_appears_during_the_write_is_not_replaced(make_desk, monkeypatch, anonymous):
    desk = make_desk()
    real = os.fsync
    if not anonymous:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)

    def meanwhile(fd):
        real(fd)
        desk.put("a", "somebody else's\n")

    monkeypatch.setattr(os, "fsync", meanwhile)
    result = desk.write("a", "new\n")
    monkeypatch.undo()
    assert "appeared while it was being created" in result.text
    assert (desk.bytes("a"), desk.names()) == (b"somebody else's\n", ["a"])


def test_one_byte_is_one_byte(make_desk):
    assert make_desk().write("a", "x").text == "created a: 1 line, 1 byte"
