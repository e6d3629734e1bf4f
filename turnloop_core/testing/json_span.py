"""Values of a JSON object as they stand in its text, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from json.decoder import WHITESPACE  # type: ignore[attr-defined]
from typing import Any


def top_level(body: bytes) -> dict[str, str]:
    """Key -> text of its value, for the keys of the outermost object.

    Raises:
        ValueError: `body` is not a JSON object.
    """
    text = body.decode()
    json.loads(text)
    decoder = json.JSONDecoder()
    spans: dict[str, str] = {}
    at = _skip(text, 0)
    if text[at] != "{":
        raise ValueError("the body is not a JSON object")
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = decoder.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)  # the colon
        start = at
        _, at = decoder.raw_decode(text, at)
        spans[key] = text[start:at]
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return spans


def _skip(text: str, at: int) -> int:
    return int(WHITESPACE.match(text, at).end())


def strings(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """All strings within a JSON value, each with the nearest key above it."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from strings(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item, key)
