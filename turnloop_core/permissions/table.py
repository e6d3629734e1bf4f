"""What happens where no rule says it: the table of modes, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from turnloop_core.types.subjects import PermissionMode, Subject, SubjectKind, Verdict


class Column(StrEnum):
    """A column of the table."""

    READ_INSIDE = "read inside"
    READ_OUTSIDE = "read outside"
    WRITE_INSIDE = "write inside"
    WRITE_OUTSIDE = "write outside"
    COMMAND = "command"
    COMMAND_CONTAINED = "command contained in the project"
    COMMAND_READ_ONLY = "command proved read-only"
    SEARCH = "search"
    FETCH = "fetch"
    MCP = "mcp"
    TOOL = "tool"
    TOOL_READ_ONLY = "tool that changes nothing"


_A, _Q, _D = Verdict.ALLOW, Verdict.ASK, Verdict.DENY


def _row(*verdicts: Verdict) -> Mapping[Column, Verdict]:
    return MappingProxyType(dict(zip(Column, verdicts, strict=True)))


# In the order of the columns: read in, out; write in, out; command, contained, read-only;
# search, fetch; mcp; tool, read-only tool.
TABLE: Mapping[PermissionMode, Mapping[Column, Verdict]] = MappingProxyType(
    {
        PermissionMode.DEFAULT: _row(_A, _Q, _Q, _Q, _Q, _Q, _Q, _A, _Q, _Q, _Q, _A),
        PermissionMode.AUTO: _row(_A, _Q, _A, _Q, _Q, _A, _Q, _A, _Q, _Q, _Q, _A),
        PermissionMode.PLAN: _row(_A, _Q, _D, _D, _D, _D, _A, _A, _Q, _D, _D, _A),
        PermissionMode.BYPASS: _row(_A, _A, _A, _A, _A, _A, _A, _A, _A, _A, _A, _A),
    }
)

_FIXED = {
    SubjectKind.SEARCH: Column.SEARCH,
    SubjectKind.URL: Column.FETCH,
    SubjectKind.MCP: Column.MCP,
}


def default_verdict(mode: PermissionMode, subject: Subject, *, inside: bool) -> Verdict:
    """The table's word on a subject. `inside`: a path that is plainly in the project."""
    row = TABLE[mode]
    match subject.kind:
        case SubjectKind.READ:
            return row[Column.READ_INSIDE if inside else Column.READ_OUTSIDE]
        case SubjectKind.WRITE:
            return row[Column.WRITE_INSIDE if inside else Column.WRITE_OUTSIDE]
        case SubjectKind.COMMAND:
            return _command(row, subject)
        case SubjectKind.TOOL:
            return row[Column.TOOL_READ_ONLY if subject.read_only else Column.TOOL]
        case kind:
            return row[_FIXED[kind]]


def _command(row: Mapping[Column, Verdict], subject: Subject) -> Verdict:
    """The mildest word of the columns into which a command falls."""
    if subject.inert:
        return _A
    columns = [Column.COMMAND]
    if not subject.dynamic:
        columns += [Column.COMMAND_CONTAINED] * subject.contained
        columns += [Column.COMMAND_READ_ONLY] * subject.read_only
    verdicts = [row[column] for column in columns]
    return min(verdicts, key=(_A, _Q, _D).index)
