"""What Write and Edit would write, for the user to judge before it is done.

Nothing is changed, and the file is opened as it would be for the call itself: along its real path,
plain files only, without waiting. What the model may read is not asked here: only the user sees it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from turnloop_core.api import Subject, open_checked
from turnloop_files import match, sniff
from turnloop_files.diff import readable
from turnloop_files.document import Document, decode, split_lines
from turnloop_files.plan import Change, Plan, plan

LARGEST = 4 * 1024 * 1024  # bytes of either side; more is not compared while the user waits
MOST_LINES = 400
_WIDEST = 2_000


def of_write(subject: Subject, content: str, shown: str) -> str:
    """The head of a new file, or the diff from the one that stands there."""
    try:
        old = _read(subject)
    except FileNotFoundError:
        return f"(a new file)\n{_head(content)}" if content else "(a new file, empty)"
    if old is None or len(content) > LARGEST:
        return f"(a large file is replaced)\n{_head(content)}"
    if sniff.picture(old) or sniff.binary(old, shown):
        return f"(a file that is no text is replaced)\n{_head(content)}"
    return readable(decode(old).text, content, shown) or "(nothing would change)"


def of_edit(subject: Subject, changes: Sequence[Change], shown: str) -> str:
    """The diff that the edits would make, or that they do not fit the file as it is."""
    document = _text(subject, shown)
    if document is None or any(not change.old for change in changes):
        return ""
    if sum(len(change.old) + len(change.new) for change in changes) > LARGEST:
        return ""
    planned = plan(document.text, changes)
    return _misfit(planned) or readable(document.text, planned.text, shown)


def _misfit(planned: Plan) -> str:
    if planned.misfits or planned.clashes:
        return "(as the file stands, this edit does not fit: nothing would be written)"
    return "" if planned.made else "(nothing would change)"


def _text(subject: Subject, shown: str) -> Document | None:
    try:
        data = _read(subject)
    except FileNotFoundError:
        return None
    if data is None or sniff.picture(data) or sniff.binary(data, shown):
        return None
    return decode(data)


def _read(subject: Subject) -> bytes | None:
    """The file, None when it is too large."""
    with open_checked(subject, "rb") as file:
        if os.fstat(file.fileno()).st_size > LARGEST:
            return None
        data = file.read(LARGEST + 1)
    return data if len(data) <= LARGEST else None


def _head(content: str) -> str:
    lines = split_lines(match.Folded.of(content[: MOST_LINES * _WIDEST]).text)
    shown = [f"+{line[:_WIDEST]}" for line in lines[:MOST_LINES]]
    more = content.count("\n") + (content[-1:] not in ("", "\n")) - len(shown)
    return "\n".join([*shown, *([f"({more:,} more lines)"] if more > 0 else [])])
