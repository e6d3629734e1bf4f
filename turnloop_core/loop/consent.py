"""What the user is asked about: the call, what it would write, and all of it without keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import overload

import anyio

from turnloop_core.errors import TurnloopError
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.text import shortened
from turnloop_core.ports.approver import PermissionAnswer, PermissionQuestion
from turnloop_core.types.subjects import Decision, Subject, Verdict
from turnloop_core.values import dataclass

PREVIEW_WITHIN_S = 2.0  # a disk that does not answer must not hold up the question
MAX_PREVIEW_CHARS = 60_000

Mask = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class ConsentNeeded:
    """A call, or one thing more that a running call would touch.

    Attributes:
        tool: name of the tool.
        summary: the call in one line.
        decision: the one that asks.
        subjects: all that would be touched.
        read_only: the tool changes nothing.
        preview: looks at what would be written; None where nobody can say.
        because: why it is asked, where the decision does not say it: a rule gives only itself.
    """

    tool: str
    summary: str
    decision: Decision
    subjects: tuple[Subject, ...]
    read_only: bool
    preview: Callable[[], str] | None = None
    because: str = ""

    @property
    def told(self) -> Decision:
        """The decision, with all that is to be told of why."""
        because = shortened(self.because)
        if not because or because in self.decision.reason:
            return self.decision
        return replace(self.decision, reason=f"{self.decision.reason}: {because}")


@dataclass(frozen=True, slots=True)
class Said:
    """An answer of the user, the rules that it has remembered, and why others are not."""

    answer: PermissionAnswer
    rules: tuple[str, ...] = ()
    problem: str = ""


def proposed(engine: Engine, needed: ConsentNeeded, mask: Mask) -> tuple[tuple[str, ...], ...]:
    """Alternatives of rules for a question; none that would hold a key, and be saved with it."""
    found = engine.propose_rules(needed.tool, needed.decision)
    return tuple(rules for rules in found if all(mask(rule) == rule for rule in rules))


def asked_again(
    engine: Engine, question: PermissionQuestion, needed: ConsentNeeded, mask: Mask
) -> PermissionQuestion:
    """A question as it is in the mode that holds now."""
    return replace(
        question,
        decision=masked(needed.told, mask),
        proposals=proposed(engine, needed, mask),
        complaint=f"the mode is {engine.mode} now",
    )


async def bounded_preview(look: Callable[[], str] | None, mask: Mask) -> str:
    """What would be written, masked and bounded; "" where it cannot be told in time."""
    if look is None:
        return ""
    text = ""
    with anyio.move_on_after(PREVIEW_WITHIN_S):
        text = await anyio.to_thread.run_sync(look, abandon_on_cancel=True)
    text = mask(text)
    if len(text) <= MAX_PREVIEW_CHARS:
        return text
    kept = text[:MAX_PREVIEW_CHARS]
    return f"{kept}\n({text.count(chr(10), MAX_PREVIEW_CHARS) + 1:,} more lines)"


def problem_with(engine: Engine, needed: ConsentNeeded, rules: tuple[str, ...]) -> str:
    """Why rules cannot be remembered for a question, "" when they can."""
    if not rules:
        return "no rule makes this question go away"
    try:
        for rule in rules:
            engine = engine.with_rule("allow", rule)
    except TurnloopError as error:  # a front end may send what is no rule
        return f"{error}; {error.hint}" if error.hint else str(error)
    after = engine.decide(needed.tool, needed.subjects, read_only=needed.read_only)
    if after.verdict is Verdict.ALLOW:
        return ""
    return f"{', '.join(rules)} does not make this question go away: {after.reason}"


@overload
def masked(thing: Decision, mask: Mask) -> Decision: ...
@overload
def masked(thing: Subject, mask: Mask) -> Subject: ...
def masked(thing: Decision | Subject, mask: Mask) -> Decision | Subject:
    """For showing: the same without the values of keys."""
    if isinstance(thing, Subject):
        return replace(
            thing,
            narrow=mask(thing.narrow),
            wide=tuple(map(mask, thing.wide)),
            display=mask(thing.display),
            reason=mask(thing.reason),
            exact=tuple(map(mask, thing.exact)),
            command=mask(thing.command),
            patterns=tuple(map(mask, thing.patterns)),
        )
    return replace(
        thing,
        reason=mask(thing.reason),
        subjects=tuple(masked(subject, mask) for subject in thing.subjects),
        parts=tuple(masked(part, mask) for part in thing.parts),
    )
