"""Tells the front end what a running command writes: whole lines, not too often, not too much."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from turnloop_shell.clean import clean, cut_lines, decode

PAUSE = 0.1
_MOST = 4_000


class Progress:
    """Gathers output and gives on its newest lines every tenth of a second."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._new = bytearray()
        self._skipped = False
        self._timer: asyncio.TimerHandle | None = None

    def feed(self, data: bytes) -> None:
        self._new += data[-_MOST:]
        if len(self._new) > 2 * _MOST:
            del self._new[:-_MOST]
            self._skipped = True
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(PAUSE, self._flush)

    def _flush(self) -> None:
        self._timer = None
        end = max(self._new.rfind(b"\n"), self._new.rfind(b"\r")) + 1
        if not end and len(self._new) < _MOST:
            return  # a line that is still being written
        lines = bytes(self._new[: end or None])
        del self._new[: end or None]
        text = cut_lines(clean(decode(lines, from_middle=self._skipped, to_middle=True)))
        self._skipped = False
        if text.strip():
            self._tell(text.rstrip("\n"))

    def stop(self) -> None:
        """Say no more: what is left is part of the result."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
