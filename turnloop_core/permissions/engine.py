"""The permission engine: rules and a mode in, a decision out.

Precedence is flat, for each subject: deny rule, plan mode, bypass mode, allow rule, ask rule, mode
default. A call gets the strictest verdict over its subjects. Checks of plugins are asked last, and
may only tighten.

Two sorts of subject are held more strictly. What is dynamic (it cannot be known before running) and
the harness's own files (`guard.py`) are covered only by an allow rule that names exactly them. For
commands there is one exception and its reverse: `Bash` and `Bash(*)` cover a dynamic command while
no deny rule was written beside the shipped ones, since nothing could be got round; and where deny
rules for commands were written, bypass mode asks about a dynamic one, since deny rules hold
everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace

from turnloop_core.errors import SettingsError
from turnloop_core.permissions import reasons
from turnloop_core.permissions.checks import with_checks
from turnloop_core.permissions.guard import guarded, own_places
from turnloop_core.permissions.matching import PATHS, Matcher, Target, compile_rule
from turnloop_core.permissions.paths import folds_case, is_inside
from turnloop_core.permissions.proposals import propose_rule, rule_for
from turnloop_core.permissions.rules import SHIPPED, Rule, RuleKind, Rules, parse_rule
from turnloop_core.permissions.table import default_verdict
from turnloop_core.ports.permission_check import PermissionCheck
from turnloop_core.ports.tool import Scope
from turnloop_core.types.subjects import Decision, PermissionMode, Subject, SubjectKind, Verdict
from turnloop_core.values import dataclass

__all__ = ["Engine", "propose_rule"]

_ORDER = (Verdict.ALLOW, Verdict.ASK, Verdict.DENY)
_CHANGING = (SubjectKind.WRITE, SubjectKind.COMMAND, SubjectKind.MCP, SubjectKind.TOOL)
_GUARDED = "it decides what turnloop, git or a server may run"


@dataclass(frozen=True, slots=True)
class Engine:
    """Decides calls. A value: another mode or rule gives another engine.

    Attributes:
        rules: all that hold, the shipped ones among them.
        mode: the permission mode.
        scope: where patterns are anchored.
        checks: of plugins; they may only tighten.
        protected: real paths that are guarded like the harness's own settings.
        readable: real folders outside the project whose files are read like those inside it.
        folds: path -> whether the file system takes upper and lower case for the same there.
    """

    rules: Rules
    mode: PermissionMode
    scope: Scope
    checks: tuple[PermissionCheck, ...] = ()
    protected: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    folds: Callable[[str], bool] = folds_case
    _allow: tuple[Matcher, ...] = field(init=False, repr=False, compare=False)
    _deny: tuple[Matcher, ...] = field(init=False, repr=False, compare=False)
    _ask: tuple[Matcher, ...] = field(init=False, repr=False, compare=False)
    _places: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        made = {
            "_allow": self._compiled(self.rules.allow, wide=False),
            "_deny": self._compiled(self.rules.deny, wide=True),
            "_ask": self._compiled(self.rules.ask, wide=True),
            "_places": own_places(self.scope, self.protected),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    def _compiled(self, rules: Iterable[Rule], *, wide: bool) -> tuple[Matcher, ...]:
        return tuple(compile_rule(rule, self.scope, wide=wide) for rule in rules)

    def with_mode(self, mode: PermissionMode) -> Engine:
        """The same rules under another mode."""
        return replace(self, mode=mode)

    def with_rule(self, kind: RuleKind, rule: Rule | str) -> Engine:
        """One rule more. Text is parsed, as a rule of this session.

        Raises:
            SettingsError: the text is no rule.
        """
        if isinstance(rule, str):
            rule = parse_rule(rule, "this session")
        added = (*getattr(self.rules, kind), rule)
        return replace(self, rules=replace(self.rules, **{kind: added}))

    def decide(self, tool: str, subjects: Sequence[Subject], *, read_only: bool) -> Decision:
        """Decide a call.

        Args:
            tool: name of the calling tool, as registered.
            subjects: what the call would touch.
            read_only: the tool changes nothing; counts where it names no subject, and in plan
                mode, where a tool that changes things must name what it changes.
        """
        judged = tuple(subjects)
        plan = self.mode is PermissionMode.PLAN and not read_only
        if not judged or (plan and all(s.kind not in _CHANGING for s in judged)):
            itself = Subject(SubjectKind.TOOL, tool, display=tool, read_only=read_only)
            judged = (*judged, itself)
        decision = _strictest([self._judge(subject, tool) for subject in judged])
        return with_checks(decision, self.checks, tool, judged, self.mode)

    def needles(self, tool: str) -> tuple[tuple[str, ...], ...] | None:
        """What must stand in an ASCII path, in lower case, for a deny or ask rule to match it.

        Returns:
            Groups of texts: without all texts of some group, no such rule binds the reading of a
            path. None when that cannot be told: a rule for all, or checks of plugins.
        """
        found: set[tuple[str, ...]] = set()
        for matcher in (*self._deny, *self._ask):
            if matcher.binds(SubjectKind.READ, tool):
                if not matcher.needles:
                    return None
                found |= matcher.needles
        return None if self.checks else tuple(sorted(found))

    def propose_rule(self, tool: str, decision: Decision) -> str:
        """The narrowest allow rule after which a call would not be asked about.

        Returns:
            The rule's text; "" when no single rule of use does it.
        """
        rules = {rule_for(subject, self.scope) for subject in decision.subjects}
        if decision.verdict is not Verdict.ASK or len(rules) != 1 or "" in rules:
            return ""
        rule = rules.pop()
        try:
            engine = self.with_rule("allow", rule)
        except SettingsError:  # a name, or a path, that no rule can express
            return ""
        for subject in decision.subjects:
            helps = engine._judge(subject, tool).verdict is Verdict.ALLOW
            if not helps or self._judge(subject, tool).verdict is not Verdict.ASK:
                return ""
            if guarded(subject, self.scope, self._places):
                return ""
        return rule

    def _judge(self, subject: Subject, tool: str) -> Decision:
        target = Target.of(subject, tool, self.folds)
        for matcher in self._deny:
            if matcher.matches(target):
                return _by_rule(Verdict.DENY, matcher.rule, subject)
        guard = guarded(subject, self.scope, self._places)
        doubt = _GUARDED if guard else subject.reason
        verdict = default_verdict(self.mode, subject, inside=not guard and self._inside(subject))
        if self.mode is PermissionMode.PLAN and verdict is Verdict.DENY:
            return Decision(Verdict.DENY, reasons.plan(subject), subjects=(subject,))
        if self.mode is PermissionMode.BYPASS:
            return self._bypass(target)
        exactly = guard or subject.dynamic
        for matcher in self._allow:
            if self._allows(matcher, target, exactly=exactly):
                return _by_rule(Verdict.ALLOW, matcher.rule, subject)
        for matcher in self._ask:
            if matcher.matches(target):
                return _by_rule(Verdict.ASK, matcher.rule, subject)
        reason = reasons.default(verdict, subject, self.mode, doubt, str(self.scope.root))
        return Decision(verdict, reason, subjects=(subject,))

    def _inside(self, subject: Subject) -> bool:
        if subject.kind not in PATHS or subject.dynamic:
            return False
        places = self.readable if subject.kind is SubjectKind.READ else ()
        return any(is_inside(subject.narrow, p) for p in (str(self.scope.root), *places))

    def _bypass(self, target: Target) -> Decision:
        subject = target.subject
        if subject.kind is SubjectKind.COMMAND and subject.dynamic:
            for matcher in self._deny:
                written = matcher.rule.source != SHIPPED
                if written and matcher.binds(subject.kind, target.tool):
                    reason = reasons.undecidable(subject, matcher.rule)
                    return Decision(Verdict.ASK, reason, subjects=(subject,))
        return Decision(Verdict.ALLOW, "bypass mode", subjects=(subject,))

    def _allows(self, matcher: Matcher, target: Target, *, exactly: bool) -> bool:
        if not exactly:
            return matcher.matches(target)
        if matcher.equals(target):
            return True
        return (
            target.subject.kind is SubjectKind.COMMAND
            and matcher.rule.pattern in (None, "*")
            and all(deny.rule.source == SHIPPED for deny in self._deny)
            and matcher.binds(SubjectKind.COMMAND, target.tool)
        )


def _by_rule(verdict: Verdict, rule: Rule, subject: Subject) -> Decision:
    reason = reasons.by_rule(verdict, rule, subject)
    return Decision(verdict, reason, rule.text, rule.source, (subject,))


def _strictest(decisions: list[Decision]) -> Decision:
    """The first of the strictest decisions, with all subjects that have its verdict."""
    worst = max((d.verdict for d in decisions), key=_ORDER.index)
    found = [d for d in decisions if d.verdict is worst]
    subjects = tuple(subject for d in found for subject in d.subjects)
    if len(found) == 1:
        return found[0]
    more = "" if worst is Verdict.ALLOW else f" (and {len(found) - 1} more)"
    return replace(found[0], reason=found[0].reason + more, subjects=subjects)
