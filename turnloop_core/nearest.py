"""Names that are like a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], *, most: int = 3, cutoff: float = 0.5) -> list[str]:
    """The known names that are most like `name`, the best first; upper and lower case are alike.

    Args:
        name: as it was written.
        known: what there is.
        most: how many to give at the most.
        cutoff: how alike they must be, from 0 to 1.
    """
    from difflib import get_close_matches  # slow to import, and wanted only where something is off

    folded = {known_name.casefold(): known_name for known_name in sorted(known)}
    near = get_close_matches(name.casefold(), folded, n=most, cutoff=cutoff)
    return [folded[match] for match in near]


def best(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """The one known name that is most like `name`, "" when none is."""
    return next(iter(nearest(name, known, most=1, cutoff=cutoff)), "")
