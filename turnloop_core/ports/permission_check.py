"""Permission check: may tighten a decision, never loosen one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from turnloop_core.types.subjects import Decision, PermissionMode, Subject, Verdict


class PermissionCheck(Protocol):
    """Asked after the rules; the strictest answer holds. An exception counts as deny."""

    @property
    def name(self) -> str: ...

    def check(
        self, tool: str, subjects: Sequence[Subject], mode: PermissionMode, so_far: Decision
    ) -> tuple[Verdict, str] | None:
        """A verdict with its reason, or None for no opinion."""
        ...
