"""Finds a text that goes on and on with the same words, while it streams."""

from __future__ import annotations

import re
from collections import deque

GRAM = 4  # words by which a place is known again
FEWEST = 8  # times that a passage must come, however long it is
KEPT = 4_000  # places that are remembered: no passage that repeats is longer
PIECE = 256  # characters that are looked at together
_LONGEST_WORD = 32  # scripts without spaces, and noise, are cut into such pieces
_WORD = re.compile(rf"(?P<run>([^\w\s])\2*)|\w{{1,{_LONGEST_WORD}}}|\s{{64}}")


class Repetition:
    """Watches one text.

    A passage counts as repeated only where it follows itself without a change: tables and lists
    whose lines resemble each other are no repetition.

    Args:
        limit: words that one passage may fill by following itself; 0 for no limit. Punctuation
            counts as a word, a line of dashes as one.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._text = ""
        self._gram: deque[str] = deque(maxlen=GRAM)
        self._places: dict[int, int] = {}
        self._count = 0
        self._period = 0
        self._run = 0  # words in a row that repeat what stood `_period` words before

    def feed(self, text: str) -> bool:
        """Whether the limit is passed with this piece."""
        if not self._limit:
            return False
        self._text += text
        if len(self._text) < PIECE:
            return False
        whole, self._text = self._text[:-_LONGEST_WORD], self._text[-_LONGEST_WORD:]
        words = list(_WORD.finditer(whole))
        if words and words[-1].end() == len(whole):  # it may go on in what is left
            last = words.pop()
            self._text = whole[last.start() :] + self._text
        return any(self._word(found.group()) for found in words)

    def _word(self, word: str) -> bool:
        self._count += 1
        self._gram.append(word[:3] if not word[0].isalnum() else word)
        gram = hash(tuple(self._gram))
        last = self._places.get(gram)
        self._places[gram] = self._count
        if len(self._places) > 2 * KEPT:
            self._places = {g: n for g, n in self._places.items() if n > self._count - KEPT}
        period = self._count - last if last is not None else 0
        self._run = self._run + 1 if period and period == self._period else 0
        self._period = period
        filled = self._run + period
        return bool(period) and filled >= max(self._limit, FEWEST * period)
