"""The rules that would make a question go away: the narrowest that are of use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnloop_core.errors import SettingsError
from turnloop_core.permissions.globs import split
from turnloop_core.permissions.paths import is_inside
from turnloop_core.permissions.urls import parse_address
from turnloop_core.ports.tool import Scope
from turnloop_core.types.subjects import PUBLIC_NAMES, Decision, Subject, SubjectKind, Verdict

if TYPE_CHECKING:
    from turnloop_core.permissions.engine import Engine

_MAX_RULE = 300  # a rule that nobody can read at a glance is not one to be saved
_MOST = 4  # alternatives that a user can choose between
_MOST_RULES = 5  # of one alternative; more would be agreed to unread


def proposals(engine: Engine, tool: str, decision: Decision) -> tuple[tuple[str, ...], ...]:
    """Alternatives of rules for a question, tried. See `Engine.propose_rules`."""
    asked = decision.subjects
    if decision.verdict is not Verdict.ASK or any(engine.is_guarded(s) for s in asked):
        return ()
    # What already needs no question stays out: looking below folders again would take its time.
    others = (s for part in decision.parts for s in part.subjects if s.kind is SubjectKind.COMMAND)
    subjects = tuple(dict.fromkeys((*others, *asked)))
    if engine.decide(tool, subjects, read_only=True).verdict is not Verdict.ASK:
        return ()  # a check of a plugin asks, which no rule answers
    commands = {s.narrow for s in asked if s.kind is SubjectKind.COMMAND}
    needed = [s for s in asked if s.command not in commands]
    choices = [rules_for(subject, engine.scope) for subject in needed]
    found: list[tuple[str, ...]] = []
    for place in range(min(_MOST, max((len(c) for c in choices), default=0))):
        if all(choices):
            rules = dict.fromkeys(c[min(place, len(c) - 1)] for c in choices)
            found += [tuple(rules)] if len(rules) <= _MOST_RULES else []
    found.append(_whole(needed))
    return tuple(r for r in dict.fromkeys(found) if r and _helps(engine, tool, subjects, r))


def _whole(subjects: list[Subject]) -> tuple[str, ...]:
    """One rule that names the whole command as it was written, where all asked belong to it."""
    first = subjects[0] if subjects else None
    if first is None or any(s.exact[-1:] != first.exact[-1:] for s in subjects):
        return ()
    rule = _rule(PUBLIC_NAMES[first.kind], first.exact[-1]) if first.exact else ""
    return (rule,) if rule and "*" not in rule else ()


def _helps(
    engine: Engine, tool: str, subjects: tuple[Subject, ...], rules: tuple[str, ...]
) -> bool:
    """Whether a call like this one would no longer be asked about."""
    try:
        for rule in rules:
            engine = engine.with_rule("allow", rule)
    except SettingsError:  # a name, or a path, that no rule can express
        return False
    return engine.decide(tool, subjects, read_only=True).verdict is Verdict.ALLOW


def rules_for(subject: Subject, scope: Scope) -> tuple[str, ...]:
    """The rules that cover a subject, the narrowest useful first."""
    name = PUBLIC_NAMES.get(subject.kind, subject.narrow)
    match subject.kind:
        case SubjectKind.READ | SubjectKind.WRITE:
            patterns: tuple[str, ...] = (_path_pattern(subject, scope),)
        case SubjectKind.COMMAND:
            # As a pattern a star would mean more than this command. What is not known before it
            # runs has no rule but one that names the line as it was written.
            hidden = subject.dynamic and bool(subject.exact)
            own = () if "*" in subject.narrow or hidden else (subject.narrow,)
            patterns = subject.patterns or own
        case SubjectKind.URL:
            address = None if subject.dynamic else parse_address(subject.narrow)
            patterns = (f"{address.origin}/*",) if address else ()
        case SubjectKind.MCP:
            return (f"mcp__{subject.narrow}",)
        case _:
            return (name,)
    return tuple(rule for pattern in patterns if (rule := _rule(name, pattern)))


def _rule(name: str, pattern: str) -> str:
    usable = pattern and pattern.isprintable() and len(pattern) <= _MAX_RULE
    return f"{name}({pattern})" if usable else ""


def _path_pattern(subject: Subject, scope: Scope) -> str:
    real = subject.narrow
    if "*" in real or "?" in real or not split(real):  # as a pattern it would mean more
        return ""
    root, home = str(scope.root), str(scope.home)
    if is_inside(real, root):
        return "/".join(split(real)[len(split(root)) :]) or real
    if is_inside(real, home) and real != home:
        return "~/" + "/".join(split(real)[len(split(home)) :])
    return real
