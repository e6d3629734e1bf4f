"""Read on files that are too large to be held, that grow, or that say they are empty."""

from __future__ import annotations

import io
import os
import threading
import tracemalloc
from pathlib import Path

import pytest

from turnloop_core.api import ErrorKind
from turnloop_files import large, read
from turnloop_files.large import StoppedError, scan
from turnloop_files.pages import large_page, small_page
from turnloop_files.seen import digest_of


@pytest.fixture
def held(monkeypatch):
    """Files over 16 kB are large, and those over 1 MB are not counted."""
    monkeypatch.setattr(read, "HELD_WHOLE", 16_384)
    monkeypatch.setattr(read, "MARKED_HELD", 65_536)
    monkeypatch.setattr(read, "COUNTED", 1 << 20)


def test_a_file_of_two_gigabytes_is_read_by_range(make_desk):
    desk = make_desk({"huge.log": b"0123456789abcde\n" * 200_000})
    os.truncate(desk.project.path("huge.log"), 2 << 30)  # sparse: it takes no room
    tracemalloc.start()
    try:
        result = desk.read("huge.log", offset=150_000, limit=2)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert result.text == (
        "150000\t0123456789abcde\n150001\t0123456789abcde\n"
        "[lines 150,000-150,001 of a file too large to count them; read on with offset=150002]"
    )
    (fact,) = result.facts
    assert (fact.start, fact.end, fact.whole) == (150_000, 150_001, False)
    assert result.display == "huge.log: lines 150,000-150,001"
    assert most < 20 << 20


@pytest.mark.usefixtures("held")
def test_the_end_of_a_file_that_is_not_counted(make_desk):
    desk = make_desk({"f": b"0123456789abcde\n" * 100_000})
    assert desk.read("f", offset=100_000).text.startswith("100000\t0123456789abcde\n")
    result = desk.read("f", offset=100_001)
    assert result.text == "f has 100,000 lines; there is no line 100,001."
    assert result.facts == ()


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize(
    ("line", "notes"),
    [
        (b"a line\n", []),
        (b"a line\r\n", ["line ends: CRLF"]),
        (b"a line\nanother\r\n", ["line ends: LF and CRLF mixed"]),
        ("é line\n".encode(), []),
        (b"caf\xe9\n", ["not UTF-8: taken as Latin-1"]),
    ],
)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("rest", [b"", b"rest"])
def test_what_is_reported_is_what_is_reported_of_small_files(line, notes, mark, rest):
    data = mark + line * 3 + rest
    small = small_page(data, digest_of(data), 1, 100)
    page = large_page(io.BytesIO(data), 1, 100)
    assert page == small
    if mark and b"\xe9" in line:
        notes = ["UTF-8 with 3 stray bytes, shown as \\xNN"]
    told = [f"[{note}]" for note in notes]
    assert [n for n in page.notes if "byte-order" not in n and "no newline" not in n] == told


def test_a_few_stray_bytes_do_not_make_it_latin_1():
    data = "ééé ü\n".encode() * 1_000 + b"\xff\n"
    page = large_page(io.BytesIO(data), 1_000, 2)
    assert page.lines == ("1000\tééé ü", "1001\t\\xff")
    assert page.notes[0] == "[UTF-8 with 1 stray byte, shown as \\xNN]"


def test_characters_across_the_pieces_that_are_read(monkeypatch):
    monkeypatch.setattr(large, "CHUNK", 3)
    data = "日本語\r\n→\r\n".encode()
    page = large_page(io.BytesIO(data), 1, 9)
    assert page == small_page(data, digest_of(data), 1, 9)


@pytest.mark.usefixtures("held")
def test_large_utf_16(make_desk):
    text = "é line\n"
    desk = make_desk({"f": (text * 2_000).encode("utf-16"), "g": (text * 9_000).encode("utf-16")})
    assert desk.read("f", offset=2_000).text.splitlines()[:2] == [
        "2000\té line",
        "[UTF-16-LE with byte-order mark]",
    ]
    refused = desk.read("g")
    assert refused.error is ErrorKind.TOOL_ERROR
    assert "iconv -f UTF-16 -t UTF-8 g > copy" in refused.text


@pytest.mark.usefixtures("held")
def test_a_file_that_grows_is_read_as_far_as_it_was(make_desk, monkeypatch):
    desk = make_desk({"f": b"0123456789abcde\n" * 2_000})
    path = desk.project.path("f")
    real = scan

    def growing(file, *arguments, **options):
        class Growing(io.BufferedIOBase):
            def read(self, size=-1):
                with path.open("ab") as end:
                    end.write(b"more\n" * 1_000)
                return file.read(size)

        return real(Growing(), *arguments, **options)

    monkeypatch.setattr("turnloop_files.pages.scan", growing)
    result = desk.read("f", offset=2_000, limit=5)
    assert result.text == "2000\t0123456789abcde\n[lines 2,000-2,000 of 2,000]"
    assert result.facts[0].digest == digest_of(b"0123456789abcde\n" * 2_000)


@pytest.mark.usefixtures("held")
def test_a_file_that_outgrows_what_is_held(make_desk):
    desk = make_desk({"f": b"short\n"})
    longer = b"0123456789abcde\n" * 4_000
    result = desk.read("f", limit=1, meanwhile=lambda: desk.put("f", longer))
    assert "[lines 1-1 of 4,000; read on with offset=2]" in result.text


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system has no /proc")
@pytest.mark.usefixtures("held")
def test_kernel_files_have_content_though_they_say_they_are_empty(make_desk):
    desk = make_desk()
    assert desk.read("/proc/self/status").text.startswith("1\tName:\t")
    symbols = Path("/proc/kallsyms")
    if symbols.exists() and os.access(symbols, os.R_OK):
        whole = symbols.read_bytes()
        if 16_384 < len(whole) < 64 << 20:
            assert desk.read("/proc/kallsyms", offset=whole.count(b"\n")).ok


def test_nobody_waits_for_a_search_that_takes_too_long(make_desk, monkeypatch):
    desk = make_desk({"f": b"0123456789abcde\n" * 1_000_000})
    monkeypatch.setattr(large, "MOST_SECONDS", -1)
    result = desk.read("f", offset=900_000)
    assert result.error is ErrorKind.TOOL_ERROR
    assert "line 900,000 was not reached in" in result.text
    assert "tail -n 200" in result.text


def test_it_stops_when_nobody_waits():
    left = threading.Event()

    class Endless(io.RawIOBase):
        def read(self, size=-1):
            left.set()
            return b"x" * size

    with pytest.raises(StoppedError):
        scan(Endless(), 1, 1, 10, stopped=left.is_set)


def test_null_bytes_behind_the_first_bytes_are_shown(make_desk):
    desk = make_desk({"f": b"a\n" * 5_000 + b"x\x00y\n"})
    result = desk.read("f", offset=5_001)
    assert result.text == (
        "5001\tx\\x00y\n[1 null byte, shown as \\x00]\n[lines 5,001-5,001 of 5,001]"
    )


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\n", "1\t"),
        (b"\n\n\n", "1\t\n2\t\n3\t"),
        (b"\xef\xbb\xbf", "[f is empty: 0 lines]\n[UTF-8 with byte-order mark]"),
        (b"a\x0cb\n\x0b\n", "1\ta\x0cb\n2\t\x0b"),
    ],
)
def test_odd_little_files(make_desk, data, text):
    assert make_desk({"f": data}).read("f").text == text


@pytest.mark.parametrize(
    ("data", "command"),
    [
        (b"a" * 257 + b"ustar\x00" + bytes(300), "tar tvf f"),
        (b"\0\0\0\x18ftypavif", "magick f out.png"),
        (b"\0\0\0\x18ftypmp42", "ffprobe f"),
    ],
)
def test_further_binary_files(make_desk, data, command):
    assert command in make_desk({"f": data}).read("f").text
