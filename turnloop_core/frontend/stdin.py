"""Text that is piped in.

`git diff | tl -p "review this"` sends the prompt, a blank line, and the text. Nobody knows whether
a pipe will ever carry anything, so waiting has bounds: `FIRST` seconds for the first byte, `NEXT`
between two pieces. After the first bound the pipe is ignored; after the second what came is used.
Both are said. A command that takes longer goes in as `command | tl -p "explain: $(cat)"`, where
the shell waits.
"""

from __future__ import annotations

import os
import queue
import sys
import threading

from turnloop_core.errors import UsageError
from turnloop_core.frontend.console import is_terminal
from turnloop_core.values import dataclass

FIRST = 1.0
NEXT = 10.0
THREAD = "piped text"
LARGEST = 1_000_000  # bytes; what a window can hold is smaller still


@dataclass(frozen=True, slots=True)
class Piped:
    """What came: `text`, and a `notice` for the user when a bound cut the waiting short."""

    text: str = ""
    notice: str = ""
    complete: bool = True


def read_piped(first: float = FIRST, following: float = NEXT) -> Piped:
    """Text on standard input, when it is not a terminal.

    Raises:
        UsageError: it is larger than `LARGEST`.
    """
    if sys.stdin is None or is_terminal(sys.stdin):
        return Piped()
    pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    # A thread, since pipes cannot be polled everywhere; it ends with the process.
    threading.Thread(
        target=_pump, args=(sys.stdin.fileno(), pieces), name=THREAD, daemon=True
    ).start()
    data = b""
    while True:
        try:
            piece = pieces.get(timeout=following if data else first)
        except queue.Empty:
            return _late(data, first, following)
        data += piece
        if not piece:
            return Piped(data.decode(errors="replace"))
        if len(data) > LARGEST:
            raise UsageError(
                f"more than {LARGEST:,} bytes were piped in",
                hint="save them to a file, and name the file in the prompt",
            )


def _pump(descriptor: int, pieces: queue.SimpleQueue[bytes]) -> None:
    size = 0
    while size <= LARGEST:  # nobody reads more, and the descriptor may soon be something else
        try:
            piece = os.read(descriptor, 65_536)
        except OSError:
            piece = b""
        size += len(piece)
        pieces.put(piece)
        if not piece:
            return


def _late(data: bytes, first: float, following: float) -> Piped:
    if not data:
        return Piped(
            notice=f"standard input is open, but nothing came within {first:g} s: it is ignored "
            '(close it with </dev/null; for a slow command: | tl -p "...: $(cat)")'
        )
    return Piped(
        data.decode(errors="replace"),
        notice=f"nothing more was piped in for {following:g} s: going on with what came",
        complete=False,
    )


def join(prompt: str, piped: Piped) -> str:
    """The prompt with the piped text under it."""
    if not piped.text.strip():
        return prompt
    text = piped.text.rstrip("\n")
    if not piped.complete:
        text += "\n[the input ended here without being closed: there may have been more]"
    return f"{prompt}\n\n{text}" if prompt.strip() else text
