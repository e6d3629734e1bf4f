"""Tells pictures and other binary files by their first bytes."""

from __future__ import annotations

import codecs
import struct
from dataclasses import dataclass
from pathlib import PurePath

SNIFFED = 8_192

# (first bytes, what it is, what shows its content)
_KINDS: tuple[tuple[bytes, str, str], ...] = (
    (b"%PDF-", "a PDF", "pdftotext {} -"),
    (b"PK\x03\x04", "a ZIP archive", "unzip -l {}"),
    (b"PK\x05\x06", "an empty ZIP archive", "unzip -l {}"),
    (b"\x1f\x8b", "gzip data", "zcat {} (or tar tzf {} for an archive)"),
    (b"BZh", "bzip2 data", "bzcat {}"),
    (b"\xfd7zXZ\x00", "xz data", "xzcat {}"),
    (b"\x28\xb5\x2f\xfd", "zstd data", "zstdcat {}"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "7z l {}"),
    (b"SQLite format 3\x00", "an SQLite database", "sqlite3 {} .schema"),
    (b"\x7fELF", "an ELF program or library", "readelf -h {} (or strings {})"),
    (b"MZ", "a Windows program", "strings {}"),
    (b"\xca\xfe\xba\xbe", "a Java class or a Mach-O program", "javap -c {} (or otool -h {})"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program", "otool -h {} (or strings {})"),
    (b"\x00asm", "a WebAssembly module", "wasm-objdump -x {}"),
    (b"\xd0\xcf\x11\xe0", "an old Office document", "antiword {} (or libreoffice --convert-to)"),
    (b"PAR1", "a Parquet file", "python -c with pyarrow.parquet.read_table"),
    (b"\x93NUMPY", "a NumPy array", "python -c with numpy.load"),
    (b"BM", "a BMP picture", "magick {} out.png, then Read out.png"),
    (b"II*\x00", "a TIFF picture", "magick {} out.png, then Read out.png"),
    (b"MM\x00*", "a TIFF picture", "magick {} out.png, then Read out.png"),
    (b"\x00\x00\x01\x00", "an icon", "magick {} out.png, then Read out.png"),
    (b"ID3", "an audio file", "ffprobe {}"),
    (b"OggS", "an audio or video file", "ffprobe {}"),
    (b"fLaC", "an audio file", "ffprobe {}"),
)
_CERTAIN = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"SQLite format 3\x00")
_DOCUMENTS = {
    ".docx": "pandoc {} -t plain",
    ".odt": "pandoc {} -t plain",
    ".epub": "pandoc {} -t plain",
    ".xlsx": "python -c with openpyxl",
    ".pptx": "python -c with python-pptx",
    ".pyc": "python -m dis on its source",
}
_ODD_PICTURES = (b"heic", b"heix", b"mif1", b"msf1", b"avif", b"avis")
_UNKNOWN = "file {} (or xxd {} | head, strings {})"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that models can be shown: sizes in pixels, 0 when the header does not say."""

    media_type: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Binary:
    """A file that is not text: what it is, and a command that shows what is in it."""

    what: str
    command: str


def picture(head: bytes) -> Picture | None:
    """The picture that begins with these bytes; None for anything else, damaged ones too."""
    try:
        if head.startswith(b"\x89PNG\r\n\x1a\n"):
            return Picture("image/png", *struct.unpack(">II", head[16:24]))
        if head.startswith((b"GIF87a", b"GIF89a")):
            return Picture("image/gif", *struct.unpack("<HH", head[6:10]))
        if head.startswith(b"\xff\xd8\xff"):
            return Picture("image/jpeg", *_jpeg_size(head))
        if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
            return Picture("image/webp", *_webp_size(head))
    except (struct.error, IndexError):
        return None
    return None


def _jpeg_size(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        if marker == 0xFF:  # a fill byte
            at += 1
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return 0, 0


def _webp_size(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X":
        return (
            1 + int.from_bytes(data[24:27], "little"),
            1 + int.from_bytes(data[27:30], "little"),
        )
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return 0, 0


def binary(head: bytes, name: str) -> Binary | None:
    """What kind of binary file begins with these bytes; None for text.

    Text is what has no null byte in its first bytes; UTF-16 and UTF-32 with a mark are text.
    """
    head = head[:SNIFFED]
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        return None
    if b"\x00" not in head and not head.startswith(_CERTAIN):
        return None
    quoted = _quote(name)
    suffix = PurePath(name).suffix.lower()
    if suffix in _DOCUMENTS:
        return Binary(f"a {suffix[1:]} document", _DOCUMENTS[suffix].replace("{}", quoted))
    for magic, what, command in _KINDS:
        if head.startswith(magic):
            return Binary(what, command.replace("{}", quoted))
    if head[257:262] == b"ustar":
        return Binary("a tar archive", f"tar tvf {quoted}")
    if head[4:8] == b"ftyp" and head[8:12] in _ODD_PICTURES:
        return Binary("a HEIF or AVIF picture", f"magick {quoted} out.png, then Read out.png")
    if head[4:8] == b"ftyp":
        return Binary("an MP4-like file", f"ffprobe {quoted}")
    if _looks_like_utf16(head):
        order = "LE" if head[1:2] == b"\x00" else "BE"
        return Binary("UTF-16 without a byte-order mark", f"iconv -f UTF-16{order} {quoted}")
    return Binary("binary (it holds null bytes)", _UNKNOWN.replace("{}", quoted))


def _looks_like_utf16(head: bytes) -> bool:
    even, odd = head[0::2], head[1::2]
    nulls, others = sorted((even.count(0), odd.count(0)), reverse=True)
    return len(head) >= 4 and nulls > 0.7 * len(even) and others == 0


def _quote(name: str) -> str:
    from shlex import quote

    return quote(name)
