"""What a line makes of files before it uses them: links, copies, scripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from turnloop_core.api import Subject, SubjectKind, TurnloopError, path_subject
from turnloop_shell.analysis.folders import is_below
from turnloop_shell.analysis.state import Surroundings
from turnloop_shell.programs.use import Effect, Use

# What they make may lead to what they were given: links, and copies of links.
_LINKING = frozenset({"ln", "gln", "link", "cp", "gcp", "mv", "gmv", "install", "rsync"})


class Made:
    """Remembers what the commands of a line wrote, in their order.

    Args:
        around: where the line would run.
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._links: dict[tuple[str, str], None] = {}
        self._written: set[str] = set()

    def note(self, program: str, paths: Sequence[Subject]) -> None:
        """A command of this name touched these; a redirection has no name."""
        written = [p.narrow for p in paths if p.kind is SubjectKind.WRITE and not p.dynamic]
        self._written.update(written)
        if program in _LINKING:
            given = [p.narrow for p in paths if not p.dynamic]
            self._links |= {
                (new, old): None for new in written for old in given if not is_below(old, new)
            }

    def seen(self, path: Subject) -> Iterator[Subject]:
        """The path, and what it may be by links that the line made."""
        yield path
        if path.dynamic:
            return
        for new, old in self._links:
            if is_below(path.narrow, new):
                yield self._other(path, old + path.narrow[len(new) :])

    def _other(self, path: Subject, meant: str) -> Subject:
        try:
            return path_subject(meant, self._around.scope, path.kind)
        except TurnloopError as error:
            return replace(path, dynamic=True, reason=str(error))

    def runs_its_own(self, use: Use, paths: Iterable[Subject]) -> bool:
        """Whether a command runs code out of files that the line wrote."""
        if use.effect is not Effect.PROJECT or not self._written:
            return False
        read = {path.narrow for path in paths if path.kind is SubjectKind.READ}
        return not read.isdisjoint(self._written)
