"""Scans files for an expression, and tells as `rg --json` does: what stands in when rg is absent.

Run as a program of its own (`python -I -S scan.py`), so that an expression which takes for ever can
be killed and blocks nobody. Only the standard library, and little of it: it starts at each search.

Arguments: the expression, `i` or `-` (upper and lower case alike or not), lines of context, and
`files` (names on standard input, with NUL after each) or `input` (the text is on standard input).
"""

from __future__ import annotations

import codecs
import json
import os
import re
import sys
from collections.abc import Iterator
from typing import BinaryIO

_OPEN = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FAR_REACHING = re.compile(r"\(\?(?:[=!(]|<[=!]|[a-zA-Z]*s)|\\[AZWD]|\[\^")


class Scanner:
    """Finds the matching lines of texts.

    Args:
        expression: matched within single lines.
        ignore_case: upper and lower case are alike.
        context: lines before and after each match.
    """

    def __init__(self, expression: str, *, ignore_case: bool, context: int) -> None:
        flags = re.MULTILINE | (re.IGNORECASE if ignore_case else 0)
        self._search = re.compile(expression, flags).search
        # What looks beyond its place or takes in line ends is asked line by line: over the whole
        # text it would mean something else, or go through all of it again from every line.
        self._by_line = _FAR_REACHING.search(expression) is not None
        self._context = context

    def lines_of(self, name: str, data: bytes) -> list[str]:
        """The lines to be printed for one file; none when nothing matches."""
        text, binary = _decoded(data)
        matching = self._matching(text)
        if not matching:
            return []
        path = _told(name)
        out = [_message("begin", path=path)]
        lines = text.split("\n")
        shown = -1
        for number in matching:
            first = max(shown + 1, number - self._context)
            out += [_line("context", path, at, lines[at], None) for at in range(first, number)]
            found = self._search(lines[number])
            out.append(_line("match", path, number, lines[number], found))
            last = min(number + self._context, len(lines) - 1 - (lines[-1] == ""))
            shown = number
            for at in range(number + 1, last + 1):
                if at in matching:
                    break
                out.append(_line("context", path, at, lines[at], None))
                shown = at
        out.append(_message("end", path=path, binary_offset=binary))
        return out

    def _matching(self, text: str) -> dict[int, None]:
        """Numbers of the lines that match, from 0, in order."""
        if self._by_line:
            lines = text.removesuffix("\n").split("\n") if text else []
            return {number: None for number, line in enumerate(lines) if self._search(line)}
        found: dict[int, None] = {}
        at, counted, number = 0, 0, 0
        end = len(text) - text.endswith("\n")
        while text and (match := self._search(text, at)) and match.start() <= end:
            start = match.start()
            number += text.count("\n", counted, start)
            counted = start
            stop = text.find("\n", start)
            stop = len(text) if stop < 0 else stop
            begin = text.rfind("\n", 0, start) + 1
            if match.end() <= stop or self._search(text[begin:stop]):
                found[number] = None
            at = stop + 1
            if at > end:
                break
        return found


def _decoded(data: bytes) -> tuple[str, int | None]:
    """The text, and where its first null byte is: a file that has one is binary."""
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(codec, "replace").replace("\r\n", "\n"), None
    binary = data.find(b"\0")
    if binary >= 0:
        data = data.replace(b"\0", b"\n")
    text = data.decode("utf-8", "surrogateescape")
    return text.replace("\r\n", "\n") if "\r" in text else text, binary if binary >= 0 else None


def _told(text: str) -> dict[str, str]:
    """Text as rg tells it: as it is, or in base64 when it is no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        from base64 import b64encode

        return {"bytes": b64encode(text.encode("utf-8", "surrogateescape")).decode()}
    return {"text": text}


def _message(kind: str, **data: object) -> str:
    return json.dumps({"type": kind, "data": data}, ensure_ascii=False, separators=(",", ":"))


def _line(
    kind: str, path: dict[str, str], number: int, line: str, found: re.Match[str] | None
) -> str:
    start = 0
    if found is not None:
        start = len(line[: found.start()].encode("utf-8", "surrogateescape"))
    places = [] if found is None else [{"start": start}]
    told = _told(line + "\n")
    return _message(kind, path=path, lines=told, line_number=number + 1, submatches=places)


def _names(source: BinaryIO) -> Iterator[str]:
    for name in source.read().split(b"\0"):
        if name:
            yield os.fsdecode(name)


def _read(name: str) -> bytes:
    fd = os.open(name, _OPEN)
    with os.fdopen(fd, "rb", buffering=0) as file:
        return file.readall() or b""


def main(arguments: list[str]) -> None:
    """Scan what the arguments name."""
    expression, case, context, source = arguments
    scanner = Scanner(expression, ignore_case=case == "i", context=int(context))
    out = sys.stdout.buffer
    if source == "input":
        texts: Iterator[tuple[str, bytes]] = iter([("<stdin>", sys.stdin.buffer.read())])
    else:
        texts = _texts(sys.stdin.buffer)
    for name, data in texts:
        lines = scanner.lines_of(name, data)
        if lines:
            out.write("".join(f"{line}\n" for line in lines).encode())
            out.flush()


def _texts(source: BinaryIO) -> Iterator[tuple[str, bytes]]:
    for name in _names(source):
        try:
            yield name, _read(name)
        except OSError as error:
            sys.stderr.buffer.write(os.fsencode(f"{name}: {error.strerror}\n"))


if __name__ == "__main__":
    main(sys.argv[1:])
