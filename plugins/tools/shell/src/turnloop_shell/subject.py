"""What permission is asked for: the command as a whole."""

from __future__ import annotations

import re

from turnloop_core.api import Subject, SubjectKind

_BLANKS = re.compile(r"[ \t]+")
# Where one of these stands, blanks may be part of a word, and a line end may end a command.
_MEANINGFUL = frozenset("\"'\\`$\n\r")
_REASON = "it is judged as a whole"


def command_subject(command: str) -> Subject:
    """The one subject of a command line, which no rule but an equal one allows.

    Deny and ask rules also see it as it was written, and with the bare name of its program.
    """
    narrow = folded(command)
    first, blank, rest = narrow.partition(" ")
    wide = dict.fromkeys((command.strip(), f"{first.rpartition('/')[2]}{blank}{rest}"))
    return Subject(
        SubjectKind.COMMAND,
        narrow,
        tuple(form for form in wide if form and form != narrow),
        display=command.strip(),
        dynamic=True,
        reason=_REASON,
    )


def folded(command: str) -> str:
    """The command without needless blanks, where it is certain that they are needless."""
    stripped = command.strip()
    if _MEANINGFUL.isdisjoint(stripped):
        return _BLANKS.sub(" ", stripped)
    return stripped
