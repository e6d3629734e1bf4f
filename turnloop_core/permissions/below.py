"""What lies below a folder that is touched as a whole: does a rule speak of any of it?"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase

from turnloop_core.permissions.matching import Matcher, Target, may_match, needles_of
from turnloop_core.permissions.rules import Rule
from turnloop_core.types.subjects import Subject

MOST = 20_000  # entries that are looked at: about a tenth of a second


def find_below(
    subject: Subject, target_of: Callable[[Subject], Target], matchers: Sequence[Matcher]
) -> tuple[str, Rule | None] | None:
    """The first file below a path subject that a rule speaks of.

    Args:
        subject: a folder that is touched with what lies below it.
        target_of: makes a subject ready for matching.
        matchers: of the rules that bind subjects of its kind.

    Returns:
        The file and the rule; no rule when there is too much to look at; None when none speaks.
    """
    if not matchers:
        return None
    needles = needles_of(matchers)
    for count, (path, real) in enumerate(_below(subject.narrow, hidden=subject.deep == "all")):
        if count >= MOST:
            return subject.narrow, None
        if not may_match(needles, real) or not touches(subject, path):
            continue
        target = target_of(Subject(subject.kind, real, display=path))
        for matcher in matchers:
            if matcher.covers(target):
                return path, matcher.rule
    return None


def touches(subject: Subject, path: str) -> bool:
    """Whether a file below a folder has a name of those that are touched."""
    name = path.rpartition("/")[2].lower()
    return not subject.only or any(fnmatchcase(name, glob.lower()) for glob in subject.only)


def _below(folder: str, *, hidden: bool) -> Iterator[tuple[str, str]]:
    """Everything below a folder, and where it leads by links; linked folders are not entered."""
    waiting = [folder]
    while waiting:
        try:
            entries = sorted(os.scandir(waiting.pop()), key=lambda entry: entry.name)
        except OSError:  # no folder, or one that cannot be listed: then nothing is read there
            continue
        for entry in entries:
            if entry.name.startswith(".") and not hidden:
                continue
            linked = entry.is_symlink()
            yield entry.path, os.path.realpath(entry.path) if linked else entry.path
            if not linked and entry.is_dir():
                waiting.append(entry.path)
