"""JSON that others wrote: read within bounds, so that nothing it holds can end the program.

`json.loads` of the standard library takes `NaN`, makes infinity of `1e999`, and ends in a
`RecursionError` where the nesting is deep; what passes by a hair fails later, when it is logged.
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any

MAX_DEPTH = 100  # far below what the interpreter's stack allows, far above what anybody needs
MAX_DIGITS = 400  # of an integer; converting more takes more than linear time
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?|([\[{])|[\]}]', re.DOTALL)


def parse_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is none, it is nested deeper than `MAX_DEPTH`, or it holds a number that
            JSON does not have. A `json.JSONDecodeError` where the place is known.
    """
    _check_depth(text)
    return _decode(text)


def parse_wire_json(text: str) -> Any:
    """The same for what a server sends: numbers that JSON does not have become null, since they
    stand in fields that nobody reads (log probabilities, mostly).

    Raises:
        ValueError: it is no JSON, or nested deeper than `MAX_DEPTH`.
    """
    _check_depth(text)
    return _decode_wire(text)


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _null(_: str) -> None:
    return None


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if isfinite(number) else None


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _real(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError(f"{digits[:20]} is too large a number")
    return number


_decode = json.JSONDecoder(parse_constant=_refuse, parse_int=_integer, parse_float=_real).decode
_decode_wire = json.JSONDecoder(parse_constant=_null, parse_float=_finite).decode


def _check_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= MAX_DEPTH:  # nearly always
        return
    depth = 0
    for match in _BRACKETS.finditer(text):
        if match.group(1):
            depth += 1
            if depth > MAX_DEPTH:
                raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
        elif match.group() in ("]", "}"):
            depth -= 1
