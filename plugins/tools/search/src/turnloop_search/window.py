"""Which part of the results is shown, and how a cut is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from turnloop_search.answers import plural, printable

_MOST_PLACES = 8


def cut_note(
    what: str,
    offset: int,
    shown: int,
    total: int,
    *,
    at_least: bool,
    rest: Iterable[tuple[str, int]],
) -> str:
    """`first 100 of 2,341 ...; how to go on`, "" when all is shown.

    Args:
        what: the results, in one word, singular.
        offset: results passed over.
        shown: results shown after those.
        total: results in all, as far as known.
        at_least: there may be more.
        rest: what is not shown: name of the file and results in it.
    """
    if offset + shown >= total and not offset:
        return ""
    of = f"{'at least ' if at_least else ''}{plural(total, what)}"
    if offset + shown >= total:
        return f"{offset + 1:,} to {offset + shown:,} of {of}, in path order"
    part = f"first {shown:,}" if not offset else f"{offset + 1:,} to {offset + shown:,}"
    return (
        f"{part} of {of}, in path order; offset={offset + shown} goes on, or narrow the search. "
        f"Not shown: {_places(rest)}"
    )


def _places(rest: Iterable[tuple[str, int]]) -> str:
    """How many results lie where, so that no folder vanishes whole."""
    places: Counter[str] = Counter()
    for name, count in rest:
        places[name.partition("/")[0] + ("/" if "/" in name else "")] += count
    found = sorted(places.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{printable(place)} {count:,}" for place, count in found[:_MOST_PLACES]]
    if len(found) > _MOST_PLACES:
        shown.append(f"{sum(c for _, c in found[_MOST_PLACES:]):,} elsewhere")
    return ", ".join(shown)


def fitting(lines: Sequence[str], most: int) -> int:
    """How many lines fit in so many characters; at least one."""
    used = 0
    for number, line in enumerate(lines):
        used += len(line) + 1
        if used > most and number:
            return number
    return len(lines)
