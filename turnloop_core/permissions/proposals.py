"""The rule that would make a question go away: the narrowest that is of use."""

from __future__ import annotations

from turnloop_core.permissions.globs import split
from turnloop_core.permissions.paths import is_inside
from turnloop_core.permissions.urls import parse_address
from turnloop_core.ports.tool import Scope
from turnloop_core.types.subjects import PUBLIC_NAMES, Decision, Subject, SubjectKind, Verdict

_MAX_RULE = 300  # a rule that nobody can read at a glance is not one to be saved


def propose_rule(decision: Decision, scope: Scope | None = None) -> str:
    """A rule for a question, untried. `Engine.propose_rule` also tries whether it helps.

    Args:
        decision: one that asks.
        scope: with it, paths inside the project are named from its root.

    Returns:
        The rule's text; "" when there is none.
    """
    rules = {rule_for(subject, scope) for subject in decision.subjects}
    return rules.pop() if decision.verdict is Verdict.ASK and len(rules) == 1 else ""


def rule_for(subject: Subject, scope: Scope | None) -> str:
    """The narrowest rule that covers a subject, "" for none of use."""
    name = PUBLIC_NAMES.get(subject.kind, subject.narrow)
    match subject.kind:
        case SubjectKind.READ | SubjectKind.WRITE:
            pattern = _path_pattern(subject, scope)
        case SubjectKind.COMMAND:
            pattern = subject.narrow
            if "*" in pattern:  # as a pattern it would mean more than this command
                return ""
        case SubjectKind.URL:
            address = None if subject.dynamic else parse_address(subject.narrow)
            pattern = f"{address.origin}/*" if address else ""
        case SubjectKind.MCP:
            return f"mcp__{subject.narrow}"
        case _:
            return name
    usable = pattern and pattern.isprintable() and len(pattern) <= _MAX_RULE
    return f"{name}({pattern})" if usable else ""


def _path_pattern(subject: Subject, scope: Scope | None) -> str:
    real = subject.narrow
    if "*" in real or "?" in real or not split(real):  # as a pattern it would mean more
        return ""
    if scope is None:
        return real
    root, home = str(scope.root), str(scope.home)
    if is_inside(real, root):
        return "/".join(split(real)[len(split(root)) :]) or real
    if is_inside(real, home) and real != home:
        return "~/" + "/".join(split(real)[len(split(home)) :])
    return real
