"""Which record numbers were seen: in a sound log they are 1, 2, 3 ..., and cost no memory."""

from __future__ import annotations


class Numbers:
    """A set of record numbers that is small as long as they follow each other.

    Attributes:
        highest: the largest number seen, 0 at first.
    """

    __slots__ = ("_beyond", "_through", "highest")

    def __init__(self) -> None:
        self.highest = 0
        self._through = 0  # everything from 1 to here was seen
        self._beyond: set[int] = set()  # and these, after a gap

    def add(self, number: int) -> bool:
        """Note a number; False when it was seen before or cannot be one."""
        if number <= self._through or number in self._beyond:
            return False
        self.highest = max(self.highest, number)
        if number > self._through + 1:
            self._beyond.add(number)
            return True
        self._through = number
        while self._beyond and self._through + 1 in self._beyond:
            self._through += 1
            self._beyond.remove(self._through)
        return True
