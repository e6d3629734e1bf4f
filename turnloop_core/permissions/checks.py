"""The checks of plugins, asked after the rules. They may only tighten."""

from __future__ import annotations

from collections.abc import Sequence

from turnloop_core.permissions.text import shortened
from turnloop_core.ports.permission_check import PermissionCheck
from turnloop_core.types.subjects import Decision, PermissionMode, Subject, Verdict

_ORDER = (Verdict.ALLOW, Verdict.ASK, Verdict.DENY)


def with_checks(
    decision: Decision,
    checks: Sequence[PermissionCheck],
    tool: str,
    subjects: tuple[Subject, ...],
    mode: PermissionMode,
) -> Decision:
    """The decision after all checks were asked; the strictest answer holds."""
    for check in checks:
        answer = _ask(check, tool, subjects, mode, decision)
        if answer is None:
            continue
        verdict, reason = answer
        if _ORDER.index(verdict) > _ORDER.index(decision.verdict):
            decision = Decision(verdict, reason, source=check.name, subjects=subjects)
    return decision


def _ask(
    check: PermissionCheck,
    tool: str,
    subjects: tuple[Subject, ...],
    mode: PermissionMode,
    so_far: Decision,
) -> tuple[Verdict, str] | None:
    """One check's answer; a check that fails, or answers nonsense, denies."""
    try:
        answer = check.check(tool, subjects, mode, so_far)
        if answer is None:
            return None
        verdict, reason = answer
        return Verdict(verdict), f"{shortened(str(reason))} (check {check.name})"
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in a check must not allow
        problem = shortened(f"{type(error).__name__}: {error}".rstrip(": "))
        reason = (
            f"the permission check {check.name} failed ({problem}); nothing runs until it works or "
            "its plugin is switched off"
        )
        return Verdict.DENY, reason
