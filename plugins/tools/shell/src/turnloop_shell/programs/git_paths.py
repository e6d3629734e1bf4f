"""Paths as git takes them: patterns of its own, and words that begin with a colon."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from turnloop_shell.programs.making import HERE
from turnloop_shell.programs.use import Touch
from turnloop_shell.syntax.words import Literal, Word, plain

_MAGIC = re.compile(r":(?:\((?P<long>[^)]*)\)|(?P<short>[/!^]+):?|)(?P<path>.*)", re.DOTALL)
_WILD = re.compile(r"[*?\[]")


def is_magic(word: Word) -> bool:
    return word.prefix.startswith(":")


def shown_path(word: Word) -> Word:
    """The path that an operand shows: `rev:path` names one; a bare name may be one."""
    if word.known and not word.text.startswith(":"):
        _, colon, path = word.text.partition(":")
        if colon and path:
            return plain(path)
        return word
    if word.known:  # `:path`, `:0:path`: of the index; `:/text`, `:(magic)`: none
        path = word.text[1:]
        path = path[2:] if path[1:2] == ":" else path
        return plain(path) if path and path[0] not in "/(!^" else word
    return word if isinstance(word.parts[0], Literal) else plain(".")


def named(
    words: Iterable[Word], *, writes: bool = False, deep: bool = False, visible: bool = False
) -> Iterator[Touch]:
    """The files that these name, for a command that works on them."""
    for word in words:
        path = _plain_path(word) if is_magic(word) else word
        if path is None:
            continue
        pattern = _pattern(path, writes)
        yield pattern or Touch(path, writes, deep, visible=visible)


def everywhere(words: Iterable[Word]) -> bool:
    """Whether one of them names files from the top of the repository on."""
    found = (_MAGIC.fullmatch(word.text) for word in words if is_magic(word))
    return any(f and ("/" in (f["short"] or "") or "top" in (f["long"] or "")) for f in found)


def _plain_path(word: Word) -> Word | None:
    """What a word with a colon in front names; None for what it leaves out."""
    found = _MAGIC.fullmatch(word.text) if word.known else None
    if found is None:
        return HERE
    if "exclude" in (found["long"] or "") or set(found["short"] or "") & set("!^"):
        return None
    return plain(found["path"]) if found["path"] else HERE


def _pattern(word: Word, writes: bool) -> Touch | None:
    """git finds what a quoted pattern means, names that begin with a dot among them."""
    quoted = any(isinstance(p, Literal) and p.quoted and _WILD.search(p.text) for p in word.parts)
    found = _WILD.search(word.text) if quoted and word.known else None
    if found is None:
        return None
    folder, slash, _ = word.text[: found.start()].rpartition("/")
    rest = word.text[len(folder) + len(slash) :]
    base = plain(folder or slash) if slash else HERE
    return Touch(base, writes, deep=True, only=() if "/" in rest else (rest,))
