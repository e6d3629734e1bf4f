"""Replace string arguments within the JSON text of a call, leaving every other byte as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

_SPACE = " \t\n\r"
_read_value = json.JSONDecoder(strict=False).raw_decode


def replace_strings(text: str, replacements: Mapping[str, str]) -> tuple[str, frozenset[str]]:
    """`text` with the named string arguments replaced, and the names that were found.

    Names that are missing, or whose value is not a string, change nothing; neither does a text
    that is not a JSON object.
    """
    pieces: list[str] = []
    found: set[str] = set()
    done = 0
    try:
        for name, start, end in _members(text):
            if name in replacements and text[start] == '"':
                pieces += [text[done:start], json.dumps(replacements[name], ensure_ascii=False)]
                found.add(name)
                done = end
    except (ValueError, IndexError, RecursionError):
        return text, frozenset()
    return "".join([*pieces, text[done:]]), frozenset(found)


def _members(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, start and end of each value of the object that `text` is.

    Raises:
        ValueError, IndexError: it is not a JSON object.
    """
    place = _expect(text, _skip(text, 0), "{")
    place = _skip(text, place)
    while text[place] != "}":
        _expect(text, place, '"')
        name, place = _read_value(text, place)
        start = _skip(text, _expect(text, _skip(text, place), ":"))
        _, end = _read_value(text, start)
        yield name, start, end
        place = _skip(text, end)
        if text[place] == ",":
            place = _skip(text, place + 1)
            if text[place] == "}":
                raise ValueError("a comma before the end")
        elif text[place] != "}":
            raise ValueError("neither comma nor end")
    if _skip(text, place + 1) != len(text):
        raise ValueError("text after the object")


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in _SPACE:
        place += 1
    return place


def _expect(text: str, place: int, mark: str) -> int:
    if text[place] != mark:
        raise ValueError(f"no {mark}")
    return place + 1
