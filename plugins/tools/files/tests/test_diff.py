"""What the user sees of a change."""

from __future__ import annotations

from turnloop_files.diff import readable, unified


def test_long_lines_are_shown_where_they_differ():
    old = "x" * 5_000 + "old" + "z" * 1_000 + "\n"
    diff = unified(f"a\n{old}b\n", f"a\n{old.replace('old', 'new')}b\n", "f")
    gone, came = diff.splitlines()[4:6]
    assert gone == f"-...{'x' * 60}old{'z' * 237}..."
    assert came == f"+...{'x' * 60}new{'z' * 237}..."


def test_a_long_diff_begins_with_its_sum_and_is_cut():
    old = "".join(f"line {n}\n" for n in range(400))
    lines = readable(old, old.replace("line", "row") + "more\n", "f").splitlines()
    assert lines[:4] == [
        "400 lines removed, 401 added",
        "--- f",
        "+++ f",
        "@@ -1,400 +1,401 @@",
    ]
    assert (len(lines), lines[-1]) == (204, "... (the diff goes on)")


def test_what_is_too_much_to_compare_is_counted():
    old = "".join(f"line {n}\n" for n in range(3_000))
    diff = unified(f"first\n{old}", f"first\n{old.replace('line', 'row')}", "f")
    assert diff.splitlines()[2:] == [
        "@@ -3,000 +3,000 lines from line 2: too much to compare @@",
    ]


def test_lines_are_counted_as_read_counts_them():
    text = "a\x0c\n\x0b\u2028b\x85\nc\n"
    assert unified(text, text.replace("c", "d"), "f").splitlines()[2] == "@@ -1,3 +1,3 @@"


def test_line_ends_are_shown_only_when_nothing_else_changed():
    assert "\\r" not in readable("a\r\nb\r\n", "a\r\nc\r\n", "f")
    assert readable("a\r\n", "a\n", "f").splitlines()[3:] == ["-a\\r", "+a"]
    assert readable("a\rb\r", "a\rc\r", "f").splitlines()[2:] == [
        "@@ -1,2 +1,2 @@",
        " a",
        "-b",
        "+c",
    ]
    assert readable("a\n", "a\n", "f") == ""


def test_what_cannot_be_shown_is_written_out():
    assert "+\\x00\\xff" in unified("a\n", "\0\udcff\n", "f")
