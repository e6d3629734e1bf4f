"""A reader for strict JSON that names the mistakes that people make in settings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from json import JSONDecodeError, JSONDecoder
from typing import Any

from turnloop_core.config.json_mistakes import name_bad_string, name_mistake, quoted
from turnloop_core.config.json_tree import Document, Member, Node

MAX_DEPTH = 64
_BLANK = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_AFTER_NUMBER = re.compile(r"[0-9A-Za-z_.+]")
_WORDS = {"true": True, "false": False, "null": None}
_STRINGS = JSONDecoder()
_LONGEST_INTEGER = 400  # digits; more is no setting, and converting is not linear


class JsonError(ValueError):
    """The text is not JSON.

    Attributes:
        message: what is wrong.
        hint: what to do about it.
        line: of the mistake, from 1.
        column: in characters, from 1.
    """

    def __init__(self, message: str, line: int, column: int, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.hint = hint


def parse_document(text: str) -> Document:
    """Read a settings text: one JSON object, or nothing but blanks.

    Raises:
        JsonError: it is neither; names the line, the column and the cause.
    """
    starts = [0, *(match.end() for match in re.finditer(r"\n", text))]
    reader = _Reader(text, starts)
    return Document(text, reader.document(), starts)


class _Reader:
    def __init__(self, text: str, starts: Sequence[int]) -> None:
        self._text = text
        self._starts = starts

    def document(self) -> Node | None:
        at = self._skip(1 if self._text.startswith("\ufeff") else 0)
        if at == len(self._text):
            return None
        if self._text[at] != "{":
            self._fail(at, *name_mistake(self._text, at, "an object: { ... }"))
        root = self._value(at, 0)
        rest = self._skip(root.end)
        if rest < len(self._text):
            self._fail(rest, *name_mistake(self._text, rest, "the end of the file"))
        return root

    def _skip(self, at: int) -> int:
        match = _BLANK.match(self._text, at)
        return match.end() if match else at

    def _fail(self, at: int, message: str, hint: str = "") -> Any:
        line = bisect_right(self._starts, at)
        raise JsonError(message, line, at - self._starts[line - 1] + 1, hint)

    def _value(self, at: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            self._fail(at, f"nested deeper than {MAX_DEPTH} levels")
        first = self._text[at : at + 1]
        if first == "{":
            return self._object(at, depth)
        if first == "[":
            return self._list(at, depth)
        if first == '"':
            value, end = self._string(at)
            return Node(at, end, value)
        return self._number_or_word(at)

    def _object(self, opening: int, depth: int) -> Node:
        members: list[Member] = []
        seen: dict[str, int] = {}
        at = self._skip(opening + 1)
        while self._text[at : at + 1] != "}":
            if self._text[at : at + 1] != '"':
                self._fail_inside(at, opening, "a key in double quotes")
            key, end = self._string(at)
            if key in seen:
                first = bisect_right(self._starts, seen[key])
                here = bisect_right(self._starts, at)
                self._fail(
                    at,
                    f"key {quoted(key)} stands twice, in line {first} and in line {here}",
                    "keep one of them",
                )
            seen[key] = at
            colon = self._skip(end)
            if self._text[colon : colon + 1] != ":":
                self._fail_inside(colon, opening, f"':' after key {quoted(key)}")
            node = self._value_inside(self._skip(colon + 1), opening, depth)
            members.append(Member(key, at, node))
            at = self._next(node.end, opening, "}")
        return Node(opening, at + 1, members=tuple(members))

    def _list(self, opening: int, depth: int) -> Node:
        items: list[Node] = []
        at = self._skip(opening + 1)
        while self._text[at : at + 1] != "]":
            node = self._value_inside(at, opening, depth)
            items.append(node)
            at = self._next(node.end, opening, "]")
        return Node(opening, at + 1, items=tuple(items))

    def _value_inside(self, at: int, opening: int, depth: int) -> Node:
        if self._text[at : at + 1] in ("", "}", "]", ",", ":"):
            self._fail_inside(at, opening, "a value")
        return self._value(at, depth + 1)

    def _next(self, end: int, opening: int, closing: str) -> int:
        """The offset of the next element, or of the closing bracket."""
        at = self._skip(end)
        found = self._text[at : at + 1]
        if found == closing:
            return at
        if found != ",":
            self._fail_inside(at, opening, f"',' or '{closing}'")
        following = self._skip(at + 1)
        if self._text[following : following + 1] in ("}", "]"):
            self._fail(
                at,
                f"trailing comma: nothing follows it before '{self._text[following]}'",
                "remove that comma",
            )
        if self._text[following : following + 1] == ",":
            self._fail(following, "two commas in a row", "remove one of them")
        return following

    def _fail_inside(self, at: int, opening: int, expected: str) -> None:
        if at >= len(self._text):
            line = bisect_right(self._starts, opening)
            bracket = self._text[opening]
            closing = "}" if bracket == "{" else "]"
            self._fail(
                at,
                f"the file ends inside the '{bracket}' of line {line}; expected {expected}",
                f"close it with '{closing}'",
            )
        self._fail(at, *name_mistake(self._text, at, expected))

    def _string(self, at: int) -> tuple[str, int]:
        try:
            value, end = _STRINGS.raw_decode(self._text, at)
        except JSONDecodeError as error:
            self._fail(*name_bad_string(self._text, at, error))
            raise
        if any("\ud800" <= c <= "\udfff" for c in value):
            self._fail(at, "half of a \\u pair: this is no character")
        return value, end

    def _number_or_word(self, at: int) -> Node:
        for word, value in _WORDS.items():
            if self._text.startswith(word, at) and not self._goes_on(at + len(word)):
                return Node(at, at + len(word), value)
        match = _NUMBER.match(self._text, at)
        if match is None or self._goes_on(match.end()):
            self._fail(at, *name_mistake(self._text, at, "a value"))
            raise AssertionError
        return Node(at, match.end(), self._number(at, match))

    def _goes_on(self, at: int) -> bool:
        return _AFTER_NUMBER.match(self._text, at) is not None

    def _number(self, at: int, match: re.Match[str]) -> int | float:
        text, fraction, exponent = match.group(0), match.group(1), match.group(2)
        if fraction is None and exponent is None:
            if len(text) > _LONGEST_INTEGER:
                self._fail(at, f"a number of {len(text)} digits")
            return int(text)
        number = float(text)
        if number in (float("inf"), float("-inf")):
            self._fail(at, "a number that is too large")
        return number
