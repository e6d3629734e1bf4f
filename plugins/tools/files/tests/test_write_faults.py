"""Whatever call of the system fails: the old content or the new one, and no stray file."""

from __future__ import annotations

import errno
import os
import resource
import stat
import sys

import pytest

from turnloop_files.keeping import temporary_name

OLD, NEW = b"old content\n", b"new and rather longer content\n" * 300
CALLS = (
    *("open", "write", "fsync", "link", "replace", "fchmod", "fchown", "ftruncate", "lseek"),
    *("stat", "fstat", "scandir", "close", "listxattr", "getxattr", "setxattr"),
)
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)
FORMS = ("create", "replace", "named create", "named replace", "hard links")


class Faults:
    """Counts the calls that the plugin makes, and lets one of them fail."""

    def __init__(self, monkeypatch, number=0, error=errno.EIO):
        self.seen = 0
        self._number = number
        self._error = error
        for name in CALLS:
            if hasattr(os, name):
                monkeypatch.setattr(os, name, self._wrapped(name, getattr(os, name)))

    def _wrapped(self, name, real):
        def call(*arguments, **keywords):
            caller = sys._getframe(1).f_globals["__name__"]
            if not caller.startswith("turnloop_files"):
                return real(*arguments, **keywords)
            self.seen += 1
            if self.seen != self._number:
                return real(*arguments, **keywords)
            if name == "close":  # the descriptor is gone all the same
                real(*arguments)
            raise OSError(self._error, os.strerror(self._error))

        return call


def prepared(make_desk, monkeypatch, form):
    desk = make_desk() if "create" in form else make_desk({"a": OLD})
    if "named" in form:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    if form == "hard links":
        os.link(desk.project.path("a"), desk.project.path("b"))
    if "create" not in form:
        desk.read("a")
    return desk


@pytest.mark.parametrize("form", FORMS)
def test_each_call_of_the_system_fails_once(make_desk, form):
    with pytest.MonkeyPatch.context() as patch:
        desk = prepared(make_desk, patch, form)
        names = sorted({*desk.names(), "a"})
        counted = Faults(patch)
        assert desk.write("a", NEW.decode()).ok
        calls = counted.seen
    assert calls > 5
    failed = 0
    for number in range(1, calls + 1):
        for error in ERRORS:
            with pytest.MonkeyPatch.context() as patch:
                desk = prepared(make_desk, patch, form)
                Faults(patch, number, error)
                result = desk.write("a", NEW.decode())
            failed += not result.ok
            if result.ok:
                assert (desk.bytes("a"), desk.names()) == (NEW, names)
                assert result.facts[-1].size == len(NEW)
            elif "create" in form:
                assert desk.names() == []
            else:
                assert (desk.bytes("a"), desk.names()) == (OLD, names)
    assert failed  # the faults were felt


@pytest.mark.parametrize("form", FORMS)
def test_a_limit_on_the_size_of_files(make_desk, monkeypatch, form):
    desk = prepared(make_desk, monkeypatch, form)
    before = {name: desk.bytes(name) for name in desk.names()}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, hard))
    try:
        result = desk.write("a", NEW.decode())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert result.text == "cannot write a: the file would be larger than is allowed here."
    assert (result.facts, {name: desk.bytes(name) for name in desk.names()}) == ((), before)


def test_the_old_content_that_cannot_be_put_back_is_told(make_desk, monkeypatch):
    desk = prepared(make_desk, monkeypatch, "hard links")

    def full(_fd, _data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    result = desk.write("a", NEW.decode())
    monkeypatch.undo()
    assert not result.ok
    assert "its old content could not be put back: it may be half written" in result.text


def test_a_system_that_cannot_name_a_nameless_file(make_desk, monkeypatch):
    def refused(*_arguments, **_keywords):
        raise OSError(errno.ENOENT, "no /proc here")

    for form in ("create", "replace"):
        desk = prepared(make_desk, monkeypatch, form)
        monkeypatch.setattr(os, "link", refused)
        result = desk.write("a", "new\n")
        monkeypatch.undo()
        assert (result.ok, desk.bytes("a"), desk.names()) == (True, b"new\n", ["a"])
        assert "in place" not in result.text


def test_a_folder_that_takes_no_new_file(make_desk, monkeypatch):
    desk = make_desk({"a": "old\n"})
    real = os.open

    def no_new_files(path, flags, *rest, **more):
        if flags & os.O_CREAT or flags & os.O_TMPFILE == os.O_TMPFILE:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, flags, *rest, **more)

    desk.read("a")
    monkeypatch.setattr(os, "open", no_new_files)
    result = desk.edit("a", "old", "new")
    fresh = desk.write("b", "x")
    monkeypatch.undo()
    assert result.text.splitlines()[1] == "[written in place: its folder takes no file beside it]"
    assert fresh.text == "cannot write b: no permission."
    assert (desk.bytes("a"), desk.names()) == (b"new\n", ["a"])


def test_what_a_killed_process_left_goes_with_the_next_write(make_desk):
    desk = make_desk({"a": "old\n"})
    stray, fresh = temporary_name(), temporary_name()
    others = [".0123456789ab.tl-tmp.txt", ".backup.tl-tmp", "0123456789ab.tl-tmp"]
    for name in (stray, fresh, *others):
        desk.put(name, "left")
    root = desk.project.root
    for name in (stray, *others):
        os.utime(root / name, (0, 0))
    assert desk.edit("a", "old", "new").ok
    assert desk.names() == sorted([*others, fresh, "a"])


def test_the_folder_is_synced_after_the_new_name(make_desk, monkeypatch):
    desk = make_desk({"a": "old\n"})
    order = []
    replace, fsync = os.replace, os.fsync

    def replaced(*arguments, **keywords):
        order.append("replace")
        replace(*arguments, **keywords)

    def synced(fd):
        order.append("folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file")
        fsync(fd)

    monkeypatch.setattr(os, "replace", replaced)
    monkeypatch.setattr(os, "fsync", synced)
    assert desk.edit("a", "old", "new").ok
    monkeypatch.undo()
    assert order == ["file", "replace", "folder"]
