"""Redirections and the bodies of heredocs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal as Choice

from turnloop_shell.syntax import braces, strings
from turnloop_shell.syntax.nodes import Redirect
from turnloop_shell.syntax.reading import Reading
from turnloop_shell.syntax.words import Literal, Unknown, Word

# A descriptor belongs to the operator when nothing stands between them.
OPERATOR = re.compile(
    r"(?:([0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?(<<<|<<-?|<>|<&|>&|>>|>\||<|>)|(&>>|&>))(?!(?<=[<>])\()",
    re.ASCII,
)
_BLANKS = re.compile(r"[ \t]*")
_COPIED = re.compile(r"[0-9]+-?|-", re.ASCII)
_HASTY = re.compile(r"[$`]")
INSIDE = "a heredoc in it stands inside of an expansion"
LATE = "lines end between a heredoc and its body"
MOVED = "a heredoc in a substitution in it may be read in different ways"
UNENDED = "a heredoc in it does not end"
DELIMITER = "the delimiter of a heredoc in it may be read in different ways"
_COMING = Word((Unknown("<<"),), "<<")  # stands for a body that has not been read
NO_TARGET = "a redirection in it has no target"


# What may stand in front of a heredoc in a substitution.
FLAT = frozenset({"w", "", ";", "|", "&&", "||"})


@dataclass(slots=True)
class Heredoc:
    """A heredoc whose body is still to come."""

    delimiter: str
    quoted: bool
    redirect: Redirect
    tabs: bool = False
    body: Word | None = None


def read(reading: Reading, match: re.Match[str]) -> tuple[Redirect, Heredoc | None, int]:
    """Read the redirection whose operator matched: it, its heredoc, and the place after it."""
    text = reading.text
    descriptor, operator = match[1], match[2] or match[3]
    blanks = _BLANKS.match(text, match.end())
    start = blanks.end() if blanks is not None else match.end()
    if operator in {"<&", ">&"} and text.startswith("-", match.end()):
        # The operator reaches up to the dash: of `>&-a` the `a` is another word.
        target, end = Word((Literal("-"),), "-"), match.end() + 1
    else:
        target, end = strings.word(reading, start)
    if end == start:
        reading.doubt(NO_TARGET)
    number = (
        int(descriptor) if descriptor and descriptor.isdigit() and len(descriptor) < 6 else None
    )
    source = text[match.start() : end]
    if operator in {"<<", "<<-"}:
        heredoc = _heredoc(reading, target, Redirect("text", _COMING, source, number))
        heredoc.tabs = operator == "<<-"
        return heredoc.redirect, heredoc, end
    if operator != "<<<":
        target = _expanded(reading, target)
    kind = _kind(operator, target)
    return Redirect(kind, target, source, number, operator == "<>"), None, end


def _expanded(reading: Reading, target: Word) -> Word:
    """The target after its braces; several words are an error for the shell, and no file."""
    found = braces.expand(reading, target.parts)
    return Word(found[0], target.source, target.nested) if len(found) == 1 else target


def _kind(operator: str, target: Word) -> Choice["read", "write", "copy", "text"]:
    if operator == "<<<":
        return "text"
    if operator == "<&" or (operator == ">&" and _copies(target)):
        return "copy"
    return "read" if operator == "<" else "write"


def _copies(target: Word) -> bool:
    return target.known and _COPIED.fullmatch(target.text) is not None


def _heredoc(reading: Reading, target: Word, waiting: Redirect) -> Heredoc:
    # A quote anywhere in the delimiter makes the whole body literal.
    quoted = any(mark in target.source for mark in "'\"\\")
    hasty = _HASTY.search(target.source) or "\n" in target.text
    if hasty or not all(isinstance(part, Literal) for part in target.parts):
        reading.doubt(DELIMITER)
    return Heredoc(target.text, quoted, waiting)


def body(reading: Reading, heredoc: Heredoc, start: int, closer: str) -> int:
    """Read the body that begins at `start` into the heredoc; the place of the line after it."""
    text, pos = reading.text, start
    lines: list[str] = []
    while pos < len(text):
        newline = text.find("\n", pos)
        end = newline if newline >= 0 else len(text)
        line = text[pos:end]
        if heredoc.tabs:
            line = line.lstrip("\t")
        pos = end + 1
        if line == heredoc.delimiter:
            break
        if closer and line.startswith(heredoc.delimiter) and closer in line:
            reading.doubt(UNENDED)  # bash ends it here, other shells do not
        lines.append(line + "\n")
    else:
        reading.doubt(UNENDED)
    pos = min(pos, len(text))
    whole = "".join(lines)
    if heredoc.quoted:
        reading.raw.append((start, pos))
        parts = (Literal(whole, quoted=True),) if whole else ()
        heredoc.body = Word(parts, whole)
    else:
        heredoc.body = strings.body(reading.inner(whole))
    return pos
