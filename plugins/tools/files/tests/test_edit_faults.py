"""Known faults of editing tools, each in both forms: one edit in a call, and one of several."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from turnloop_core.api import ErrorKind

ONE, SEVERAL = "one", "several"


@pytest.fixture(params=[ONE, SEVERAL])
def edit(request):
    """Makes an edit; as one of several, beside one that changes the mark `@@` into `@@#`."""

    def made(desk, path, old, new, **more):
        if request.param == ONE:
            return desk.edit(path, old, new, **more)
        return desk.edit_all(path, (old, new), ("@@", "@@#"), **more)

    made.form = request.param
    made.after = lambda data: data if request.param == ONE else data.replace(b"@@", b"@@#")
    return made


@pytest.mark.parametrize(
    "data",
    [
        b"one\r\ntwo word\r\nthree\r\n@@\r\n",
        b"one\ntwo word\r\nthree\nfour\r\n@@\n",
        b"one\ntwo\rword\nthree\n@@\n",
        b"one\rtwo word\rthree\r@@\r",
        b"one\ntwo word\nthree\n@@",
        b"one\ntwo word\nthree\n@@\n\n\n",
        b"one\r\ntwo word\r\nthree\n@@\r",
        b"\r\n\r\rtwo word\n\r@@\n\r",
    ],
)
def test_other_bytes_stay(make_desk, edit, data):
    desk = make_desk({"f": data})
    assert edit(desk, "f", "word", "other").ok
    assert desk.bytes("f") == edit.after(data.replace(b"word", b"other"))


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_search_over_two_lines_and_lines_that_come(make_desk, edit, end):
    lines = [b"one", b"two", b"three", b"@@", b""]
    desk = make_desk({"f": end.join(lines)})
    assert edit(desk, "f", "two\nthree", "2\nnew\nthree").ok
    lines[1:2] = [b"2", b"new"]
    assert desk.bytes("f") == edit.after(end.join(lines))


@pytest.mark.parametrize(
    "data",
    [
        "é word @@ ü\n".encode("utf-8-sig"),
        b"caf\xe9 word @@\n",
        "é word @@\n".encode("utf-16"),
        b"\xfe\xff" + "é word @@\r\n".encode("utf-16-be"),
        "é word @@\n".encode("utf-32"),
        "é ü ö word @@ # ".encode() + b"\xff\n",
    ],
)
def test_bytes_that_are_not_plain_stay(make_desk, edit, data):
    desk = make_desk({"f": data})
    assert edit(desk, "f", "word", "other").ok
    codec = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(data[:2], "ascii")
    codec = "utf-32-le" if data[:4] == b"\xff\xfe\0\0" else codec
    expected = data.replace("word".encode(codec), "other".encode(codec))
    if edit.form == SEVERAL:
        expected = expected.replace("@@".encode(codec), "@@#".encode(codec))
    assert desk.bytes("f") == expected


def test_uniqueness_holds_however_loosely_it_fits(make_desk, edit):
    text = "def a():\n    return x\ndef b():\n\treturn x\ndef c():\n    return x\n@@\n"
    desk = make_desk({"f": text})
    for old in ("return x", "  return  x"):
        result = edit(desk, "f", old, "return y")
        assert result.error is ErrorKind.TOOL_ERROR
        assert "3 places" in result.text
        assert "lines 2, 4, 6" in result.text
        assert desk.bytes("f") == text.encode()


def test_sent_again_it_is_not_made_again(make_desk, edit):
    desk = make_desk({"f": "import a\n@@\n"})
    assert edit(desk, "f", "import a", "import a\nimport b").ok
    for _ in range(3):
        again = edit(desk, "f", "import a", "import a\nimport b")
        assert again.text.startswith("already applied: ")
        assert (again.ok, again.facts) == (True, ())  # nothing that counts as progress
    assert desk.bytes("f") == edit.after(b"import a\nimport b\n@@\n")


def test_modes_links_and_names_stay(make_desk, edit):
    desk = make_desk({"run.sh": "old @@\n", "docs/real.md": "old @@\n", "one": "old @@\n"})
    root = desk.project.root
    (root / "run.sh").chmod(0o755)
    (root / "link.md").symlink_to("docs/real.md")
    (root / "second.md").symlink_to("link.md")
    (root / "third.md").symlink_to("second.md")
    (root / "dangling.md").symlink_to("docs/missing.md")
    os.link(root / "one", root / "two")
    names = desk.names()
    for name in ("run.sh", "third.md", "one"):
        assert edit(desk, name, "old", "new").ok
    assert "dangling.md does not exist" in edit(desk, "dangling.md", "old", "new").text
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o755
    assert [(root / f"{n}.md").is_symlink() for n in ("link", "second", "third")] == [True] * 3
    new = edit.after(b"new @@\n")
    assert [desk.bytes(n) for n in ("run.sh", "docs/real.md", "two")] == [new] * 3
    assert desk.names() == names


def test_a_link_that_leads_outside_is_judged_by_where_it_leads(make_desk, edit):
    desk = make_desk()
    outside = desk.project.outside / "far.txt"
    outside.write_text("old @@\n")
    desk.project.path("near.txt").symlink_to(outside)
    result = edit(desk, "near.txt", "old", "new")
    assert result.facts[0].path == str(outside)
    assert result.text.splitlines()[-1] == f"[the file behind this path is {outside}]"
    assert outside.read_bytes() == edit.after(b"new @@\n")


@pytest.mark.parametrize("mode", [0o644, 0o4755, 0o2755, 0o6711, 0o600, 0o1644])
@pytest.mark.parametrize("links", [1, 2])
def test_mode_bits_stay_whatever_they_are(make_desk, edit, mode, links):
    desk = make_desk({"f": "old @@\n"})
    path = desk.project.path("f")
    if links == 2:
        os.link(path, desk.project.path("g"))
    path.chmod(mode)
    assert edit(desk, "f", "old", "new and longer").ok
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_rights_are_not_lent_by_somebody_else(make_desk, edit, monkeypatch):
    desk = make_desk({"f": "old @@\n"})
    path = desk.project.path("f")
    path.chmod(0o6755)
    real = os.fstat

    def of_others(fd):
        found = real(fd)
        return os.stat_result((*found[:4], found.st_uid + 1, *found[5:]))

    def not_permitted(*_arguments):
        raise PermissionError(errno.EPERM, "not permitted")

    monkeypatch.setattr(os, "fstat", of_others)
    monkeypatch.setattr(os, "fchown", not_permitted)
    result = edit(desk, "f", "old", "new")
    monkeypatch.undo()
    assert result.text.splitlines()[1] == "[owner and group could not be kept]"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


def test_labels_stay(make_desk, edit):
    desk = make_desk({"f": "old @@\n"})
    path = desk.project.path("f")
    try:
        os.setxattr(path, "user.origin", b"a test")
    except OSError:
        pytest.skip("the file system has no labels")
    assert edit(desk, "f", "old", "new").ok
    assert os.getxattr(path, "user.origin") == b"a test"


def test_a_failure_midway(make_desk, edit, monkeypatch):
    desk = make_desk({"f": "old @@\n"})

    def full(_fd, _data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    result = edit(desk, "f", "old", "new")
    monkeypatch.undo()
    assert result.text == "cannot edit f: the disk is full; free some space and try again."
    assert (result.facts, desk.bytes("f"), desk.names()) == ((), b"old @@\n", ["f"])


def test_what_changed_meanwhile_survives_or_stops_the_edit(make_desk, edit):
    desk = make_desk({"f": "one\ntwo\nthree\n@@\n"})
    desk.read("f")
    desk.put("f", "one\nzwei\nthree\n@@\n")
    refused = edit(desk, "f", "two", "2")
    assert refused.error is ErrorKind.TOOL_ERROR
    assert "The file changed since you read it." in refused.text
    assert desk.bytes("f") == b"one\nzwei\nthree\n@@\n"
    result = edit(desk, "f", "three", "3")
    assert desk.bytes("f") == edit.after(b"one\nzwei\n3\n@@\n")
    assert "-two\n+zwei" in result.text
    assert desk.write("f", "all of it\n").ok  # what changed was shown


def test_a_formatter_between_edits(make_desk, edit):
    desk = make_desk({"f": "a=1\nb=2\nc=3\n@@\n"})
    desk.read("f")
    for name in "abc":
        text = desk.bytes("f").decode()
        result = edit(desk, "f", f"{name}=", f"{name.upper()}=")
        assert result.ok
        assert ("the file had changed elsewhere" in result.text) == (name != "a")
        desk.put("f", text.replace(f"{name}=", f"{name.upper()} = ").replace("@@#", "@@"))
    assert desk.bytes("f") == b"A = 1\nB = 2\nC = 3\n@@\n"


def test_the_later_of_two_agents(make_desk, edit):
    first = make_desk({"f": "one\ntwo\n@@\n"})
    first.read("f")
    second = type(first)(first.project, list(first.facts))
    assert edit(first, "f", "one", "1").ok
    assert not second.edit("f", "one", "eins").ok
    assert second.edit("f", "two", "2").ok  # elsewhere: both survive
    assert first.bytes("f") == edit.after(b"1\n2\n@@\n")
    assert not first.write("f", "stale\n").ok


def test_a_file_that_is_replaced_while_it_is_edited(make_desk, edit, monkeypatch):
    desk = make_desk({"f": "old @@\n"})
    real = os.fsync

    def meanwhile(fd):
        real(fd)
        desk.put("g", "theirs\n")
        desk.project.path("g").rename(desk.project.path("f"))

    monkeypatch.setattr(os, "fsync", meanwhile)
    result = edit(desk, "f", "old", "new")
    monkeypatch.undo()
    assert "changed while it was being written" in result.text
    assert (desk.bytes("f"), desk.names()) == (b"theirs\n", ["f"])
