"""Why: one line for the user, and for the model, which is to do something sensible next."""

from __future__ import annotations

from turnloop_core.permissions.paths import is_inside
from turnloop_core.permissions.rules import Rule
from turnloop_core.permissions.text import shortened
from turnloop_core.types.subjects import PermissionMode, Subject, SubjectKind, Verdict

_DOING = {
    SubjectKind.READ: "reading {}",
    SubjectKind.WRITE: "writing {}",
    SubjectKind.COMMAND: "running `{}`",
    SubjectKind.URL: "fetching {}",
    SubjectKind.SEARCH: "searching the web for {}",
    SubjectKind.MCP: "calling the MCP tool {}",
    SubjectKind.TOOL: "using {}",
}


def doing(subject: Subject) -> str:
    """What a subject does, for the middle of a sentence."""
    what = _DOING[subject.kind].format(shortened(subject.display or subject.narrow))
    return f"{what} by `{shortened(subject.command)}`" if subject.command else what


def by_rule(verdict: Verdict, rule: Rule, subject: Subject) -> str:
    """A rule decided."""
    where = f"rule {shortened(rule.text)} ({shortened(rule.source)})"
    match verdict:
        case Verdict.DENY:
            return f"{doing(subject)} is denied by {where}"
        case Verdict.ASK:
            return f"{doing(subject)} is to be asked about by {where}"
        case Verdict.ALLOW:
            return f"{doing(subject)} is allowed by {where}"


def plan(subject: Subject) -> str:
    """Plan mode refuses."""
    return f"plan mode changes nothing: {doing(subject)} has to wait"


def granted(subject: Subject) -> str:
    """A rule allowed the command that touches this path."""
    return f"{doing(subject)} is meant by the rule that allows the command"


def below(subject: Subject, path: str, rule: Rule | None) -> str:
    """Something below a folder is denied or asked about, or there is too much to look at."""
    if rule is None:
        return (
            f"{doing(subject)} touches more files than can be compared with your rules beforehand; "
            "name a smaller folder, or use a tool that leaves out what is denied"
        )
    where = f"rule {shortened(rule.text)} ({shortened(rule.source)})"
    return f"{doing(subject)} may touch {shortened(path)} too, which {where} speaks of"


def undecidable(subject: Subject, rule: Rule) -> str:
    """Bypass mode cannot tell whether a deny rule is got round."""
    return (
        f"{doing(subject)} cannot be compared with deny rules before it runs "
        f"({shortened(subject.reason or 'its words are not known')}; rule {shortened(rule.text)})"
    )


def default(verdict: Verdict, subject: Subject, mode: PermissionMode, doubt: str, root: str) -> str:
    """No rule said anything. `doubt`: why the subject is held more strictly than others."""
    if verdict is Verdict.ALLOW:
        return f"{doing(subject)} needs no question in {mode} mode"
    path = subject.kind in (SubjectKind.READ, SubjectKind.WRITE)
    if not doubt and path and not is_inside(subject.narrow, root):
        doubt = "it lies outside the project"
    because = f": {shortened(doubt)}" if doubt else ""
    return f"{doing(subject)} needs consent in {mode} mode{because}"
