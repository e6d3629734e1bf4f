"""The permission engine: rules and a mode in, a decision out.

Precedence is flat, for each subject: deny rule, plan mode, bypass mode, allow rule, ask rule, mode
default. A call gets the strictest verdict over its subjects. Checks of plugins are asked last, and
may only tighten.

Some subjects are held more strictly:

- What is dynamic (it cannot be known before running) and the harness's own files (`guard.py`) are
  covered only by an allow rule that names exactly them. `Bash` and `Bash(*)` cover a dynamic
  command too while no deny rule was written beside the shipped ones, since nothing could be got
  round; where one was, bypass mode asks about a dynamic command, since deny rules hold everywhere.
- Opaque commands (code that deny rules cannot look into) are covered by rules that name their
  program, but not by a rule for all commands, nor by bypass mode, where deny rules for commands
  were written.
- Where all below a folder is touched and something there is denied or asked about, it is asked.

A path that a command touches is judged by the mode only as long as no allow rule covers the
command: who allowed the command meant its files too. Deny rules, ask rules and the guard hold.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import field, replace
from functools import partial

from turnloop_core.permissions import reasons
from turnloop_core.permissions.below import find_below
from turnloop_core.permissions.checks import with_checks
from turnloop_core.permissions.guard import guarded, own_places
from turnloop_core.permissions.matching import PATHS, Matcher, Target, compile_rule, needles_of
from turnloop_core.permissions.paths import folds_case, is_inside
from turnloop_core.permissions.proposals import proposals
from turnloop_core.permissions.rules import SHIPPED, Rule, RuleKind, Rules, parse_rule
from turnloop_core.permissions.table import default_verdict
from turnloop_core.ports.permission_check import PermissionCheck
from turnloop_core.ports.tool import Scope
from turnloop_core.types.subjects import (
    PUBLIC_NAMES,
    Decision,
    PermissionMode,
    Subject,
    SubjectKind,
    Verdict,
)
from turnloop_core.values import dataclass

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
    # Which of these bind a kind of subject and a tool: asked for each subject of each call.
    _bound: dict[tuple[str, SubjectKind, str], tuple[Matcher, ...]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

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
        decision = _strictest(self._judge_all(judged, tool))
        return with_checks(decision, self.checks, tool, judged, self.mode)

    def _judge_all(self, subjects: tuple[Subject, ...], tool: str) -> tuple[Decision, ...]:
        """Each subject's own decision, commands before the paths that they touch."""
        if not any(subject.command for subject in subjects):
            return tuple(self._judge(subject, tool) for subject in subjects)
        commands = {s: self._judge(s, tool) for s in subjects if s.kind is SubjectKind.COMMAND}
        ruled = {s.narrow for s, d in commands.items() if d.rule and d.verdict is Verdict.ALLOW}
        refused = {s.narrow for s, d in commands.items() if d.verdict is not Verdict.ALLOW}
        return tuple(
            commands[s] if s in commands else self._judge(s, tool, granted=ruled - refused)
            for s in subjects
        )

    def needles(self, tool: str) -> tuple[tuple[str, ...], ...] | None:
        """What must stand in an ASCII path, in lower case, for a deny or ask rule to match it.

        Returns:
            Groups of texts: without all texts of some group, no such rule binds the reading of a
            path. None when that cannot be told: a rule for all, or checks of plugins.
        """
        return None if self.checks else needles_of(self._tightening(SubjectKind.READ, tool))

    def propose_rules(self, tool: str, decision: Decision) -> tuple[tuple[str, ...], ...]:
        """Allow rules after which a call would not be asked about.

        Returns:
            Alternatives, the narrowest useful first. Each is a set of rules that does it together.
            Empty when no rules of use do.
        """
        return proposals(self, tool, decision)

    def is_guarded(self, subject: Subject) -> bool:
        """Whether it is the writing of a file that decides what may be done."""
        return guarded(subject, self.scope, self._places)

    def _judge(
        self, subject: Subject, tool: str, granted: Collection[str] = frozenset()
    ) -> Decision:
        target = Target.of(subject, tool, self.folds)
        for matcher in self._binding("deny", subject.kind, tool):
            if matcher.covers(target):
                return _by_rule(Verdict.DENY, matcher.rule, subject)
        guard = self.is_guarded(subject)
        doubt = _GUARDED if guard else subject.reason
        verdict = default_verdict(self.mode, subject, inside=not guard and self._inside(subject))
        if self.mode is PermissionMode.PLAN and verdict is Verdict.DENY:
            return Decision(Verdict.DENY, reasons.plan(subject), subjects=(subject,))
        below = self._below(subject, tool)
        if below:
            return below
        if self.mode is PermissionMode.BYPASS:
            return self._bypass(subject, tool)
        exactly = guard or subject.dynamic
        for matcher in self._binding("allow", subject.kind, tool):
            if self._allows(matcher, target, exactly=exactly):
                return _by_rule(Verdict.ALLOW, matcher.rule, subject)
        for matcher in self._binding("ask", subject.kind, tool):
            if matcher.covers(target):
                return _by_rule(Verdict.ASK, matcher.rule, subject)
        if subject.command in granted and not guard and not self._may_be_denied(target):
            return Decision(Verdict.ALLOW, reasons.granted(subject), subjects=(subject,))
        reason = reasons.default(verdict, subject, self.mode, doubt, str(self.scope.root))
        return Decision(verdict, reason, subjects=(subject,))

    def _below(self, subject: Subject, tool: str) -> Decision | None:
        """A question about something below a folder that is denied, or asked about."""
        if not subject.deep:
            return None
        target_of = partial(Target.of, tool=tool, folds_case=self.folds)
        found = find_below(subject, target_of, self._tightening(subject.kind, tool))
        if found is None:
            return None
        path, rule = found
        reason = reasons.below(subject, path, rule)
        text, source = (rule.text, rule.source) if rule else ("", "")
        return Decision(Verdict.ASK, reason, text, source, (subject,))

    def _binding(self, effect: RuleKind, kind: SubjectKind, tool: str) -> tuple[Matcher, ...]:
        """The rules of one list that bind subjects of this kind, or this tool."""
        key = (effect, kind, tool)
        found = self._bound.get(key)
        if found is None:
            matchers = {"allow": self._allow, "deny": self._deny, "ask": self._ask}[effect]
            found = tuple(m for m in matchers if m.binds(kind, tool))
            self._bound[key] = found
        return found

    def _tightening(self, kind: SubjectKind, tool: str) -> tuple[Matcher, ...]:
        return (*self._binding("deny", kind, tool), *self._binding("ask", kind, tool))

    def _may_be_denied(self, target: Target) -> bool:
        """Whether a path that is not known yet may turn out to be one that is denied."""
        subject = target.subject
        if not subject.dynamic:
            return False
        if subject.kind is SubjectKind.WRITE:  # it may be one that is guarded, too
            return True
        return bool(self._tightening(subject.kind, target.tool))

    def _inside(self, subject: Subject) -> bool:
        if subject.kind not in PATHS or subject.dynamic:
            return False
        places = self.readable if subject.kind is SubjectKind.READ else ()
        return any(is_inside(subject.narrow, p) for p in (str(self.scope.root), *places))

    def _bypass(self, subject: Subject, tool: str) -> Decision:
        rule = self._got_round(subject)
        if subject.command and subject.dynamic:  # a path that may turn out to be denied
            denying = self._binding("deny", subject.kind, tool)
            rule = next((m.rule for m in denying if m.rule.source != SHIPPED), None)
        if rule is not None:
            return Decision(Verdict.ASK, reasons.undecidable(subject, rule), subjects=(subject,))
        return Decision(Verdict.ALLOW, "bypass mode", subjects=(subject,))

    def _got_round(self, subject: Subject) -> Rule | None:
        """A written deny rule that a command might get round unseen."""
        if subject.kind is not SubjectKind.COMMAND or not (subject.dynamic or subject.opaque):
            return None
        for matcher in self._deny:
            relevant = subject.dynamic or matcher.rule.name == PUBLIC_NAMES[SubjectKind.COMMAND]
            if relevant and matcher.rule.source != SHIPPED:
                return matcher.rule
        return None

    def _allows(self, matcher: Matcher, target: Target, *, exactly: bool) -> bool:
        subject = target.subject
        if matcher.equals(target):
            return True
        for_all = not (matcher.rule.pattern or "").strip("* ")
        if for_all and subject.kind is SubjectKind.COMMAND and (exactly or subject.opaque):
            return self._got_round(subject) is None
        return not exactly and matcher.covers(target)


def _by_rule(verdict: Verdict, rule: Rule, subject: Subject) -> Decision:
    reason = reasons.by_rule(verdict, rule, subject)
    return Decision(verdict, reason, rule.text, rule.source, (subject,))


def _strictest(decisions: tuple[Decision, ...]) -> Decision:
    """The first of the strictest decisions, with all subjects that have its verdict."""
    if len(decisions) == 1:
        return decisions[0]
    worst = max((d.verdict for d in decisions), key=_ORDER.index)
    found = [d for d in decisions if d.verdict is worst]
    subjects = tuple(subject for d in found for subject in d.subjects)
    more = f" (and {len(found) - 1} more)" if len(found) > 1 and worst is not Verdict.ALLOW else ""
    reason = found[0].reason + more
    return replace(found[0], reason=reason, subjects=subjects, parts=decisions)
