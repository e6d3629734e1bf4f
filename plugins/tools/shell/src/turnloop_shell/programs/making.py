"""Small helpers with which a `Use` is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MappingProxyType

from turnloop_shell.programs.use import Code, Command, Effect, Runs, Touch, Use
from turnloop_shell.syntax.words import Literal, Word, plain

Handler = Callable[[Command], Use]

_ORDER = tuple(Effect)
_VERBS = MappingProxyType({"r": (False, False), "w": (True, False), "c": (True, True)})


def worst(*effects: Effect) -> Effect:
    """The effect that reaches furthest."""
    return max(effects, key=_ORDER.index)


def dynamic(
    reason: str,
    *,
    effect: Effect = Effect.UNKNOWN,
    runs: tuple[Runs, ...] = (),
    code: tuple[Code, ...] = (),
    touches: tuple[Touch, ...] = (),
    forms: tuple[tuple[Word, ...], ...] = (),
) -> Use:
    """A use of which nobody can tell what it runs; what is known of it still counts."""
    return Use(effect, code, runs, touches, forms, dynamic=reason, doubt=reason)


def unknown(name: str) -> Use:
    return Use(doubt=f"it is not known what `{name}` does")


def network(name: str) -> Use:
    return Use(Effect.NETWORK, doubt=f"`{name}` talks to other machines")


def beyond(why: str) -> Use:
    """It reaches beyond the project: other processes, the system, settings."""
    return Use(doubt=why)


def touch(how: str, words: Iterable[Word], *, deep: bool = False) -> tuple[Touch, ...]:
    """Touches: `how` is "r" for read, "w" for written, "c" for changed (read and written)."""
    writes, reads = _VERBS[how]
    return tuple(Touch(word, writes=writes, deep=deep, reads=reads) for word in words)


def text_of(words: Iterable[Word]) -> str | None:
    """The words joined by blanks, as `eval` joins them; None where one is not known."""
    found = []
    for word in words:
        if not word.known or word.tilde:
            return None
        found.append(word.text)
    return " ".join(found)


def code_text(word: Word) -> str | None:
    return text_of((word,))


def joined(folder: Word | None, path: Word) -> Word:
    """`path` as it is meant by a program that works in `folder`."""
    if folder is None or path.tilde or path.prefix.startswith("/"):
        return path
    if path.known and path.text in (".", ""):
        return folder
    parts = (*folder.parts, Literal("/", quoted=True), *path.parts)
    return Word(parts, f"{folder.source}/{path.source}", (*folder.nested, *path.nested))


HERE = plain(".")


def one_of(names: str) -> frozenset[str]:
    """Names divided by blanks, as a set."""
    return frozenset(names.split())
