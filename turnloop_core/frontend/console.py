"""The edge of the process: streams that may be closed, text that must not steer the terminal."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping
from typing import TextIO

_WIPED = "\r\x1b[K"  # to the start of the line, and nothing on it
COLOURS = {"ok": "32", "error": "31", "warning": "33", "dim": "2", "call": "1", "add": "32"}
COLOURS["remove"] = "31"

# Marks that change the direction of text, or cannot be seen: what is shown would not be what is
# meant. The two joiners (U+200C, U+200D) stay: scripts and emoji need them.
_UNSEEN = [0x061C, 0x180E, 0x200B, 0x200E, 0x200F, 0xFEFF, *range(0x2060, 0x2065)]
_DIRECTION = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_ESCAPES = {
    code: f"\\x{code:02x}" for code in (*range(32), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
}
_ESCAPES |= {code: f"\\u{code:04x}" for code in (*_DIRECTION, *_UNSEEN)}


def printable(text: str) -> str:
    """`text` with control characters written out, so that no terminal takes them for orders.

    Line ends become `\\n`; tabs stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return text.replace("\r\n", "\n").translate(_ESCAPES)


def one_line(text: str, width: int = 160) -> str:
    """`text` on one printable line of bounded length."""
    flat = " ".join(printable(text[: 4 * width]).split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def wants_colour(stream: TextIO | None, environment: Mapping[str, str]) -> bool:
    """Colour only where a terminal shows it and nobody asked for none (no-color.org)."""
    if not is_terminal(stream) or environment.get("NO_COLOR"):
        return False
    if os.name == "nt" and "TERM" not in environment:
        return "WT_SESSION" in environment
    return environment.get("TERM") not in (None, "", "dumb")


class Output:
    """A stream whose reader may leave at any time: from then on nothing is written.

    Args:
        stream: where to write; None is a stream that was closed before the program began.
        colour: wrap styled text in colour codes.

    Attributes:
        gone: the reader left.
        failure: why writing failed otherwise (a full disk), None when it did not.
    """

    def __init__(self, stream: TextIO | None, *, colour: bool = False) -> None:
        self._stream = stream
        self._colour = colour
        self._at_start = True
        self._passing = False  # a passing line stands there
        self.terminal = is_terminal(stream)
        self.gone = False
        self.failure: OSError | None = None

    def write(self, text: str, style: str = "", end: str = "") -> None:
        """Write and flush; `end` stands outside of the style."""
        if not (text or end) or self.gone or self.failure is not None or self._stream is None:
            return
        self._at_start = (text + end).endswith("\n")
        text, self._passing = (_WIPED + text if self._passing else text), False
        if style in COLOURS and self._colour:
            text = f"\x1b[{COLOURS[style]}m{text}\x1b[0m"
        try:
            self._stream.write(text + end)
            self._stream.flush()
        except OSError as error:
            if error.errno in (errno.EPIPE, errno.EINVAL, errno.EBADF):  # EINVAL: Windows' EPIPE
                self.gone = True
            else:
                self.failure = error

    def line(self, text: str, style: str = "") -> None:
        """Write one line, on a line of its own."""
        self.fresh_line()
        self.write(text, style, end="\n")

    def passing(self, text: str) -> None:
        """Show one line that the next thing written takes away again; on terminals only."""
        if not self.terminal or os.environ.get("TERM") in (None, "", "dumb"):
            return
        self.fresh_line()
        room = self._width() - 3
        line = "  " + one_line(text, room if text.isascii() else room // 2)  # some are two wide
        self.write(line, "dim")
        self._at_start = self._passing = True

    def _width(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80  # type: ignore[union-attr]
        except (OSError, ValueError, AttributeError):
            return 80

    def entered(self) -> None:
        """The user ended a line: the terminal moved on by itself."""
        self._at_start = True

    def key_hit(self) -> None:
        """The user hit ctrl-c: the terminal shows `^C` by itself, and what comes goes below it."""
        self._at_start = self._at_start and not self.terminal

    def fresh_line(self) -> None:
        """Begin a line, unless one has just begun."""
        if not self._at_start:
            self.write("\n")


def prepare_streams() -> None:
    """Make the standard streams safe to use.

    A descriptor that was closed by the parent is given to the null device, so that no file opened
    later gets its number and the output of a child. A character that the console does not know is
    replaced rather than raised.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDONLY if number == 0 else os.O_WRONLY)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - the process's own
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def settle_streams() -> int:
    """Flush what is left. A reader that left is no failure; a full disk is (status 1)."""
    status = 0
    for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError) as error:
            _forget(stream, number)
            if getattr(error, "errno", None) not in (errno.EPIPE, errno.EINVAL, None):
                status = 1
    return status


def _forget(stream: TextIO | None, number: int) -> None:
    """Let what is still buffered go nowhere, so that the interpreter's own flush is quiet."""
    if stream is None:
        return
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, number)
        os.close(null)
    except OSError:
        return
