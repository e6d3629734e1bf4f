"""What the model knows of a file, by content: facts say which bytes it saw last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from enum import Enum
from hashlib import blake2b
from typing import Any

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


def state_of(facts: Sequence[Fact], path: str, now: str) -> State:
    """How the content with the digest `now` stands to what the model knows of the file."""
    for fact in reversed(facts):
        if isinstance(fact, (ReadRange, WroteFile)) and fact.path == path:
            if fact.digest != now:
                return State.CHANGED
            known = isinstance(fact, ReadRange) or fact.known
            return State.CURRENT if known else State.UNREAD
    return State.UNREAD


class Copies:
    """Recent contents by digest, within a bound: the old side of "what changed since".

    They are looked up by content alone, so sessions that share one learn nothing of each other.
    """

    def __init__(self) -> None:
        self._by_digest: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0

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


def copies_in(shared: dict[str, Any]) -> Copies:
    """The copies of a session: Read fills them, Write and Edit compare with them."""
    copies: Copies = shared.setdefault("copies", Copies())
    return copies
