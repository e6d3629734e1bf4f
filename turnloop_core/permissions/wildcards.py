"""Wildcards in text. No regular expressions where `*` is all there is: those cost at start-up."""

from __future__ import annotations

import re

MAX_ALTERNATIVES = 100

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_CLASS = re.compile(r"\[(?P<negated>[!^]?)(?P<body>\]?[^\]]+)\]")
_BLANKS = re.compile(r"[ \t]+")


def fold_blanks(text: str) -> str:
    """Runs of blanks as one, none at the ends. Line ends stay: they separate commands."""
    return _BLANKS.sub(" ", text.strip())


def pieces_match(pieces: tuple[str, ...], text: str) -> bool:
    """Whether `text` is the pieces in order, with anything between two neighbours."""
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1:
        return text == first
    start, end = len(first), len(text) - len(last)
    if end < start or not text.startswith(first) or not text.endswith(last):
        return False
    for piece in pieces[1:-1]:
        found = text.find(piece, start, end)
        if found < 0:
            return False
        start = found + len(piece)
    return True


def expand_braces(text: str) -> tuple[str, ...]:
    """The alternatives of `{a,b}` groups; at most a few more than `MAX_ALTERNATIVES` of them."""
    waiting: list[str] = [text]
    done: list[str] = []
    while waiting and len(waiting) + len(done) <= MAX_ALTERNATIVES:
        current = waiting.pop()
        group = _BRACES.search(current)
        if group is None:
            done.append(current)
            continue
        before, after = current[: group.start()], current[group.end() :]
        waiting.extend(before + choice + after for choice in group[1].split(","))
    return (*done, *waiting)


def name_regex(pattern: str, *, classes: bool) -> re.Pattern[str]:
    """A pattern for one name that holds `?`, or `[abc]` where `classes` are understood."""
    parts, place = [], 0
    while place < len(pattern):
        found = _CLASS.match(pattern, place) if classes else None
        if found:
            body = re.sub(r"([\\\[\]^&~|])", r"\\\1", found["body"])
            parts.append(f"[{'^' if found['negated'] else ''}{body}]")
            place = found.end()
            continue
        parts.append({"*": ".*", "?": "."}.get(pattern[place], re.escape(pattern[place])))
        place += 1
    try:
        return re.compile("".join(parts), re.DOTALL)
    except re.error:  # a range that runs backwards, say: then the brackets are plain characters
        return name_regex(pattern, classes=False)
