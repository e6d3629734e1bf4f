"""Gathers output within a bound: its beginning and its end for the model, all of it in a file."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

from turnloop_shell.clean import LONGEST_LINE, clean, cut_lines, decode
from turnloop_shell.spool import Spool

SHOWN_HEAD = 12_000
SHOWN_TAIL = 12_000
# Raw bytes held. More than is shown, since progress bars and colours shrink when they are cleaned.
_HEAD = 64 * 1024
_TAIL = 192 * 1024


class Output:
    """Output of one command.

    Args:
        path: the file for all of it; made only when the model is not shown everything.
    """

    def __init__(self, path: Path) -> None:
        self.total = 0
        self._digest = blake2b(digest_size=16)
        self._path = path
        self._head = bytearray()
        self._tail = bytearray()
        self._spool: Spool | None = None

    def feed(self, data: bytes) -> None:
        self.total += len(data)
        self._digest.update(data)
        if self._spool is not None:
            self._spool.write(data)
        elif self.total > _HEAD + _TAIL:
            self.spool().write(data)
        room = _HEAD - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * _TAIL:
            del self._tail[:-_TAIL]

    @property
    def digest(self) -> str:
        """Hash of all that came, as facts have it."""
        return self._digest.hexdigest()

    def spool(self) -> Spool:
        """The file, with all that came so far."""
        if self._spool is None:
            self._spool = Spool(self._path)
            self._spool.write(self._head)
            self._spool.write(self._tail)
        return self._spool

    def close(self) -> None:
        if self._spool is not None:
            self._spool.close()

    def text(self) -> str:
        """What the model is shown; where something is left out, a line says how much."""
        if self.total <= len(self._head) + len(self._tail):
            text = cut_lines(clean(decode(bytes(self._head + self._tail))))
            if len(text) <= SHOWN_HEAD + SHOWN_TAIL:
                return text.rstrip("\n")
            head, tail = text, text
            self.spool()
        else:
            head = _ends_anywhere(clean(decode(bytes(self._head), to_middle=True)))
            tail = _begins_anywhere(clean(decode(bytes(self._tail[-_TAIL:]), from_middle=True)))
        head, tail = _first(head, SHOWN_HEAD), _last(tail.rstrip("\n"), SHOWN_TAIL)
        shown = len(head.encode()) + len(tail.encode())
        return (
            f"{head}\n[... {max(0, self.total - shown):,} bytes left out{self._kept()} ...]\n{tail}"
        )

    def _kept(self) -> str:
        spool = self.spool()
        if spool.trouble:
            return f"; they could not be kept: {spool.trouble}"
        if spool.left_out:
            return f"; the first and the last part of the output are in {self._path}"
        return f"; the whole output is in {self._path}"


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
