"""Commands of ordinary programs for tests: what the tables know of them."""

from __future__ import annotations

from program_lines import words

from turnloop_shell.programs.tables import use_by_table
from turnloop_shell.programs.use import Command, Use


def use(line: str, stdin: str | None = None) -> Use:
    found = use_by_table(Command(words(line), stdin))
    assert found is not None, line
    return found


def touched(found: Use) -> set[str]:
    """Paths: `!` written, `~` read and written, `/...` with all below, `/*` less hidden names."""
    return {
        t.word.text
        + ("~" if t.reads else "!" if t.writes else "")
        + ("/*" if t.visible else "/..." if t.deep else "")
        for t in found.touches
    }
