"""Output as text for the model: no escape codes, no progress bars, no endless lines."""

from __future__ import annotations

import codecs
import re

LONGEST_LINE = 2_000
_LINE_START = 1_400
_LINE_END = 500

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]?"  # colours, cursor
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles, links
    r"|\x1b[ -/]*[0-~]?"  # the rest
)
_WHOLE = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-OQ-WYZ\\`-~])"
)
_OVERSTRUCK = re.compile(r"[^\n\x08]\x08")
# Control characters except tab, LF and CR; the C1 block, byte-order marks.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff]")


def decode(data: bytes, *, from_middle: bool = False, to_middle: bool = False) -> str:
    """Bytes to text: bad bytes are shown as `\\xNN`.

    Args:
        data: the bytes.
        from_middle: they begin anywhere, maybe within a character, which is left out.
        to_middle: they end anywhere.
    """
    if from_middle:
        start = 0
        while start < min(3, len(data)) and data[start] & 0xC0 == 0x80:
            start += 1
        data = data[start:]
    decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
    return decoder.decode(data, not to_middle)


def unfinished(data: bytes) -> int:
    """How many bytes at the end may be the beginning of a character, or of an escape code."""
    for count in range(1, min(3, len(data)) + 1):
        byte = data[-count]
        if byte & 0xC0 != 0x80:
            long = 2 + (byte >= 0xE0) + (byte >= 0xF0)
            if 0xC2 <= byte < 0xF5 and count < long:
                return count
            break
    start = data.rfind(b"\x1b")
    if start == -1 or _WHOLE.match(data, start):
        return 0
    return len(data) - start


def clean(text: str) -> str:
    """Without escape codes and control characters; a line that was drawn over as it ended."""
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "\x08" in text:
        text = _OVERSTRUCK.sub("", text)
    if "\r" in text:
        text = re.sub(r"\r+\n", "\n", text)
        text = "\n".join(_as_drawn(line) for line in text.split("\n"))
    return _CONTROLS.sub("", text)


def _as_drawn(line: str) -> str:
    """What stands there after the last carriage return that something was written after."""
    if "\r" not in line:
        return line
    return next((part for part in reversed(line.split("\r")) if part.strip()), "")


def cut_lines(text: str) -> str:
    """Long lines lose their middle: the end of a line may be the error."""
    if len(text) <= LONGEST_LINE:
        return text
    return "\n".join(line if len(line) <= LONGEST_LINE else _cut(line) for line in text.split("\n"))


def _cut(line: str) -> str:
    left_out = len(line) - _LINE_START - _LINE_END
    return f"{line[:_LINE_START]}... [{left_out:,} characters] ...{line[-_LINE_END:]}"
