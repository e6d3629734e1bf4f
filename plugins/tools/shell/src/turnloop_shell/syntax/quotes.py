"""`$'...'`: the escapes of ANSI-C quoting."""

from __future__ import annotations

import re
from types import MappingProxyType

_BODY = re.compile(r"(?:[^'\\]|\\.)*", re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})"
    r"|c(\\\\|.)|(.))",
    re.DOTALL,
)
_PLAIN = MappingProxyType(
    {
        "a": "\a",
        "b": "\b",
        "e": "\x1b",
        "E": "\x1b",
        "f": "\f",
        "n": "\n",
        "r": "\r",
        "t": "\t",
        "v": "\v",
        "\\": "\\",
        "'": "'",
        '"': '"',
        "?": "?",
    }
)


def ansi_end(text: str, start: int) -> int:
    """The place of the quote that ends the body which begins at `start`, -1 for none."""
    match = _BODY.match(text, start)
    end = match.end() if match is not None else start
    return end if text[end : end + 1] == "'" else -1


def ansi(body: str) -> str | None:
    """The value of `$'body'`; None where shells do not agree what it is."""
    if "\\" not in body:
        return body
    if "\\x{" in body:
        return None
    found = bytearray()
    at = 0
    for match in _ESCAPE.finditer(body):
        found += body[at : match.start()].encode()
        at = match.end()
        value = _value(match)
        if value is None:
            return None
        if value == b"\0":
            return _decoded(found)  # the shell drops the rest of this piece with the NUL
        found += value
    found += body[at:].encode()
    return _decoded(found)


def _value(match: re.Match[str]) -> bytes | None:
    octal, byte, short, wide, control, other = match.groups()
    if octal is not None:
        return bytes([int(octal, 8) & 0xFF])
    if byte is not None:
        return bytes([int(byte, 16)])
    if short is not None or wide is not None:
        return _code_point(int(short or wide, 16))
    if control is not None:
        return _control(control[-1])
    return _PLAIN.get(other, "\\" + other).encode()


def _control(letter: str) -> bytes | None:
    if letter == "?":
        return b"\x7f"
    return bytes([ord(letter.upper()) & 0x1F]) if letter.isascii() else None


def _code_point(number: int) -> bytes | None:
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return None
    return chr(number).encode()


def _decoded(value: bytearray) -> str | None:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return None
