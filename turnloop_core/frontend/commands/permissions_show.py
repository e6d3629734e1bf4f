"""An answer for people, and as JSON."""

from __future__ import annotations

from typing import Any

from turnloop_core.frontend.commands.output import table, write
from turnloop_core.frontend.commands.permissions_calls import Answer
from turnloop_core.frontend.console import one_line
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.text import printable
from turnloop_core.types.subjects import Decision, Subject, SubjectKind, Verdict

_WIDE = 100  # characters of a form that are shown


def proposed(engine: Engine, answer: Answer) -> tuple[tuple[str, ...], ...]:
    """Sets of rules, each of which would allow a call that is asked about."""
    if answer.doubts or answer.decision.verdict is not Verdict.ASK:
        return ()
    return engine.propose_rules(answer.tool, answer.decision)


def as_json(answer: Answer, engine: Engine) -> dict[str, Any]:
    """Everything that is known of an answer."""
    decision = answer.decision
    return {
        "tool": answer.tool,
        "mode": engine.mode.value,
        "cwd": str(engine.scope.cwd),
        "root": str(engine.scope.root),
        "decision": decision.verdict.value,
        "rule": decision.rule,
        "source": decision.source,
        "reason": decision.reason,
        "subjects": [_subject(s, part) for part in answer.parts for s in part.subjects],
        "doubts": list(answer.doubts),
        "would_allow": [list(rules) for rules in proposed(engine, answer)],
    }


def _subject(subject: Subject, part: Decision) -> dict[str, Any]:
    return {
        "kind": subject.kind.value,
        "form": subject.narrow,
        "decision": part.verdict.value,
        "rule": part.rule,
        "source": part.source,
        "reason": part.reason,
        "known_before": not subject.dynamic,
    }


def show(answer: Answer, engine: Engine) -> None:
    """One screen."""
    decision = answer.decision
    write(f"{decision.verdict.value}: {printable(answer.tool)}, {engine.mode} mode")
    write(f"  {printable(decision.reason)}")
    if decision.rule:
        write(f"  decided by {printable(decision.rule)} ({printable(decision.source)})")
    rows = [_row(subject, part) for part in answer.parts for subject in part.subjects]
    if rows:
        write()
        table(("", "TOUCHES", "WHAT", "DECIDED BY"), list(dict.fromkeys(rows)))
    alternatives = proposed(engine, answer)
    if alternatives:
        write()
    for place, rules in enumerate(alternatives):
        start = "or:                " if place else "allowed by adding: "
        write(f"{start}{'  '.join(map(printable, rules))}")


def _row(subject: Subject, part: Decision) -> tuple[str, str, str, str]:
    why = f"{part.rule} ({part.source})" if part.rule else part.source or "the mode"
    if subject.dynamic:
        why += f": {subject.reason or 'not known before it runs'}"
    # Of a command, what rules are compared with: redirections are no part of it.
    own = subject.kind is SubjectKind.COMMAND
    form = subject.narrow if own else subject.display or subject.narrow
    return part.verdict.value, subject.kind.value, one_line(form, _WIDE), one_line(why)
