"""Command lines for tests of program knowledge: what is known of the first command of a line."""

from __future__ import annotations

from turnloop_shell.programs.knowledge import use_of
from turnloop_shell.programs.use import Command, Use
from turnloop_shell.syntax.nodes import Node, Redirected, Simple
from turnloop_shell.syntax.parse import parse
from turnloop_shell.syntax.words import Word, plain


def use(line: str, stdin: str | None = None) -> Use:
    """What the one command of a line does; `stdin` is the literal text that it reads."""
    return use_of(Command(words(line), None if stdin is None else plain(stdin)))


def words(line: str) -> tuple[Word, ...]:
    script = parse(line)
    assert script.doubts == (), script.doubts
    node: Node | None = script.body
    while not isinstance(node, Simple):
        if isinstance(node, Redirected):
            node = node.body
            continue
        items = getattr(node, "items", ())
        assert len(items) == 1, node
        node = items[0]
    return node.words


def text(row: tuple[Word, ...]) -> str:
    return " ".join(word.text for word in row)


def started(found: Use) -> list[str]:
    """The programs that it starts, as text."""
    return [text(run.words) for run in found.runs]


def codes(found: Use) -> list[str | None]:
    return [code.text for code in found.code]


def forms(found: Use) -> list[str]:
    return [text(form) for form in found.forms]


def reads(found: Use) -> list[str]:
    return [t.word.text for t in found.touches if t.reads or not t.writes]


def writes(found: Use) -> list[str]:
    return [t.word.text for t in found.touches if t.writes]
