"""Of what lies below a folder, what a command really touches, and which names it hands on.

`find` and `ls` show names, and read no file. A search leaves out hidden files, or keeps to files of
some names. What `find` hands to a program, by itself or through `xargs`, lies below its folders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from turnloop_shell.programs.making import HERE, one_of
from turnloop_shell.programs.use import Command, Touch, Use
from turnloop_shell.syntax.words import Literal, Word

# They read folders, not the files in them.
_LISTERS = one_of("ls gls dir vdir exa eza lsd tree find gfind fd fdfind du stat")
# They hand on lines of their input as they are.
_FILTERS = one_of("grep egrep fgrep head tail sort uniq cat tac shuf")
_EITHER = frozenset(("-o", "-or", ",", "!", "-not", "("))


def refined(command: Command, use: Use) -> Use:
    """The use of a command, what it touches narrowed to what is known of that."""
    name = command.name
    if name in _LISTERS:
        change = _NARROWED.get(name, _as_it_is)(command)
        reads = [touch for touch in use.touches if not touch.writes]
        handed = tuple(change(replace(touch, deep=True)) for touch in reads)
        touches = tuple(
            change(touch) if touch.writes else replace(touch, deep=False) for touch in use.touches
        )
        return replace(use, touches=touches, lists=handed)
    deep = any(touch.deep and not touch.writes for touch in use.touches)
    if not deep and not _prints_names(command):
        return use
    change = _NARROWED.get(name, _as_it_is)(command)
    touches = tuple(t if t.writes or not t.deep else change(t) for t in use.touches)
    handed = tuple(t for t in touches if t.deep and not t.writes)
    if name == "git" and not handed:
        handed = (change(Touch(HERE, deep=True)),)
    return replace(use, touches=touches, lists=handed if _prints_names(command) else ())


def passes_on(command: Command) -> bool:
    """Whether what it prints are lines of its input, unchanged."""
    if command.name not in _FILTERS:
        return False
    words = command.words[1:]
    if command.name.endswith("grep"):  # a pattern, and options that leave lines as they are
        plain = [w for w in words if not w.text.startswith("-")]
        return len(plain) == 1 and all(
            word.text in ("-v", "-E", "-F", "-i", "-e", "-q", "-vE")
            for word in words
            if word not in plain
        )
    return all(word.text.startswith("-") or word.text.isdigit() for word in words)


def _as_it_is(_: Command) -> Callable[[Touch], Touch]:
    return lambda touch: touch


def _prints_names(command: Command) -> bool:
    """`grep -l`, `rg --files`: names of files, one a line."""
    for word in command.words[1:]:
        text = word.text
        if text in ("--files", "--files-with-matches", "--files-without-match", "ls-files"):
            return True
        if text.startswith("-") and not text.startswith("--") and "l" in text[1:]:
            return True
    return False


def _rg(command: Command) -> Callable[[Touch], Touch]:
    hidden = any(
        word.text in ("--hidden", "-.", "--unrestricted")
        or (word.text.startswith("-") and not word.text.startswith("--") and "u" in word.text)
        or not (word.known or word.prefix)
        for word in command.words[1:]
    )
    only = _positive(_values(command, ("-g", "--glob", "--iglob")))
    return lambda touch: replace(touch, visible=not hidden, only=only)


def _grep(command: Command) -> Callable[[Touch], Touch]:
    only = _positive(_values(command, ("--include",)))
    return lambda touch: replace(touch, only=only)


def _tracked(_: Command) -> Callable[[Touch], Touch]:
    return lambda touch: replace(touch, visible=True)


def _find(command: Command) -> Callable[[Touch], Touch]:
    """One name that every file must have; with any choice in the expression none is certain."""
    words = command.words[1:]
    if any(word.text in _EITHER or not word.known for word in words):
        return lambda touch: touch
    only = _positive(_values(command, ("-name", "-iname")))[:1]
    return lambda touch: replace(touch, only=only)


_NARROWED: Mapping[str, Callable[[Command], Callable[[Touch], Touch]]] = MappingProxyType(
    {
        "rg": _rg,
        "ag": _rg,
        "fd": _rg,
        "fdfind": _rg,
        "grep": _grep,
        "egrep": _grep,
        "fgrep": _grep,
        "ggrep": _grep,
        "find": _find,
        "gfind": _find,
        "git": _tracked,
    }
)


def _values(command: Command, names: tuple[str, ...]) -> list[Word]:
    """The values of options, glued or not."""
    found: list[Word] = []
    words = command.words[1:]
    for place, word in enumerate(words):
        if word.text in names:
            found += words[place + 1 : place + 2]
        for name in names:
            glue = f"{name}=" if name.startswith("--") else name
            if word.text.startswith(glue) and word.text != name:
                found.append(word.without(len(glue)))
    return found


def _positive(words: list[Word]) -> tuple[str, ...]:
    """Globs for names; none where one of them is no plain glob, since then more may be meant."""
    globs = []
    for word in words:
        text = word.text
        plain = all(isinstance(part, Literal) for part in word.parts)
        if text.startswith("!"):
            continue
        if not text or not plain or "/" in text or "{" in text:
            return ()
        globs.append(text)
    return tuple(globs)
