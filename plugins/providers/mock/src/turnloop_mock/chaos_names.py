"""Names that no tool has."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

MADE_UP = ("Frobnicate", "do_it", "functions.run", "tool_0", "Quux", "multi_tool_use.parallel")
ODD = (
    "R\u0435ad",  # a Cyrillic letter
    "Re\u200bad",
    "Rea\x00d",
    "two words",
    "line\nbreak",
    "\x1b[31mred",
    "\U0001f4a5",
    "\ud83d",  # half of a pair
    "../../etc",
    '{"name": "x"}',
    "</tool>",
    "%s%n",
    "-",
)
LENGTHS = (65, 300, 2_000)


def unknown_name(known: Sequence[str], random: Random) -> tuple[str, str]:
    """What kind of name, and a name that no tool of `known` has, in whatever case."""
    taken = {_folded(name) for name in known}
    while True:
        how, name = _candidate(known, random)
        if _folded(name) not in taken:
            return how, name


def _candidate(known: Sequence[str], random: Random) -> tuple[str, str]:
    how = random.choice(("made up", "near", "near", "no name", "long name", "odd name"))
    if how == "near" and known:
        return how, _near(random.choice(known), random)
    if how == "no name":
        return how, ""
    if how == "long name":
        return how, random.choice("aZ_") * random.choice(LENGTHS)
    if how == "odd name":
        return how, random.choice(ODD)
    return "made up", random.choice(MADE_UP) + random.choice(("", "", "2", "_all"))


def _near(name: str, random: Random) -> str:
    place = random.randrange(len(name) + 1)
    return random.choice(
        (
            name[:place] + name[place + 1 :],
            name[:place] + random.choice("xqz_") + name[place:],
            f"{name}_file",
            f"functions.{name}",
            f"{name}()",
            name[::-1],
        )
    )


def _folded(name: str) -> str:
    """As names are compared: case does not matter, nor do blanks around them."""
    return name.strip().casefold()
