"""A reader for `.env` files: names and values, nothing is expanded and nothing is run."""

from __future__ import annotations

import re

from turnloop_core.values import dataclass

_ASSIGNMENT = re.compile(r"(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*")
_COMMENT_OR_END = re.compile(r"[ \t]*(?:#.*)?$")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "'": "'", "$": "$", "`": "`"}


@dataclass(frozen=True, slots=True, repr=False)
class Assignment:
    """A value and the line on which it begins. It has no repr that would show the value."""

    value: str
    line: int


def parse_dotenv(text: str) -> tuple[dict[str, Assignment], tuple[tuple[int, str], ...]]:
    """The assignments of a `.env` file, and pairs of line and problem for what is none.

    A value in single quotes is taken as it stands; in double quotes `\\n`, `\\t`, `\\"` and their
    kind are escapes; both may go over several lines. Without quotes a value ends at the line's
    end, or at a `#` after a blank. A later assignment of a name replaces an earlier one.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    found: dict[str, Assignment] = {}
    problems: list[tuple[int, str]] = []
    number = 0
    while number < len(lines):
        line, start = lines[number].lstrip(), number  # blanks at the end may be quoted
        number += 1
        if not line or line.startswith("#"):
            continue
        match = _ASSIGNMENT.match(line)
        if match is None:
            problems.append((start + 1, "not of the form NAME=value"))
            continue
        rest = line[match.end() :]
        if rest[:1] not in ('"', "'"):
            found[match.group(1)] = Assignment(_bare(rest), start + 1)
            continue
        value, number, problem = _quoted(lines, start, rest)
        if problem:
            problems.append((start + 1, problem))
        else:
            found[match.group(1)] = Assignment(value, start + 1)
    return found, tuple(problems)


def _bare(rest: str) -> str:
    return re.split(r"(?:^|[ \t])#", rest, maxsplit=1)[0].strip()


def _quoted(lines: list[str], start: int, rest: str) -> tuple[str, int, str]:
    """The value, the number of the next line, and what is wrong."""
    quote = rest[0]
    text, number = rest[1:], start + 1
    while (end := _closing(text, quote)) is None:
        if number == len(lines):
            return "", start + 1, "a quote that does not close"
        text += "\n" + lines[number]
        number += 1
    if not _COMMENT_OR_END.match(text[end + 1 :]):
        return "", number, "something follows the closing quote"
    value = text[:end]
    return (_unescape(value) if quote == '"' else value), number, ""


def _closing(text: str, quote: str) -> int | None:
    at = 0
    while at < len(text):
        if text[at] == quote:
            return at
        at += 2 if text[at] == "\\" and quote == '"' else 1
    return None


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(0)), text, flags=re.DOTALL)
