"""What changed between two looks, and a fingerprint of one."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from turnloop_core.types.changes import Changes
from turnloop_core.worktree.snapshot import Snapshot

_KEPT_IGNORED = 50


def changes(before: Snapshot, after: Snapshot) -> Changes:
    """What became of the files between two looks at the same root.

    What lies in a folder that one of the looks did not go into is not compared: rules may have
    changed, or rights.
    """
    for look in (before, after):
        if not look.complete:
            return Changes(complete=False, why=look.why)
    old, new = before.files, after.files
    blind = before.unreadable ^ after.unreadable
    why = f"{min(blind)} could not be read" if blind else ""
    if old == new:
        return Changes(complete=not why, why=why)
    not_before = before.skipped | before.unreadable
    not_after = after.skipped | after.unreadable
    ignored: list[str] = []

    def counting(paths: Iterable[str], hidden: frozenset[str], look: Snapshot) -> tuple[str, ...]:
        counted: list[str] = []
        for path in paths:
            if _lies_in(path, hidden):
                continue
            (ignored if look.rules.ignore(path) else counted).append(path)
        return tuple(sorted(counted))

    added = counting((path for path in new if path not in old), not_before, after)
    changed = counting(
        (path for path, entry in new.items() if old.get(path, entry) != entry), frozenset(), after
    )
    removed = counting((path for path in old if path not in new), not_after, before)
    return Changes(added, changed, removed, not why, why, tuple(sorted(ignored)[:_KEPT_IGNORED]))


def fingerprint(look: Snapshot) -> str:
    """A hash of path, size, modification time and mode of every file that counts: equal when no
    source has changed. It asks the ignore rules about every file, so two snapshots at hand are
    better compared with `changes`.

    Returns:
        32 hexadecimal digits, "" for a look that is not complete.
    """
    if not look.complete:
        return ""
    digest = blake2b(digest_size=16)
    for path in sorted(look.files):
        if not look.rules.ignore(path):
            size, modified, _, mode = look.files[path]
            digest.update(f"{path}\0{size} {modified} {mode}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _lies_in(path: str, folders: frozenset[str]) -> bool:
    if not folders:
        return False
    folder = path.rpartition("/")[0]
    while folder:
        if folder in folders:
            return True
        folder = folder.rpartition("/")[0]
    return False
