"""What Read shows, and what it refuses."""

from __future__ import annotations

import base64
import io
import os
import socket
import struct
import zlib

import pytest

from turnloop_core.api import ErrorKind, Image, ReadRange, Text
from turnloop_files.large import scan
from turnloop_files.pages import large_page, small_page
from turnloop_files.seen import digest_of


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IEND", b"")


def jpeg(width: int, height: int) -> bytes:
    app = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\x00" + bytes(9)
    padding = b"\xff\xe1" + struct.pack(">H", 20_002) + bytes(20_000)  # beyond the sniffed bytes
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + app + padding + frame + b"\xff\xd9"


def webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(body) + 12) + b"WEBP" + kind + bytes(4) + body


def test_numbers_lines(make_desk):
    desk = make_desk({"a.txt": "one\n\n\ttwo\n"})
    result = desk.read("a.txt")
    digest = digest_of(b"one\n\n\ttwo\n")
    path = str(desk.project.path("a.txt"))
    assert result.text == "1\tone\n2\t\n3\t\ttwo"
    assert result.facts == (ReadRange(path, 1, 3, digest, whole=True),)
    assert result.display == "a.txt: 3 lines"


def test_a_range_says_how_to_go_on(make_desk):
    desk = make_desk({"a.txt": "".join(f"line {n}\n" for n in range(1, 11))})
    result = desk.read("a.txt", offset=3, limit=2)
    assert result.text == "3\tline 3\n4\tline 4\n[lines 3-4 of 10; read on with offset=5]"
    (fact,) = result.facts
    assert (fact.start, fact.end, fact.whole) == (3, 4, False)
    assert desk.read("a.txt", offset=9).text == "9\tline 9\n10\tline 10\n[lines 9-10 of 10]"


def test_default_limit(make_desk):
    desk = make_desk({"a.txt": "x\n" * 8_123})
    last = desk.read("a.txt").text.splitlines()[-1]
    assert last == "[lines 1-2,000 of 8,123; read on with offset=2001]"


def test_character_limit_ends_at_a_line(make_desk):
    desk = make_desk({"a.txt": ("y" * 1_000 + "\n") * 100})
    text = desk.read("a.txt").text
    assert text.splitlines()[-1] == "[lines 1-59 of 100; read on with offset=60]"
    assert len(text) < 60_200


def test_long_lines_are_cut_visibly(make_desk):
    desk = make_desk({"a.txt": "a" * 2_000 + "\n" + "b" * 12_345 + "\n"})
    result = desk.read("a.txt")
    lines = result.text.splitlines()
    assert lines[0] == "1\t" + "a" * 2_000
    assert lines[1] == "2\t" + "b" * 2_000 + "... [10,345 more characters]"
    assert lines[2].startswith("[1 line cut at 2,000 characters; ")
    assert not result.facts[0].whole


@pytest.mark.parametrize("offset", [4, 100])
def test_an_offset_behind_the_end(make_desk, offset):
    result = make_desk({"a.txt": "1\n2\n3"}).read("a.txt", offset=offset)
    assert result.error is ErrorKind.TOOL_ERROR
    assert result.text == f"a.txt has 3 lines; there is no line {offset}."
    assert result.facts == ()


def test_null_and_zero_mean_the_default(make_desk):
    desk = make_desk({"a.txt": "1\n2\n"})
    assert desk.read("a.txt", offset=None, limit=None).text == "1\t1\n2\t2"
    assert desk.read("a.txt", offset=0, limit=0).text == "1\t1\n2\t2"


def test_an_empty_file(make_desk):
    result = make_desk({"a.txt": ""}).read("a.txt")
    assert result.ok
    assert result.text == "[a.txt is empty: 0 lines]"
    assert result.facts[0].whole


@pytest.mark.parametrize(
    ("data", "shown", "note"),
    [
        ("é\n".encode(), "1\té", ""),
        ("é\n".encode("utf-8-sig"), "1\té", "[UTF-8 with byte-order mark]"),
        ("é\n".encode("utf-16"), "1\té", "[UTF-16-LE with byte-order mark]"),
        (b"\xfe\xff" + "é\n".encode("utf-16-be"), "1\té", "[UTF-16-BE with byte-order mark]"),
        ("é\n".encode("utf-32"), "1\té", "[UTF-32-LE with byte-order mark]"),
        (b"caf\xe9\n", "1\tcafé", "[not UTF-8: taken as Latin-1]"),
        (
            "éé ".encode() + b"\xff\n",
            "1\téé \\xff",
            "[UTF-8 with 1 stray byte, shown as \\xNN]",
        ),
        (b"\xff\xfeA\x00\x00\xd8B\x00", "1\tA\ufffdB", "[broken UTF-16-LE at byte 4]"),
        (b"a\r\nb\r\n", "1\ta\n2\tb", "[line ends: CRLF]"),
        (b"a\r\nb\n", "1\ta\n2\tb", "[line ends: LF and CRLF mixed]"),
        (b"a\rb\r", "1\ta\n2\tb", "[line ends: CR]"),
        (b"a\rb", "1\ta\n2\tb", "[line ends: CR]\n[no newline at the end]"),
        (b"a\nb", "1\ta\n2\tb", "[no newline at the end]"),
    ],
)
def test_encodings_and_line_ends_are_reported(make_desk, data, shown, note):
    result = make_desk({"a.txt": data}).read("a.txt")
    assert result.text == "\n".join(filter(None, [shown, note]))
    result.text.encode()  # can be sent


@pytest.mark.parametrize(
    ("data", "media_type", "size"),
    [
        (png(640, 480), "image/png", (640, 480)),
        (b"GIF89a" + struct.pack("<HH", 3, 5) + bytes(10), "image/gif", (3, 5)),
        (jpeg(70, 90), "image/jpeg", (70, 90)),
        (webp(b"VP8X", bytes(4) + b"\x0f\0\0" + b"\x1f\0\0"), "image/webp", (16, 32)),
        (webp(b"VP8L", b"\x2f" + struct.pack("<I", 9 | 19 << 14)), "image/webp", (10, 20)),
        (webp(b"VP8 ", bytes(6) + struct.pack("<HH", 11, 12)), "image/webp", (11, 12)),
    ],
)
def test_pictures_by_their_first_bytes(make_desk, data, media_type, size):
    result = make_desk({"shot.txt": data}).read("shot.txt")
    words = f"shot.txt: {media_type}, {size[0]} x {size[1]} pixels"
    image = Image(media_type, base64.b64encode(data).decode(), *size)
    assert result.content == (Text(words), image)
    assert result.facts[0].whole


def test_pictures_are_refused_where_nobody_sees(make_desk):
    desk = make_desk({"a.png": png(1, 1)})
    desk.vision = False
    result = desk.read("a.png")
    assert result.error is ErrorKind.TOOL_ERROR
    assert "provider scripted takes no pictures" in result.text


def test_pictures_have_limits(make_desk):
    desk = make_desk({"wide.png": png(9_000, 2), "big.png": png(1, 1) + bytes(4_000_000)})
    assert "9,000 x 2 pixels; a side may have 8,000" in desk.read("wide.png").text
    assert "a picture may have 3,750,000" in desk.read("big.png").text


@pytest.mark.parametrize(
    ("name", "data", "command"),
    [
        ("a.pdf", b"%PDF-1.7\n...", "pdftotext a.pdf -"),
        ("a b.zip", b"PK\x03\x04rest", "unzip -l 'a b.zip'"),
        ("a.docx", b"PK\x03\x04rest", "pandoc a.docx -t plain"),
        ("a.gz", b"\x1f\x8b\x08\x00", "zcat a.gz"),
        ("prog", b"\x7fELF\x00\x00", "readelf -h prog"),
        ("x.db", b"SQLite format 3\x00", "sqlite3 x.db .schema"),
        ("w.txt", "plain".encode("utf-16-le"), "iconv -f UTF-16LE w.txt"),
        ("cut.png", b"\x89PNG\r\n\x1a\n\x00", "file cut.png"),
        ("blob", b"text\x00more", "file blob"),
    ],
)
def test_binary_files_name_what_shows_them(make_desk, name, data, command):
    result = make_desk({name: data}).read(name)
    assert result.error is ErrorKind.TOOL_ERROR
    assert command in result.text


def test_a_missing_file_names_the_nearest(make_desk):
    desk = make_desk({"src/main.py": "", "src/Makefile": "", "src/other.c": ""})
    assert desk.read("src/mian.py").text == "src/mian.py does not exist. Did you mean src/main.py?"
    assert (
        desk.read("src/MAKEFILE").text == "src/MAKEFILE does not exist. Did you mean src/Makefile?"
    )
    root = desk.project.root
    assert desk.read("src/lib/x.py").text == (
        f"src/lib/x.py does not exist: there is no folder {root}/src/lib; "
        f"the nearest is {root}/src."
    )
    assert "is a file, not a folder" in desk.read("src/main.py/x").text


def test_folders_pipes_and_sockets_are_refused(make_desk):
    desk = make_desk({"folder/a": ""})
    assert "is a folder. List it" in desk.read("folder").text
    assert "is a folder. List it" in desk.read("/").text
    os.mkfifo(desk.project.path("pipe"))
    assert "is a named pipe" in desk.read("pipe").text
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(desk.project.path("s")))
        assert "is a socket" in desk.read("s").text
    assert "is a device" in desk.read("/dev/null").text


def test_a_pipe_put_there_later_does_not_block(make_desk):
    desk = make_desk({"a.txt": "x\n"})

    def swap():
        desk.project.path("a.txt").unlink()
        os.mkfifo(desk.project.path("a.txt"))

    assert "is a named pipe" in desk.read("a.txt", meanwhile=swap).text


@pytest.mark.parametrize(
    "data", [b"", b"a", b"a\n", b"a\n\nb", b"a\r\nb\r\n", b"x" * 9_000 + b"\ny\n"]
)
@pytest.mark.parametrize(("offset", "limit"), [(1, 2_000), (2, 1), (3, 5)])
def test_the_one_pass_reading_of_large_files_agrees(data, offset, limit):
    small = small_page(data, digest_of(data), offset, limit)
    large = large_page(io.BytesIO(data), offset, limit)
    assert (large.lines, large.start, large.end, large.total, large.digest) == (
        (small.lines, small.start, small.end, small.total, small.digest)
    )


def test_large_files_are_read_in_one_pass(make_desk):
    desk = make_desk({"big.log": b"0123456789abcdef\n" * 600_000})
    result = desk.read("big.log", offset=599_999, limit=1)
    assert result.text == (
        "599999\t0123456789abcdef\n[lines 599,999-599,999 of 600,000; read on with offset=600000]"
    )
    assert result.facts[0].digest == digest_of(desk.bytes("big.log"))


def test_scan_keeps_only_the_start_of_a_line():
    found = scan(io.BytesIO(b"z" * 5_000_000 + b"\nnext"), 1, 2, keep=100)
    assert (found.lines, found.lengths, found.total) == ([b"z" * 100, b"next"], [5_000_000, 4], 2)
