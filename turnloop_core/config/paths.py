"""Keys of settings as paths, and as the user sees them: `providers.local.model`."""

from __future__ import annotations

import re
from collections.abc import Sequence

KeyPath = tuple[str | int, ...]

_PLAIN = re.compile(r"[^\s.\"\[\]]+")
_PART = re.compile(r'"((?:[^"\\]|\\.)*)"|([^."\[\]]+)')


def dotted(path: KeyPath) -> str:
    """`("a", "b.c", 0)` -> `a."b.c"[0]`."""
    out = ""
    for part in path:
        if isinstance(part, int):
            out += f"[{part}]"
            continue
        plain = part if _PLAIN.fullmatch(part) else _quote(part)
        out += f".{plain}" if out else plain
    return out


def _quote(part: str) -> str:
    return '"' + part.replace("\\", "\\\\").replace('"', '\\"') + '"'


def parse_key(key: str | Sequence[str]) -> tuple[str, ...]:
    """The path of a dotted key; a part with a dot in it stands in double quotes.

    Raises:
        ValueError: the key has an empty part or a quote that does not close.
    """
    if not isinstance(key, str):
        parts = tuple(key)
        if not parts:
            raise ValueError("the key is empty")
        return parts
    parts_read: list[str] = []
    at = 0
    while True:
        match = _PART.match(key, at)
        if match is None:
            raise ValueError(f"{key!r} is not a key")
        quoted, plain = match.groups()
        parts_read.append(plain if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
        at = match.end()
        if at == len(key):
            return tuple(parts_read)
        if key[at] != ".":
            raise ValueError(f"{key!r} is not a key")
        at += 1
