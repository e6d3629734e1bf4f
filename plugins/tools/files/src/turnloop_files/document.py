"""Bytes to text and back without loss: encoding, byte-order mark, line ends."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_MARKS = (  # UTF-32 first: its little-endian mark begins like that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
TAKEN_AS_LATIN_1 = "not UTF-8: taken as Latin-1"
_STRAY = re.compile("[\udc80-\udcff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNPRINTABLE = re.compile("[\ud800-\udfff\x00]")
_BEYOND_ASCII = re.compile("[^\x00-\x7f\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Document:
    """A text file.

    Attributes:
        text: the characters, without the mark. Bytes that are not UTF-8 in an otherwise UTF-8 file
            stand as lone surrogates, so that they go back as they came.
        codec: name of the Python codec.
        mark: the byte-order mark, b"" for none.
        trouble: why the text is not clean, in words for the model; "" when it is.
        exact: encoding the text gives back the very bytes.
    """

    text: str
    codec: str
    mark: bytes = b""
    trouble: str = ""
    exact: bool = True

    def encode(self, text: str) -> bytes:
        """`text` in the encoding of this file, mark included.

        Raises:
            UnicodeEncodeError: a character does not exist in this encoding.
        """
        return self.mark + text.encode(self.codec, "surrogateescape")

    @property
    def title(self) -> str:
        """The encoding by its usual name, with the mark."""
        name = {"latin-1": "Latin-1"}.get(self.codec, self.codec.upper())
        return f"{name} with byte-order mark" if self.mark else name


def decode(data: bytes) -> Document:
    """The text of a file. Never fails; `trouble` and `exact` say what is not clean."""
    mark, codec = next(((m, c) for m, c in _MARKS if data.startswith(m)), (b"", "utf-8"))
    body = data[len(mark) :]
    try:
        return Document(body.decode(codec), codec, mark)
    except UnicodeDecodeError as error:
        if codec != "utf-8":
            trouble = f"broken {codec.upper()} at byte {len(mark) + error.start:,}"
            return Document(body.decode(codec, "replace"), codec, mark, trouble, exact=False)
    return _not_utf8(body, mark)


def _not_utf8(body: bytes, mark: bytes) -> Document:
    text = body.decode("utf-8", "surrogateescape")
    stray = strays_in(text)
    if mark or stray < len(_BEYOND_ASCII.findall(text)):
        return Document(text, "utf-8", mark, strays_told(stray))
    return Document(body.decode("latin-1"), "latin-1", b"", TAKEN_AS_LATIN_1)


def strays_in(text: str) -> int:
    """How many bytes were not UTF-8."""
    return len(_STRAY.findall(text))


def strays_told(stray: int) -> str:
    return f"UTF-8 with {stray:,} stray byte{'s' if stray > 1 else ''}, shown as \\xNN"


def printable(text: str) -> str:
    """The text with stray and null bytes written as `\\xNN`, so that it can be sent and stored."""
    return _UNPRINTABLE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if not code:
        return "\\x00"
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def has_surrogates(text: str) -> bool:
    """Half characters, which no file can hold."""
    return _SURROGATE.search(text) is not None


def line_ends(text: str) -> str:
    """`crlf`, `lf`, `mixed`, `cr` where there is no LF at all, or "" for a text of one line."""
    crlf = text.count("\r\n")
    lf = text.count("\n") - crlf
    if crlf and lf:
        return "mixed"
    return "crlf" if crlf else "lf" if lf else "cr" if "\r" in text else ""


def split_lines(text: str) -> list[str]:
    """The lines as an editor counts them, without their ends.

    Lines end in LF or CRLF; a file without any LF that has CRs is split at those.
    """
    if "\n" in text:
        parts = text.split("\n")
        if "\r" in text:
            parts = [part.removesuffix("\r") for part in parts]
    else:
        parts = text.split("\r")
    if parts[-1] == "":
        parts.pop()
    return parts
