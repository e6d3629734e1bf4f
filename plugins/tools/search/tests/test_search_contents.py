"""What matches, and how it is shown: the same by ripgrep and by our own scanner."""

from __future__ import annotations

import pytest

from turnloop_core.api import ErrorKind

OPTIONS = "-moz-grid: 1\n--dry-run\n-e\nplain (a) text\nC:\\dir\n"


@pytest.mark.parametrize("pattern", ["-moz-grid", "--dry-run", "^-e$", r"\(a\)", r"C:\\dir"])
def test_dashes_and_escapes(scan_desk, pattern):
    desk = scan_desk({"opts.txt": OPTIONS})
    assert desk.files(pattern) == ["opts.txt"]
    assert desk.listed(desk.grep(pattern, path="opts.txt"))[0] == "opts.txt"


@pytest.mark.parametrize(
    "pattern", ["[[:nonsense:]]", "a(", "[", "*x", r"\p{L}", "a\nb", r"a\nb", ""]
)
def test_a_bad_expression_is_an_error(scan_desk, pattern):
    result = scan_desk({"a.txt": "a(\n"}).grep(pattern)
    assert result.error is ErrorKind.TOOL_ERROR
    assert "no match" not in result.text


def test_a_bad_expression_is_explained(scan_desk):
    assert scan_desk({"a.txt": "x"}).grep("foo(").text == (
        "the expression 'foo(' is not valid: missing ), unterminated subpattern (character 4). "
        "Nothing was searched. To find the characters themselves put a backslash before them: "
        r"\( \[ \{ \* \+ \?"
    )


# What the engines of Python and Rust read differently, or one of them not at all.
DIALECT = {
    "interface{}": ["a.go"],
    r"foo(?=bar)": ["look.txt"],
    r"(\w)\1x": ["look.txt"],
    "[[:digit:]]{3}": ["num.txt"],
    "[^[:digit:][:alpha:] ]$": ["a.go", "cafe.txt", "crlf.txt"],
    "^[:d123]+$": ["num.txt"],
    r"[[:^digit:]]afé": ["cafe.txt"],
    r"\d{3}": ["num.txt"],
    r"caf\w$": ["cafe.txt"],
    r"\bCAF": ["cafe.txt"],
    r"end;$": ["crlf.txt"],
    r"^second": ["crlf.txt"],
    r"[^a]z": ["look.txt"],
    r"foo\s+baz": ["look.txt"],
    r"wide": ["utf16.txt", "utf8bom.txt"],
    r"^wide": ["utf16.txt", "utf8bom.txt"],
    "(?i)WIDE$": ["utf16.txt", "utf8bom.txt"],
}
DIALECT_FILES: dict[str, str | bytes] = {
    "a.go": "var x interface{}\n",
    "look.txt": "foobar aax\nbz\nfoo \t baz\nfoo\nbaz\n",
    "num.txt": "123\n",
    "cafe.txt": "café\nCAFÉ\n",
    "crlf.txt": "the end;\r\nsecond\r\n",
    "utf16.txt": "\ufeffwide\n".encode("utf-16-le"),
    "utf8bom.txt": "\ufeffwide\n",
}


@pytest.mark.parametrize("pattern", DIALECT)
def test_one_meaning(scan_desk, pattern):
    assert scan_desk(DIALECT_FILES).files(pattern) == DIALECT[pattern]


def test_lines_and_context(scan_desk):
    text = "".join(f"line {n}{' MARK' if n in (3, 5, 12) else ''}\n" for n in range(1, 14))
    desk = scan_desk({"a.txt": text, "b/c.txt": "MARK"})
    assert desk.grep("MARK", context=1).text == "\n".join(
        [
            "a.txt",
            "2-line 2",
            "3:line 3 MARK",
            "4-line 4",
            "5:line 5 MARK",
            "6-line 6",
            "--",
            "11-line 11",
            "12:line 12 MARK",
            "13-line 13",
            "b/c.txt",
            "1:MARK",
            "[4 matching lines in 2 files]",
        ]
    )
    assert desk.grep("MARK", output="counts").text == (
        "a.txt: 3\nb/c.txt: 1\n[4 matching lines in 2 files]"
    )
    assert desk.files("mark") == []
    assert desk.files("mark", ignore_case=True) == ["a.txt", "b/c.txt"]
    assert (
        desk.grep("nowhere").text == "no matches for nowhere in 2 files below the working folder."
    )
    assert desk.grep("nowhere", path="a.txt").text == "no matches for nowhere in a.txt."


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        ("^", ["1:a", "2:", "3:b"]),
        ("^$", ["2:"]),
        ("$", ["1:a", "2:", "3:b"]),
        ("[^x]*", ["1:a", "2:", "3:b"]),
        (r"a\s*", ["1:a"]),
        (r"\s*b", ["3:b"]),
    ],
)
@pytest.mark.parametrize("end", ["", "\n"], ids=["no line end", "line end"])
def test_empty_lines(scan_desk, pattern, lines, end):
    desk = scan_desk({"a.txt": f"a\n\nb{end}", "empty.txt": ""})
    assert desk.listed(desk.grep(pattern)) == ["a.txt", *lines]


def test_binary_files_are_named(scan_desk):
    late = b"MARK\n" + b"x" * 200_000 + b"\0"
    desk = scan_desk({"a.bin": b"\0MARK\n", "late.bin": late, "none.bin": b"\0", "t.txt": "MARK"})
    result = desk.grep("MARK")
    assert desk.listed(result) == ["t.txt", "1:MARK"]
    assert "[binary and not shown, but with matches: a.bin, late.bin]" in desk.notes(result)
    alone = desk.grep("MARK", path="a.bin")
    assert alone.text == "nothing to show.\n[binary and not shown, but with matches: a.bin]"


def test_long_lines_are_cut_around_the_match(scan_desk):
    desk = scan_desk({"min.js": "a" * 5_000 + "MÄRK" + "b" * 5_000 + "\n"})
    line = desk.listed(desk.grep("MÄRK"))[1]
    assert line.startswith("1:...4,900 characters...aaa")
    assert line.endswith("b...4,804 characters...")
    assert line.count("a") > 90
    assert "MÄRK" in line
    assert len(line) < 360


def test_control_characters_and_stray_bytes_are_shown(scan_desk):
    desk = scan_desk({"a.txt": b"\x1b[31mMARK\x1b[0m caf\xe9\n"})
    assert desk.listed(desk.grep("MARK"))[1] == r"1:\x1b[31mMARK\x1b[0m caf\xe9"
