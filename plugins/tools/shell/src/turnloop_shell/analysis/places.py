"""Words as paths: which files a word may name."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from itertools import islice, product

from turnloop_core.api import Subject, SubjectKind, TurnloopError, path_subject
from turnloop_shell.analysis.outputs import put_there
from turnloop_shell.analysis.state import State, Surroundings
from turnloop_shell.syntax.words import WILDCARDS, Literal, Unknown, Variable, Word, plain

MOST_MATCHES = 200
LISTED = Unknown("…", quoted=True)  # a name out of a list of files; see `lists.placed`
MOST_VALUES = 8

PIPE = "/dev/fd/63"  # what a process substitution puts there
# Reading these reads no file, and writing to them writes none.
FREE = frozenset(
    {"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/zero", "/dev/urandom", PIPE}
)


def resolved(word: Word, state: State, around: Surroundings) -> tuple[Word, ...]:
    """The words that a word with variables may be, as far as their values are known.

    A word of which something is not known comes back as it is.
    """
    if all(isinstance(part, Literal) for part in word.parts):
        return (word,)
    if word.nested and len(word.parts) == 1 and word.source.startswith(("<(", ">(")):
        return (Word((Literal(PIPE, quoted=True),), word.source),)
    choices: list[tuple[tuple[Literal | Unknown, ...], ...]] = []
    for part in word.parts:
        if isinstance(part, Literal):
            choices.append(((part,),))
            continue
        if isinstance(part, Variable):
            values = _values(part, state, around)
        else:
            values = put_there(word, state, around)
        if not values:
            return (word,)
        choices.append(values)
    found = [Word(tuple(p for row in rows for p in row), word.source) for rows in _rows(choices)]
    return tuple(found) if len(found) <= MOST_VALUES else (word,)


def assigned(value: Word, state: State, around: Surroundings) -> Word | None:
    """What a variable holds after `NAME=value`; None where that is not known."""
    choices = resolved(value, state, around)
    if len(choices) != 1:
        return None
    word = choices[0]
    if not word.tilde:
        return word
    first, slash, rest = word.text.partition("/")
    return plain(f"{around.home}{slash}{rest}") if first == "~" else None


def _rows(
    choices: list[tuple[tuple[Literal | Unknown, ...], ...]],
) -> list[tuple[tuple[Literal | Unknown, ...], ...]]:
    return list(islice(product(*choices), MOST_VALUES + 1))


def _values(
    variable: Variable, state: State, around: Surroundings
) -> tuple[tuple[Literal | Unknown, ...], ...] | None:
    """What a variable may stand for, as parts of a word; None when it is not known."""
    name = variable.name
    if name not in state.values:
        if name == "HOME":
            return ((Literal(around.home, quoted=True),),)
        if name == "PWD" and state.folders:
            return tuple((Literal(folder, quoted=True),) for folder in state.folders)
        return None
    found: list[tuple[Literal | Unknown, ...]] = []
    for assigned in state.values[name] or ():
        [value, *more] = resolved(assigned, state, around) if assigned.nested == () else [assigned]
        if value.parts and value.parts[-1] == LISTED and not more:
            found.append(tuple(p for p in value.parts if not isinstance(p, Variable)))
            continue
        if more or any(not isinstance(part, Literal) for part in value.parts):
            return None
        text = value.text
        if not variable.quoted and any(char.isspace() for char in text):
            return None  # it would become several words
        # Names that a pattern found are looked for again; a tilde in a value is a plain character.
        quoted = (variable.quoted and not value.wild) or text.startswith("~")
        found.append((Literal(text, quoted),))
    return tuple(found) or None


def path_subjects(
    word: Word,
    kind: SubjectKind,
    state: State,
    around: Surroundings,
) -> Iterator[Subject]:
    """The files that a word names, as subjects. What is not known is one dynamic subject."""
    for each in resolved(word, state, around):
        yield from _of_known(each, kind, state, around)


def _of_known(
    word: Word, kind: SubjectKind, state: State, around: Surroundings
) -> Iterator[Subject]:
    if any(not isinstance(part, Literal) for part in word.parts):
        yield unknown(word, kind)
        return
    text = word.text
    if text in FREE or not text:
        return
    if word.tilde:
        first = text.partition("/")[0]
        folders = {"~": (around.home,), "~+": state.folders}.get(first, ())
        if not folders:
            yield unknown(word, kind)
            return
        rest = text[len(first) :].lstrip("/")
        paths = [f"{folder}/{rest}" for folder in folders]
    elif text.startswith("/"):
        paths = [text]
    elif state.folders:
        paths = [f"{folder}/{text}" for folder in state.folders]
    else:
        yield unknown(word, kind, "it is relative to a folder that is not known")
        return
    for path in paths:
        yield from _matches(word, path, kind, around) if word.wild else (_one(path, kind, around),)


def unknown(word: Word, kind: SubjectKind, reason: str = "") -> Subject:
    """A path that only shows while the command runs."""
    reason = reason or "the path is not known before it runs"
    return Subject(kind, word.source, display=word.source, dynamic=True, reason=reason)


def _one(path: str, kind: SubjectKind, around: Surroundings) -> Subject:
    try:
        return path_subject(path, around.scope, kind)
    except TurnloopError as error:
        return Subject(kind, path, display=path, dynamic=True, reason=str(error))


def _matches(word: Word, path: str, kind: SubjectKind, around: Surroundings) -> Iterator[Subject]:
    """What is there now of a pattern, and the folder in which it is looked for."""
    pattern = glob.escape(path[: len(path) - len(word.text)]) + "".join(
        glob.escape(part.text) if isinstance(part, Literal) and part.quoted else part.text
        for part in word.parts
        if isinstance(part, Literal)
    )
    if word.tilde:
        pattern = path  # the home folder stands in front, with nothing of the word
    found = list(islice(glob.iglob(pattern), MOST_MATCHES + 1))  # noqa: PTH207 - text is wanted
    if len(found) > MOST_MATCHES:
        yield unknown(word, kind, f"more than {MOST_MATCHES} files match it")
        return
    places = [path.find(mark) for mark in WILDCARDS if mark in path]
    folder = os.path.dirname(path[: min(places)] + "x")  # noqa: PTH120 - kept as text
    yield _one(folder, SubjectKind.READ, around)
    for each in found or (path,):  # the shell hands on a pattern that matches nothing
        yield _one(each, kind, around)
