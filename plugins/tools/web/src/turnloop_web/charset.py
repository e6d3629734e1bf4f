"""Bytes to text: by mark, header, declaration in the page, or what fits."""

from __future__ import annotations

import codecs
import re

from turnloop_core.api import dataclass

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like the mark of UTF-16, so it comes before
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FALLBACK = "cp1252"
# What pages mean by these names.
_MEANT = {"ascii": _FALLBACK, "iso8859-1": _FALLBACK, "gb2312": "gb18030", "gbk": "gb18030"}
# Encodings of Python that are no charsets, or take forever on long texts.
_NEVER = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "utf-7")
_DECLARED = re.compile(
    rb"""<meta\s[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})"""
    rb"""|<\?xml\s[^>]{0,100}?encoding\s*=\s*["']([A-Za-z0-9_.:-]{1,40})""",
    re.IGNORECASE,
)
_LOOKED_AT = 4_096


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, and what is to be said of how it was read."""

    text: str
    note: str = ""


def decode(body: bytes, named: str = "", *, marked_up: bool = False) -> Decoded:
    """The text of a body.

    Args:
        body: the bytes; a character at the end may be cut.
        named: the charset that the header names, "" for none.
        marked_up: HTML or XML, which may name it within.
    """
    for mark, name in _BOMS:
        if body.startswith(mark):
            return Decoded(_lenient(body[len(mark) :], name))
    declared = _DECLARED.search(body[:_LOOKED_AT]) if marked_up else None
    inner = (declared[1] or declared[2]).decode() if declared else ""
    for given in (named, inner):
        if charset := _known(given):
            # A page that could be searched for its declaration is in no wide encoding.
            charset = "utf-8" if given == inner and charset.startswith("utf-") else charset
            return Decoded(_lenient(body, charset))
    unknown = named or inner
    note = f"its charset {unknown[:40]!r} is not known; read by guess" if unknown else ""
    text = _strict_utf8(body)
    return Decoded(_lenient(body, _FALLBACK) if text is None else text, note)


def looks_binary(body: bytes) -> bool:
    """Whether the bytes are no text in any encoding that `decode` would find by itself."""
    if any(body.startswith(mark) for mark, _ in _BOMS):
        return False
    return b"\0" in body[:8_192]


def _known(name: str) -> str:
    """Python's name for a charset, "" for none that can be read."""
    try:
        found = codecs.lookup(name.strip(" \"'")).name if name else ""
        b" ".decode(found or "ascii", errors="replace")  # raises for those that give no text
    except (LookupError, ValueError):
        return ""
    return "" if found.replace("-", "_") in {n.replace("-", "_") for n in _NEVER} else _meant(found)


def _meant(name: str) -> str:
    return _MEANT.get(name, name)


def _lenient(body: bytes, charset: str) -> str:
    return body.decode(charset, errors="replace")


def _strict_utf8(body: bytes) -> str | None:
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(body)
    except UnicodeDecodeError:
        return None
