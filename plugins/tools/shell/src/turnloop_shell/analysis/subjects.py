"""A command line as the subjects of a call."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from turnloop_core.api import Scope, Subject, SubjectKind
from turnloop_shell.analysis.state import State, Surroundings
from turnloop_shell.analysis.walk import TooMuchError, Walker

LONGEST = 128 * 1024  # what a system takes as one argument
_BLANKS = re.compile(r"[ \t]+")
_MEANINGFUL = frozenset("\"'\\`$\n\r")


def subjects_of(line: str, scope: Scope, names: Iterable[str] = ()) -> tuple[Subject, ...]:
    """What a command line touches.

    Args:
        line: for bash or a shell like it.
        scope: where it would run.
        names: variables that its programs inherit.

    Returns:
        A subject for each command that may run, wherever it stands, and for each file that is
        read or written as far as that can be seen. Where something cannot be known before it runs,
        one of the subjects is dynamic.
    """
    if len(line) > LONGEST:
        return (whole(line, f"it is longer than {LONGEST:,} characters"),)
    absolute = Scope(scope.root, scope.root, scope.home)
    around = Surroundings(
        str(scope.root), str(scope.home), frozenset(names), line.strip(), absolute
    )
    walker = Walker(around)
    try:
        doubts = walker.line(line, State((str(scope.cwd),)))
    except TooMuchError:
        doubts = ("it holds too many commands within commands to be looked through",)
    found = tuple(walker.found)
    if doubts or not found:
        reason = "; ".join(doubts) or "no command was found in it"
        found = (*found, whole(line, reason))
    return found


def whole(line: str, reason: str) -> Subject:
    """A line as one subject that nothing is known of."""
    text = _folded(line)
    first, blank, rest = text.partition(" ")
    wide = dict.fromkeys((line.strip(), f"{first.rpartition('/')[2]}{blank}{rest}"))
    subject = Subject(SubjectKind.COMMAND, text, display=line.strip(), dynamic=True, reason=reason)
    forms = tuple(form for form in wide if form and form != text)
    return replace(subject, wide=forms, exact=(line.strip(),))


def _folded(line: str) -> str:
    """The line without needless blanks, where it is certain that they are needless."""
    stripped = line.strip()
    return _BLANKS.sub(" ", stripped) if _MEANINGFUL.isdisjoint(stripped) else stripped
