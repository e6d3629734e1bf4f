"""Whether a running call may show the contents of a file below a folder that it searches.

The call was judged by the folder. Rules that name single files are asked here, file by file, and
since a search asks about thousands, most are answered without the whole engine: no rule that denies
or asks can match a path in which none of their fixed texts occurs.
"""

from __future__ import annotations

from collections.abc import Sequence

from turnloop_core.loop.gate import Gate
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.matching import may_match
from turnloop_core.permissions.paths import is_inside
from turnloop_core.types.subjects import Subject, SubjectKind, Verdict


class Reading:
    """Answers for one call.

    Args:
        gate: its engine of the moment decides.
        tool: name of the calling tool.
        subjects: what was judged for the call, and allowed.
    """

    def __init__(self, gate: Gate, tool: str, subjects: Sequence[Subject]) -> None:
        self._gate = gate
        self._tool = tool
        self._judged = tuple(s.narrow for s in subjects if s.kind is SubjectKind.READ)
        self._engine: Engine | None = None
        self._needles: tuple[tuple[str, ...], ...] | None = None

    def may(self, path: str) -> bool:
        """Whether it may be read. `path` is real: absolute, and no part of it a link."""
        if path in self._judged:
            return True
        if self._gate.engine is not self._engine:  # another mode, or a rule more
            self._engine = self._gate.engine
            self._needles = self._engine.needles(self._tool)
        below = any(is_inside(path, judged) for judged in self._judged)
        if below and not may_match(self._needles, path):
            return True
        subject = Subject(SubjectKind.READ, path, display=path)
        decision = self._gate.decide(self._tool, (subject,), read_only=True)
        if decision.verdict is Verdict.ASK:
            # Where only the mode would ask, the consent given for the folder covers its files.
            return below and not decision.rule and not decision.source
        return decision.verdict is Verdict.ALLOW
