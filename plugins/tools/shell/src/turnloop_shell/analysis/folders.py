"""Folders that a command line goes to, and what they may bring."""

from __future__ import annotations

import os
from collections.abc import Sequence

from turnloop_core.api import SubjectKind
from turnloop_shell.analysis.places import path_subjects
from turnloop_shell.analysis.state import State, Surroundings
from turnloop_shell.syntax.words import Word


def targets(word: Word, state: State, around: Surroundings) -> tuple[str, ...]:
    """The folders that `cd WORD` may lead to; none where that is not known.

    A shell takes `..` away as text, the system follows links first: both are named.
    """
    found: list[str] = []
    for subject in path_subjects(word, SubjectKind.READ, state, around):
        if subject.dynamic:
            return ()
        found.append(subject.narrow)
        found += [form for form in subject.wide[:1] if ".." in word.text]
    return tuple(dict.fromkeys(found))


def is_below(path: str, folder: str) -> bool:
    """Whether a real path is a folder, or lies below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def other_repository(folders: Sequence[str], root: str) -> bool:
    """Whether git would find another repository than the project's in one of these folders."""
    return not folders or any(_has_its_own(folder, root) for folder in folders)


def _has_its_own(folder: str, root: str) -> bool:
    while folder != root:
        if _is_repository(folder):
            return True
        above = os.path.dirname(folder)  # noqa: PTH120 - kept as text
        if not is_below(above, root):
            return True  # outside the project
        folder = above
    return False


def _is_repository(folder: str) -> bool:
    if os.path.lexists(f"{folder}/.git"):
        return True
    return all(os.path.lexists(f"{folder}/{name}") for name in ("HEAD", "objects", "refs"))
