"""Ids of calls that the server takes, whoever made the calls."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from string import ascii_letters, digits

_SHORT = re.compile(r"[a-zA-Z0-9]{9}")
_PLAIN = re.compile(r"[a-zA-Z0-9_-]{1,40}")  # 40: the limit of the strictest server
_LETTERS = digits + ascii_letters


def wire_ids(ids: Sequence[str], *, own: bool, short: bool) -> Sequence[str]:
    """What to send for the ids of one reply: in their order, and still different from each other.

    The same ids always give the same, so that what was sent stays as it was.

    Args:
        ids: as the reply has them.
        own: the model that is asked made this reply. Its ids go back as they came, however odd:
            some servers keep data of theirs in them, and names of tools.
        short: nine letters and digits, nothing else.
    """
    good = [bool(_SHORT.fullmatch(i)) if short else own or bool(_PLAIN.fullmatch(i)) for i in ids]
    taken = {call_id for call_id, fine in zip(ids, good, strict=True) if fine}
    sent: list[str] = []
    for call_id, fine in zip(ids, good, strict=True):
        made, salt = call_id, 0
        while not fine and (made == call_id or made in taken):
            made, salt = _made(f"{salt}{call_id}", short=short), salt + 1
        taken.add(made)
        sent.append(made)
    return sent


def _made(text: str, *, short: bool) -> str:
    number = int.from_bytes(sha256(text.encode("utf-8", "replace")).digest(), "big")
    letters: list[str] = []
    for _ in range(9 if short else 20):
        number, place = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[place])
    return ("" if short else "call_") + "".join(letters)
