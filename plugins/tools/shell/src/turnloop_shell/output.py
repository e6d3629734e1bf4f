"""Gathers output within a bound: its beginning and its end for the model, all of it in a file."""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

from turnloop_shell.clean import LONGEST_LINE, clean, cut_lines, decode, unfinished
from turnloop_shell.spool import Spool

SHOWN_HEAD = 12_000
SHOWN_TAIL = 12_000
# Raw bytes held. More than is shown, since progress bars and colours shrink when they are cleaned.
_HEAD = 64 * 1024
_TAIL = 192 * 1024
_LONGEST_CODE = 64  # an escape code that is longer is not held back


class Ends:
    """The beginning and the end of what came.

    Attributes:
        total: how many bytes came.
    """

    def __init__(self) -> None:
        self.total = 0
        self._head = bytearray()
        self._tail = bytearray()

    def feed(self, data: bytes) -> None:
        self.total += len(data)
        room = _HEAD - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * _TAIL:
            del self._tail[:-_TAIL]

    @property
    def whole(self) -> bool:
        """Nothing of it was dropped."""
        return self.total <= len(self._head) + len(self._tail)

    @property
    def held(self) -> bytes:
        """What is there: all of it, as long as it is `whole`."""
        return bytes(self._head + self._tail)

    def hold_back(self) -> bytes:
        """Take off the end what may be the beginning of a character or of an escape code."""
        last = self._tail or self._head
        count = unfinished(bytes(last[-_LONGEST_CODE:]))
        taken = bytes(last[len(last) - count :])
        del last[len(last) - count :]
        self.total -= count
        return taken

    def text(self, kept: Callable[[], str]) -> str:
        """What the model is shown; where something is left out, a line says how much.

        Args:
            kept: says where the rest is; called when something is left out.
        """
        if self.whole:
            text = cut_lines(clean(decode(self.held)))
            if len(text) <= SHOWN_HEAD + SHOWN_TAIL:
                return text.rstrip("\n")
            head, tail = text, text
        else:
            head = _ends_anywhere(clean(decode(bytes(self._head), to_middle=True)))
            tail = _begins_anywhere(clean(decode(bytes(self._tail[-_TAIL:]), from_middle=True)))
        head, tail = _first(head, SHOWN_HEAD), _last(tail.rstrip("\n"), SHOWN_TAIL)
        shown = len(head.encode()) + len(tail.encode())
        return f"{head}\n[... {max(0, self.total - shown):,} bytes left out{kept()} ...]\n{tail}"


class Output:
    """Output of one command.

    Args:
        path: the file for all of it; made only when the model is not shown everything.
    """

    def __init__(self, path: Path) -> None:
        self._digest = blake2b(digest_size=16)
        self._path = path
        self._ends = Ends()
        self._spool: Spool | None = None

    def feed(self, data: bytes) -> None:
        self._digest.update(data)
        if self._spool is None and self._ends.total + len(data) > _HEAD + _TAIL:
            self.spool()
        if self._spool is not None:
            self._spool.write(data)
        self._ends.feed(data)

    @property
    def digest(self) -> str:
        """Hash of all that came, as facts have it."""
        return self._digest.hexdigest()

    def spool(self) -> Spool:
        """The file, with all that came so far."""
        if self._spool is None:
            self._spool = Spool(self._path)
            self._spool.write(self._ends.held)
        return self._spool

    def close(self) -> None:
        if self._spool is not None:
            self._spool.close()

    def text(self) -> str:
        """What the model is shown; where something is left out, a line says how much."""
        return self._ends.text(lambda: _where(self.spool()))


class News:
    """Output of a command in the background: what is new to the model, and all of it in a file.

    Args:
        path: the file; made with the first output.
        told: called when there is something new.

    Attributes:
        newest: when something last came, on the monotonic clock.
    """

    def __init__(self, path: Path, told: Callable[[], None]) -> None:
        self._digest = blake2b(digest_size=16)
        self._path = path
        self._told = told
        self._ends = Ends()
        self._held_back = 0
        self.newest = 0.0
        self._spool: Spool | None = None

    def feed(self, data: bytes) -> None:
        self._digest.update(data)
        if self._spool is None:
            self._spool = Spool(self._path)
        self._spool.write(data)
        self._ends.feed(data)
        self.newest = time.monotonic()
        self._told()

    @property
    def digest(self) -> str:
        """Hash of all that came, as facts have it."""
        return self._digest.hexdigest()

    @property
    def size(self) -> int:
        """Bytes that came since something was last shown."""
        return self._ends.total - self._held_back

    def take(self, *, last: bool) -> str:
        """What is new, cut as any output is. It counts as shown from now on.

        Args:
            last: no more will come, so that nothing need be held back.
        """
        ends, self._ends = self._ends, Ends()
        begun = b"" if last else ends.hold_back()
        self._ends.feed(begun)
        self._held_back = len(begun)
        return ends.text(self._kept)

    def _kept(self) -> str:
        if self._spool is None or self._spool.trouble or self._spool.left_out:
            return "" if self._spool is None else _where(self._spool)
        return f"; the output goes to {self._path}"

    def close(self) -> None:
        if self._spool is not None:
            self._spool.close()


def _where(spool: Spool) -> str:
    """Where what is left out can be read."""
    if spool.trouble:
        return f"; the output was not kept: {spool.trouble}"
    if spool.left_out:
        return f"; the first and the last part of the output are in {spool.path}"
    return f"; the whole output is in {spool.path}"


def _first(text: str, size: int) -> str:
    """The beginning, up to the end of a line where one is near."""
    end = text.rfind("\n", size // 2, size)
    return text[: end if end != -1 and len(text) > size else size].rstrip("\n")


def _last(text: str, size: int) -> str:
    start = text.find("\n", len(text) - size, len(text) - size // 2)
    return text[start + 1 :] if start != -1 and len(text) > size else text[-size:]


def _ends_anywhere(text: str) -> str:
    """Lines cut; of the last one, which goes on somewhere, the beginning."""
    rest, newline, last = text.rpartition("\n")
    return f"{cut_lines(rest)}{newline}{last[:LONGEST_LINE]}"


def _begins_anywhere(text: str) -> str:
    """Lines cut; of the first one, which began somewhere, the end."""
    first, newline, rest = text.partition("\n")
    return f"{first[-LONGEST_LINE:]}{newline}{cut_lines(rest)}"
