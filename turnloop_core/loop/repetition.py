"""Finds a text that goes on and on with the same words, while it streams."""

from __future__ import annotations

import re
from collections.abc import Sequence

FEWEST = 8  # times that a passage must come, however long it is
STEP = 2_048  # characters after which one looks again
TAIL = 64  # characters: where they stood before tells whether a closer look is worth it
KEPT = 32_768  # characters of the end that a closer look sees, with limits as large as the usual
ROOM = 16  # characters that a word may take, with what stands between it and the next
# Words, runs of one other sign and of blanks: all in pieces, since there are scripts without
# spaces, and models that go on with one exclamation mark until somebody stops them.
_WORD = re.compile(r"\w{1,8}|([^\w\s])\1{0,7}|\s{8}")


class Repetition:
    """Watches one text.

    A passage counts as repeated only where it follows itself without a change: tables and lists
    whose lines resemble each other are no repetition. A quick look (has the end of the text been
    there before?) comes first, since a close one at every word would cost more than decoding.

    Args:
        limit: words that one passage may fill by following itself; 0 for no limit. Punctuation
            counts as a word, and so do eight characters of a longer word or line.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = max(KEPT, ROOM * limit)
        self._step = max(STEP, self._kept // ROOM)
        self._end = ""  # of the text, as it was at the last look
        self._pieces: list[str] = []
        self._new = 0  # characters in them

    def feed(self, text: str) -> bool:
        """Whether the limit is found to be passed with this piece."""
        if not self._limit:
            return False
        self._pieces.append(text)
        self._new += len(text)
        return self._new >= self._step and self._look()

    def _look(self) -> bool:
        self._end = (self._end + "".join(self._pieces))[-self._kept :]
        self._pieces, self._new = [], 0
        if self._end.rfind(self._end[-TAIL:], 0, -1) < 0:
            return False
        words = [found.group() for found in _WORD.finditer(self._end)]
        return repeated(words[:-1], self._limit)  # the last one may not be whole


def repeated(words: Sequence[str], limit: int) -> bool:
    """Whether the words end in one passage that follows itself at least `FEWEST` times and fills
    at least `limit` words.
    """
    back = words[::-1]
    longest = len(back) // FEWEST  # passage that can have come often enough
    border = [0] * len(back)  # of the first n+1 words: the longest end that is also a beginning
    length = 0
    for place in range(1, len(back)):
        while length and back[place] != back[length]:
            length = border[length - 1]
        length += back[place] == back[length]
        border[place] = length
        filled = place + 1
        passage = filled - length
        if filled >= max(limit, FEWEST * passage):
            return True
        if passage > longest:  # the shortest passage of more words is never a shorter one
            return False
    return False
