"""Subjects: what a call touches. Permission is decided on these, never on tool arguments."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from turnloop_core.values import dataclass


class SubjectKind(StrEnum):
    """What sort of thing is touched. `PUBLIC_NAMES` gives the names that rules use."""

    READ = "read"
    WRITE = "write"
    COMMAND = "command"
    URL = "url"
    SEARCH = "search"  # a query sent to a search engine
    MCP = "mcp"
    TOOL = "tool"  # a tool that is not read-only and names nothing else


# The vocabulary of rules. A rule whose name stands here binds every tool that names such subjects.
PUBLIC_NAMES: dict[SubjectKind, str] = {
    SubjectKind.READ: "Read",
    SubjectKind.WRITE: "Edit",
    SubjectKind.COMMAND: "Bash",
    SubjectKind.URL: "WebFetch",
    SubjectKind.SEARCH: "WebSearch",
}


# Kinds whose subjects are only looked at: such a call changes no file of the project.
READING = frozenset({SubjectKind.READ, SubjectKind.URL, SubjectKind.SEARCH})


class PermissionMode(StrEnum):
    DEFAULT = "default"
    AUTO = "auto"
    PLAN = "plan"
    BYPASS = "bypass"


Depth = Literal["", "visible", "all"]


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing that a call touches.

    Attributes:
        kind: what sort of thing.
        narrow: the one form that allow rules match: a real absolute path, one simple command with
            quotes removed, a normalised address, `server__tool`.
        wide: the forms that deny and ask rules match: `narrow` and everything that means the same
            (the path as given, a command without its wrapper, ...).
        display: for the user.
        dynamic: it cannot be known before running; no allow rule covers it unless a rule without
            wildcards equals `narrow` or one of `exact`.
        read_only: proved to change nothing (commands; lets plan mode allow).
        contained: program and effects are known, and what it touches is named by other subjects of
            the call (commands; lets auto mode allow).
        reason: why it is dynamic, opaque or not contained, in words for the user.
        exact: further texts that mean just this where an allow rule without wildcards is one of
            them: the command line as it was written, a command with its wrapper.
        opaque: it runs code that deny rules cannot look into (commands). Where deny rules for
            commands were written, neither a rule for all commands nor bypass mode covers it.
        inert: it changes nothing but the shell's own state and starts no program (`true`, `cd`
            within the project): allowed in every mode where no rule speaks of it (commands).
        command: `narrow` of the command that touches this path, "" where none does. Where an allow
            rule covers that command, the mode says nothing about the path: deny rules, ask rules
            and the guard of the harness's own files do.
        deep: what is touched below a folder beside itself: nothing, all, or what is `visible` (no
            name on the way begins with a dot) (paths).
        only: globs for names: of what lies below, only files of such names are touched; empty for
            all (paths).
        patterns: patterns of rules that would cover it, the narrowest useful one first; empty
            leaves the choice to the engine.
    """

    kind: SubjectKind
    narrow: str
    wide: tuple[str, ...] = ()
    display: str = ""
    dynamic: bool = False
    read_only: bool = False
    contained: bool = False
    reason: str = ""
    exact: tuple[str, ...] = ()
    opaque: bool = False
    inert: bool = False
    command: str = ""
    deep: Depth = ""
    only: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    @property
    def forms(self) -> tuple[str, ...]:
        """Narrow and wide forms, each once."""
        return (self.narrow, *(form for form in self.wide if form != self.narrow))


class Verdict(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Decision:
    """What the permission engine says of a call.

    Attributes:
        verdict: the strictest over all subjects.
        reason: one line for the user and the model.
        rule: the rule that decided, as written, or "" when a mode or a check did.
        source: where the rule stands (a file, a flag), or the name of the check.
        subjects: the subjects that have this verdict.
        parts: what was decided of each subject of the call, in their order; empty for one subject.
    """

    verdict: Verdict
    reason: str
    rule: str = ""
    source: str = ""
    subjects: tuple[Subject, ...] = ()
    parts: tuple[Decision, ...] = ()
