"""Edit: exact places, no other byte, and answers that lead on."""

from __future__ import annotations

import os
import stat

import pytest

from turnloop_core.api import ErrorKind, PermissionMode, WroteFile
from turnloop_files.seen import digest_of

RETURNS = "def a():\n    return x\n\ndef b():\n\treturn x\n\ndef c():\n    return x\n"


def test_replaces_one_passage(make_desk):
    desk = make_desk({"a.py": "one\ntwo\nthree\n"})
    result = desk.edit("a.py", "two", "2")
    path = str(desk.project.path("a.py"))
    assert desk.bytes("a.py") == b"one\n2\nthree\n"
    assert result.text == "edited a.py at line 2"
    assert result.display == "--- a.py\n+++ a.py\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three"
    before, after = digest_of(b"one\ntwo\nthree\n"), digest_of(b"one\n2\nthree\n")
    assert result.facts == (WroteFile(path, 12, after, before=before, known=False),)


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "b", "x", b"a\r\nx\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", "b\nc", "x\nc", b"a\r\nx\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", "b\r\nc", "x\r\nc", b"a\r\nx\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", "b\n", "b\nnew\n", b"a\r\nb\r\nnew\r\nc\r\n"),
        (b"a\nb\r\nc\nd\r\ne\n", "b\nc", "x\nc", b"a\nx\r\nc\nd\r\ne\n"),
        (b"a\nb\r\nc\nd\r\ne\n", "b\nc\nd", "b\nx\nd", b"a\nb\r\nx\nd\r\ne\n"),
        (b"a\nb\r\nc\nd\r\ne\n", "c\nd", "y\nz", b"a\nb\r\ny\nz\r\ne\n"),
        (b"a\nb\r\nc\n", "b", "b\nx", b"a\nb\nx\r\nc\n"),  # the line end before the place
        (b"a\nb\rb2\nc\n", "b\rb2", "x\rb2", b"a\nx\rb2\nc\n"),
        (b"a\nb\rb2\nc\n", "b2\nc", "y\nc", b"a\nb\ry\nc\n"),
        (b"a\nb", "b", "x", b"a\nx"),
        (b"a\nb\n\n\n", "a\nb", "a\nx", b"a\nx\n\n\n"),
        (b"a\nb\n", "a\r\nb", "a\r\nx", b"a\nx\n"),  # CRLF sent for a file that has LF
        (b"a\r\nb\r\n", "a\r\n", "a\n", b"a\nb\r\n"),  # line ends alone: really changed
        (b"a\nb\n", "a\n", "a\r\n", b"a\r\nb\n"),
        (b"a\r\nb\r\nc", "a\nb\n", "", b"c"),
        (b"one line", "one", "a\nb", b"a\nb line"),
    ],
)
def test_no_byte_changes_outside_the_edit(make_desk, before, old, new, after):
    desk = make_desk({"f": before})
    assert desk.edit("f", old, new).ok
    assert desk.bytes("f") == after


def test_line_ends_that_stay_as_they_are_are_no_change(make_desk):
    desk = make_desk({"f": b"a\nb\n"})
    result = desk.edit("f", "a\r\n", "a\n")
    assert (result.text, result.facts) == ("no change: f would stay as it is.", ())


def test_a_passage_that_fits_twice_but_for_line_ends_is_refused(make_desk):
    desk = make_desk({"f": b"a\r\nb\r\n\r\na\nb\n"})
    result = desk.edit("f", "a\nb", "x\nb")
    assert result.error is ErrorKind.TOOL_ERROR
    assert "fits 2 places in f (lines 1, 4)" in result.text
    assert desk.bytes("f") == b"a\r\nb\r\n\r\na\nb\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("é word ü\n".encode("utf-8-sig"), "é other ü\n".encode("utf-8-sig")),
        (b"caf\xe9 word\n", b"caf\xe9 other\n"),
        ("é word\n".encode("utf-16"), "é other\n".encode("utf-16")),
        (b"\xfe\xff" + "é word".encode("utf-16-be"), b"\xfe\xff" + "é other".encode("utf-16-be")),
        ("é ü word # ".encode() + b"\xff\n", "é ü other # ".encode() + b"\xff\n"),
        (b"word # \xff\n", b"other # \xff\n"),
    ],
)
def test_other_encodings_keep_their_bytes(make_desk, before, after):
    desk = make_desk({"f": before})
    assert desk.edit("f", "word", "other").ok
    assert desk.bytes("f") == after


@pytest.mark.parametrize(
    ("data", "new", "words"),
    [
        (b"\xff\xfew\x00o\x00r\x00d\x00\x00\xd8", "x", "broken UTF-16-LE at byte 10"),
        (b"caf\xe9 w\x00o\x00r\x00d\x00", "x", "holds null bytes"),
        (b"caf\xe9 word", "→", "is Latin-1 (not UTF-8: taken as Latin-1), which has no '→'"),
        (b"word", "\udcff", "lone surrogate"),
        (b"GIF89a\x01\x00\x01\x00word", "x", "a picture"),
    ],
)
def test_what_cannot_be_kept_is_refused(make_desk, data, new, words):
    desk = make_desk({"f": data})
    result = desk.edit("f", "word", new)
    assert result.error is ErrorKind.TOOL_ERROR
    assert words in result.text
    assert desk.bytes("f") == data


def test_several_places_are_refused_with_their_lines(make_desk):
    desk = make_desk({"a.py": RETURNS})
    result = desk.edit("a.py", "return x", "return y")
    assert result.error is ErrorKind.TOOL_ERROR
    assert result.text == (
        "old_string fits 3 places in a.py (lines 2, 5, 8). Nothing was written. "
        "Quote more lines around the one you mean, or set replace_all."
    )
    assert desk.bytes("a.py") == RETURNS.encode()


def test_overlapping_places_are_places(make_desk):
    desk = make_desk({"a": "aXaXa"})
    assert "fits 2 places" in desk.edit("a", "aXa", "b").text
    assert desk.edit("a", "aXa", "b", replace_all=True).ok
    assert desk.bytes("a") == b"bXa"


def test_replace_all_replaces_all_and_counts(make_desk):
    desk = make_desk({"a.py": RETURNS})
    result = desk.edit("a.py", "return x", "return y", replace_all=True)
    assert result.text == "edited a.py: 3 replacements at lines 2, 5, 8"
    assert desk.bytes("a.py") == RETURNS.replace("return x", "return y").encode()


def test_looser_fits_are_named_never_used(make_desk):
    desk = make_desk({"a.py": RETURNS})
    for everywhere in (False, True):
        result = desk.edit("a.py", "  return  x", "  return  y", replace_all=everywhere)
        assert result.error is ErrorKind.TOOL_ERROR
        assert "Ignoring white space it fits 3 places (lines 2, 5, 8)." in result.text
    assert desk.bytes("a.py") == RETURNS.encode()


@pytest.mark.parametrize(
    ("old", "words"),
    [
        (
            "def b():\n    return x",
            "White space differs: you sent '    return x', line 5 is '\\treturn x'.\n4\tdef b():",
        ),
        ("4\tdef b():\n5\t\treturn x", "It fits at line 4 without the line numbers"),
        ("DEF C():", "nothing like"),
        ("def d():", "The nearest passage is at line 1. You sent 'def d():'; line 1 differs."),
        ("zzzzzzzzzz", "Nothing like it is there: read the file again."),
    ],
)
def test_not_found_says_what_comes_near(make_desk, old, words):
    result = make_desk({"a.py": RETURNS}).edit("a.py", old, "new")
    assert result.error is ErrorKind.TOOL_ERROR
    assert result.text.startswith("old_string is not in a.py. Nothing was written. ")
    assert words.lower() in result.text.lower()


def test_the_search_for_the_nearest_is_bounded(make_desk):
    lines = "".join(f"value_{n} = compute(value_{n * 7}, {n})\n" for n in range(50_000))
    result = make_desk({"a.py": lines}).edit("a.py", "value_x = compute(other, 77777)", "")
    assert "nearest passage" in result.text
    assert len(result.text) < 2_000


def test_the_same_edit_sent_twice(make_desk):
    desk = make_desk({"a.py": "import a\n"})
    assert desk.edit("a.py", "import a", "import a\nimport b").ok
    again = desk.edit("a.py", "import a", "import a\nimport b")
    assert (again.ok, again.facts) == (True, ())
    assert again.text == (
        "already applied: the new text stands in a.py at line 1, and nothing was written. "
        "Read the file again if you are not sure, and move on."
    )
    assert desk.bytes("a.py") == b"import a\nimport b\n"


def test_replace_all_sent_twice(make_desk):
    desk = make_desk({"a.py": "foo(foo)\n"})
    for _ in range(2):
        assert desk.edit("a.py", "foo", "foobar", replace_all=True).ok
    assert desk.bytes("a.py") == b"foobar(foobar)\n"


def test_an_edit_that_is_done_already_three_times(make_desk):
    desk = make_desk({"a.py": "a = 1\nb = 22\n"})
    for _ in range(3):
        result = desk.edit("a.py", "b = 2\n", "b = 22\n")
        assert result.text.startswith("already applied: the new text stands in a.py at line 2")
        assert (result.ok, result.facts) == (True, ())


def test_a_misquote_is_not_taken_for_done(make_desk):
    text = "def f(value):\n    return value + 1\n\n\nx = 1\n"
    desk = make_desk({"a.py": text})
    result = desk.edit("a.py", "def f(valu):\n", "x = 1\n")
    assert result.error is ErrorKind.TOOL_ERROR
    assert "new_string already stands at line 5." in result.text
    assert "The nearest passage is at line 1." in result.text


def test_an_edit_that_is_done_is_told_from_its_twins(make_desk):
    desk = make_desk({"a.py": RETURNS})
    for old, new in [
        ("def b():", "def d():"),
        ("def c():\n    return x", "def e():\n    return x"),
    ]:
        assert desk.edit("a.py", old, new).ok
        assert desk.edit("a.py", old, new).text.startswith("already applied: the new text stands")


def test_a_common_text_is_not_taken_for_the_new_one(make_desk):
    desk = make_desk({"a.py": "def a():\n    pass\n\ndef b():\n    pass\n"})
    result = desk.edit("a.py", "frobnicate(all, of, them)", "pass")
    assert result.error is ErrorKind.TOOL_ERROR
    assert "new_string already stands at line 2." in result.text


@pytest.mark.parametrize("everywhere", [False, True])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("value = compute_everything(now)", "pass"),
        ("value = compute_everything(now)", "}"),
        ("B", "A"),
        ("label", "labe"),  # akin, but there only as a piece of a word
        ("frobnicate(all, of, them)", "the only line of this text with forty-odd"),  # not all of it
    ],
)
def test_what_stands_there_by_chance_is_not_taken_for_done(make_desk, old, new, everywhere):
    text = "class Alabey:\n    pass\n}\nthe only line of this text with forty-odd characters\n"
    desk = make_desk({"a.py": text})
    result = desk.edit("a.py", old, new, replace_all=everywhere)
    assert result.error is ErrorKind.TOOL_ERROR
    assert "old_string is not in a.py. Nothing was written. new_string already" in result.text
    assert desk.bytes("a.py").decode() == text


@pytest.mark.parametrize(
    "new", ["if x:\n        return 1", "answer = forty_and_two(with_many, words_in, it)"]
)
def test_a_rewritten_passage_is_taken_for_done(make_desk, new):
    desk = make_desk({"a.py": "def f():\n    @@@@\n"})
    assert desk.edit("a.py", "@@@@", new).ok
    assert desk.edit("a.py", "@@@@", new).text.startswith("already applied: ")
    desk.put("a.py", desk.bytes("a.py") * 2)
    assert not desk.edit("a.py", "@@@@", new).ok


def test_too_many_replacements_are_refused(make_desk):
    desk = make_desk({"a": "ab" * 200_001})
    result = desk.edit("a", "a", "c", replace_all=True)
    assert result.text.startswith("old_string fits 200,001 places in a (line 1). Nothing was")
    assert "makes 200,000 replacements at most" in result.text
    assert desk.bytes("a") == b"ab" * 200_001
    several = desk.edit_all("a", ("aba", "1"), ("bab", "2"), replace_all=True)
    assert "edit 2: old_string fits 200,000 places" in several.text


def test_a_line_is_named_once(make_desk):
    desk = make_desk({"a": "x x x\n"})
    assert "fits 3 places in a (line 1)." in desk.edit("a", "x", "y").text
    told = desk.edit("a", "x", "y", replace_all=True).text
    assert told == "edited a: 3 replacements at line 1"


def test_equal_strings_are_no_change(make_desk):
    result = make_desk({"a": "x\n"}).edit("a", "x", "x")
    assert (result.text, result.ok, result.facts) == ("no change: a would stay as it is.", True, ())


def test_empty_search_and_missing_file(make_desk):
    desk = make_desk({"a.txt": "x\n"})
    assert "old_string is empty" in desk.edit("a.txt", "", "y").text
    assert desk.edit("b.txt", "x", "y").text == (
        "b.txt does not exist. Did you mean a.txt? Write creates files."
    )


def test_a_change_elsewhere_survives_and_is_told(make_desk):
    desk = make_desk({"a.py": "one\ntwo\nthree\n"})
    desk.read("a.py")
    desk.put("a.py", "one\ntwo\nDREI\n")
    result = desk.edit("a.py", "one", "1")
    assert desk.bytes("a.py") == b"1\ntwo\nDREI\n"
    assert result.text.startswith(
        "edited a.py at line 1\n[the file had changed elsewhere since you read it. What changed:"
    )
    assert "-three\n+DREI" in result.text
    assert desk.write("a.py", "x\n").ok  # the change was shown, so the content is known


def test_an_edit_on_the_changed_line_is_refused_with_the_text_of_now(make_desk):
    desk = make_desk({"a.py": "one\ntwo words here\n"})
    desk.read("a.py")
    desk.put("a.py", "one\ntwo words there\n")
    result = desk.edit("a.py", "two words here", "2")
    assert result.error is ErrorKind.TOOL_ERROR
    assert "The file changed since you read it." in result.text
    assert "2\ttwo words there" in result.text
    assert desk.bytes("a.py") == b"one\ntwo words there\n"


def test_a_formatter_after_each_edit_forces_no_new_read(make_desk):
    desk = make_desk({"a.py": "a = 1\nb = 2\nc = 3\n"})
    desk.read("a.py")
    for name in "abc":
        assert desk.edit("a.py", f"{name} = ", f"{name.upper()} = ").ok
        desk.put("a.py", desk.bytes("a.py") + b"# formatted\n")
    assert desk.bytes("a.py").startswith(b"A = 1\nB = 2\nC = 3\n")


def test_an_edit_of_an_unseen_file_does_not_open_the_way_for_a_whole_write(make_desk):
    desk = make_desk({"a.py": "one\ntwo\n"})
    for old, new in (("one", "1"), ("two", "2")):
        assert desk.edit("a.py", old, new).text.count("\n") == 0  # nothing is said of a change
    result = desk.write("a.py", "stale\n")
    assert result.error is ErrorKind.TOOL_ERROR
    assert desk.bytes("a.py") == b"1\n2\n"
    desk.read("a.py")
    assert desk.write("a.py", "new\n").ok


def test_mode_link_and_hard_link(make_desk):
    desk = make_desk({"run.sh": "echo old\n", "real": "old\n", "one": "old\n"})
    root = desk.project.root
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("real")
    os.link(root / "one", root / "two")
    for name in ("run.sh", "link", "one"):
        assert desk.edit(name, "old", "new").ok
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o755
    assert (root / "link").is_symlink()
    assert (desk.bytes("real"), desk.bytes("two")) == (b"new\n", b"new\n")


def test_read_only_file_and_plan_mode(make_desk):
    desk = make_desk({"a": "old\n"})
    assert desk.edit("a", "old", "new", mode=PermissionMode.PLAN).error is ErrorKind.DENIED
    desk.project.path("a").chmod(0o444)
    assert "read-only (mode 444)" in desk.edit("a", "old", "new").text
    assert desk.bytes("a") == b"old\n"
