"""What is said of a call that must not run: why, and what may be done instead.

The texts are clauses, to be put after what was not done; `not_run` does it for a call. They are
bounded: reasons quote what the model wrote, and rules that others wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from turnloop_core.permissions.reasons import doing
from turnloop_core.types.results import ErrorKind, Refusal
from turnloop_core.types.subjects import Decision, PermissionMode, SubjectKind, Verdict

MOST_NAMED = 3  # further parts of a call that are named one by one
LONGEST = 2_500
LONGEST_COMMENT = 1_500

_PLAN = "Put it into the plan; the user can leave plan mode."
_RULED = "Do not look for another way to it: go on without it, or say why it is needed."
_ELSE = "Do not try the same in another form; do it in an allowed way, or say what you would need."


def not_run(name: str, why: Refusal) -> Refusal:
    """The clauses of `why`, said of a call of the tool `name`."""
    bare = why.kind is ErrorKind.DECLINED or not why.display  # the user knows, or reads the text
    return replace(
        why,
        text=f"{name} was not run: {why.text}",
        display=why.display if bare else f"not run: {why.display}",
    )


def not_offered() -> Refusal:
    """The tool cannot be used in plan mode at all."""
    return Refusal(
        ErrorKind.DENIED,
        f"it is not offered in plan mode, which changes nothing. {_PLAN}",
        "plan mode changes nothing",
    )


def not_proved() -> Refusal:
    """A call that is not known to change nothing, in plan mode."""
    return Refusal(
        ErrorKind.DENIED,
        "plan mode runs only what is known to change nothing, and that is not known of this call. "
        f"{_PLAN}",
        "plan mode changes nothing",
    )


def denied(decision: Decision, mode: PermissionMode, start: str = "") -> Refusal:
    """A rule, a mode or a check says no; `start` begins the text."""
    refused = [part for part in decision.parts if part.verdict is Verdict.DENY] or [decision]
    first = refused[0]
    told = [f"{start}{first.reason}."]
    if decision.rule:
        told.append(_RULED)
    else:
        told.append(_PLAN if _by_plan(decision, mode) else _ELSE)
    if len(refused) > 1:
        told.append(f"Denied too: {_named(refused[1:])}.")
    told += _the_rest(decision, Verdict.DENY)
    return Refusal(ErrorKind.DENIED, _bounded(" ".join(told)), first.reason)


def nobody(decision: Decision, proposals: Sequence[Sequence[str]]) -> Refusal:
    """It would have to be asked, and there is nobody to ask."""
    rules = ", ".join(proposals[0]) if proposals else ""
    which = "a rule that allows it" if not proposals or len(proposals[0]) == 1 else "rules for it"
    told = [f"it needs consent and nobody is there to give it ({decision.reason})."]
    if rules:
        told.append(f"The user can allow it beforehand: {rules}.")
    told += _the_rest(decision, Verdict.ASK)
    told.append("Do what can be done without it, or say what is needed.")
    shown = "nobody was there to consent"
    return Refusal(
        ErrorKind.NO_CONSENT,
        _bounded(" ".join(told)),
        f"{shown}; {which}: {rules}" if rules else shown,
    )


def declined(comment: str) -> Refusal:
    """The user said no."""
    if not comment:
        advice = "Do not try the same in another form: do something else, or ask what the user "
        return Refusal(
            ErrorKind.DECLINED, f"the user declined it. {advice}wants.", display="declined"
        )
    words = _bounded(comment, LONGEST_COMMENT)
    return Refusal(
        ErrorKind.DECLINED,
        f'the user declined it. The user says: "{words}". Go by that, and do not try the same in '
        "another form.",
        display="declined",
    )


def _by_plan(decision: Decision, mode: PermissionMode) -> bool:
    return mode is PermissionMode.PLAN and not decision.source


def _the_rest(decision: Decision, against: Verdict) -> list[str]:
    """What became of the other commands in one line of them, and of what those touch."""
    commands = {_command(part) for part in decision.parts if _is_command(part)}
    refused = {_command(part) for part in decision.parts if part.verdict is against} - {""}
    rest = [
        part
        for part in decision.parts
        if part.verdict is not against and _command(part) not in refused
    ]
    # Where there is but one command, all is of it: redirections do not name theirs.
    if len(commands) < 2 or not any(map(_is_command, rest)):
        return []
    if all(part.verdict is Verdict.ALLOW for part in rest):
        return ["The other parts were not run either; by themselves they need no consent."]
    return ["The other parts were not run either."]


def _is_command(part: Decision) -> bool:
    return part.subjects[0].kind is SubjectKind.COMMAND


def _command(part: Decision) -> str:
    """The command that a part is, or that touches it; "" for what no command is known to touch."""
    subject = part.subjects[0]
    return subject.narrow if _is_command(part) else subject.command


def _named(parts: Sequence[Decision]) -> str:
    names = [doing(part.subjects[0]) for part in parts[:MOST_NAMED]]
    more = len(parts) - len(names)
    return ", ".join([*names, *([f"and {more} more"] if more else [])])


def _bounded(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
