"""Changes: what became of a project's files between two looks."""

from __future__ import annotations

from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class Changes:
    """What became of a project's files between two looks.

    Paths are relative to the project root, with `/`, sorted. Files that ignore rules name are not
    among `added`, `changed` and `removed`.

    Attributes:
        added: files and links that were not there before.
        changed: those whose size, modification time, mode or identity is another.
        removed: those that are gone.
        complete: False when something could have changed without being seen.
        why: the reason in words when it is not complete.
        ignored: the first 50 ignored files with a change. Folders that are ignored as a whole are
            not looked into, so this is a hint and no list of all.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    complete: bool = True
    why: str = ""
    ignored: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """All that changed in any way, sorted."""
        return tuple(sorted((*self.added, *self.changed, *self.removed)))
