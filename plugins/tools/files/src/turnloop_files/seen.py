"""What the model knows of a file, by content: facts say which bytes it saw last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from enum import Enum
from functools import cache
from hashlib import blake2b

from turnloop_core.api import Fact, ReadRange, WroteFile

_ONE_COPY = 256 * 1024
_ALL_COPIES = 4 * 1024 * 1024


class State(Enum):
    """How the file on disk stands to what the model last saw of it."""

    CURRENT = "current"
    CHANGED = "changed"
    UNREAD = "unread"  # never read, or changed since and then edited without being read


def digest_of(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def last_seen(facts: Sequence[Fact], path: str) -> str | None:
    """Digest of the file when the model last read or wrote it, None when it never did."""
    for fact in reversed(facts):
        if isinstance(fact, (ReadRange, WroteFile)) and fact.path == path:
            return fact.digest
    return None


class Copies:
    """Recent contents by digest, within a bound: the old side of "what changed since".

    They are looked up by content alone, so sessions that share one learn nothing of each other.
    """

    def __init__(self) -> None:
        self._by_digest: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self._unseen: set[tuple[str, str]] = set()

    def keep(self, digest: str, data: bytes) -> None:
        if len(data) > _ONE_COPY:
            return
        self._size += len(data) - len(self._by_digest.pop(digest, b""))
        self._by_digest[digest] = data
        while self._size > _ALL_COPIES:
            _, dropped = self._by_digest.popitem(last=False)
            self._size -= len(dropped)

    def get(self, digest: str) -> bytes | None:
        return self._by_digest.get(digest)

    def mark_unseen(self, path: str, digest: str) -> None:
        """An edit made this content out of one that the model does not know as a whole."""
        self._unseen.add((path, digest))

    def mark_seen(self, path: str, digest: str) -> None:
        self._unseen.discard((path, digest))

    def state(self, facts: Sequence[Fact], path: str, now: str) -> State:
        seen = last_seen(facts, path)
        if seen is None or (seen == now and (path, now) in self._unseen):
            return State.UNREAD
        return State.CURRENT if seen == now else State.CHANGED


@cache
def copies() -> Copies:
    """The copies of this process: Read fills them, Write and Edit compare with them."""
    return Copies()
