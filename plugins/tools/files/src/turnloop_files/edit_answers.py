"""What Edit says: what was done, or why nothing was."""

from __future__ import annotations

from collections.abc import Sequence

from turnloop_core.api import Result
from turnloop_files.answers import RefusedError, join_numbers, plural
from turnloop_files.edit_arguments import MOST_EDITS
from turnloop_files.plan import EXPLAINED, Change, Misfit, Plan

_MOVE_ON = "Read the file again if you are not sure, and move on."


def done(shown: str, plan: Plan, total: int) -> str:
    """The edit was made."""
    lines = plan.lines
    if total > 1:
        made, places = len(plan.made), len(lines)
        counted = plural(made, "edit")
        if places != made:
            counted += f", {plural(places, 'replacement')}"
        return f"edited {shown}: {counted} at {_at(lines)}"
    if len(lines) == 1:
        return f"edited {shown} at line {lines[0]}"
    return f"edited {shown}: {len(lines):,} replacements at {_at(lines)}"


def _at(lines: Sequence[int]) -> str:
    distinct = list(dict.fromkeys(lines))
    return f"line{'s' if len(distinct) > 1 else ''} {join_numbers(distinct)}"


def left_out(plan: Plan) -> list[str]:
    """Notes on those of several edits that had nothing to do."""
    notes = [
        f"edit {number} was already applied: its new text stands at line {line}"
        for number, line in list(plan.already.items())[:EXPLAINED]
    ]
    rest = list(plan.already)[EXPLAINED:]
    if rest:
        were = "were" if len(rest) > 1 else "was"
        notes.append(f"{_numbered(rest)} {were} already applied too")
    if plan.idle:
        notes.append(f"{_numbered(plan.idle)}: no change, or the same as another")
    return notes


def _numbered(numbers: Sequence[int]) -> str:
    return f"edit{'s' if len(numbers) > 1 else ''} {join_numbers(list(numbers), MOST_EDITS)}"


def nothing_to_do(shown: str, plan: Plan, changed: str) -> Result:
    """Every edit was made before, or changes nothing."""
    if not plan.already:
        return Result.say(f"no change: {shown} would stay as it is.{changed}")
    lines = sorted(set(plan.already.values()))
    if len(plan.already) == 1:
        what = f"the new text stands in {shown} at {_at(lines)}"
    else:
        what = f"the new texts of all edits stand in {shown} at {_at(lines)}"
    return Result.say(f"already applied: {what}, and nothing was written. {_MOVE_ON}")


def refuse_misfits(shown: str, plan: Plan, total: int, changed: str) -> None:
    """Say of every edit that does not fit why.

    Raises:
        RefusedError: there is one.
    """
    if not plan.misfits and not plan.clashes:
        return
    if total == 1:
        (fault,) = plan.misfits
        what, more = _misfit(shown, fault)
        raise RefusedError(f"{what} Nothing was written.{_there(fault)}{changed}{more}")
    told = [
        f"edit {fault.number}: {what}{_there(fault)}{more}"
        for fault in plan.misfits[:EXPLAINED]
        for what, more in [_misfit(shown, fault)]
    ]
    rest = [fault.number for fault in plan.misfits[EXPLAINED:]]
    if rest:
        told.append(f"{_numbered(rest)}: misfits too, in no place or in several.")
    told += [
        f"edits {clash.first} and {clash.second} overlap at line {clash.line}: every edit is "
        "matched against the file as it is, so put both into one."
        for clash in plan.clashes[:EXPLAINED]
    ]
    if len(plan.clashes) > EXPLAINED:
        told.append(f"So do {plural(len(plan.clashes) - EXPLAINED, 'other pair')}.")
    head = f"Nothing was written, none of the {total} edits was made.{changed}"
    raise RefusedError("\n".join([head, *told, "Send all the edits again, with this mended."]))


def _misfit(shown: str, fault: Misfit) -> tuple[str, str]:
    more = fault.more and f" {fault.more}"
    if not fault.places:
        return f"old_string is not in {shown}.", more
    count = len(fault.places)
    return f"old_string fits {count:,} places in {shown} ({_at(fault.places)}).", more


def _there(fault: Misfit) -> str:
    return f" new_string already stands at line {fault.new_line}." if fault.new_line else ""


def refuse_empty(changes: Sequence[Change]) -> None:
    """An empty passage stands everywhere.

    Raises:
        RefusedError: there is one.
    """
    for number, change in enumerate(changes, 1):
        if not change.old:
            which = f" of edit {number}" if len(changes) > 1 else ""
            raise RefusedError(
                f"old_string{which} is empty. To insert, quote the line beside and give it back "
                "with the new text; to create a file or replace all of it use Write."
            )
