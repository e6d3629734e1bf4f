"""The expression of a search, checked before anything runs: a bad one is never "no matches"."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

from turnloop_search.answers import RefusedError

# Named classes are of ASCII, as everywhere.
_CLASSES = {
    "alpha": "A-Za-z",
    "digit": "0-9",
    "alnum": "0-9A-Za-z",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\t\n\r\f\v ",
    "blank": r"\t ",
    "punct": r"!-/:-@\[-`{-~",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_NOT_CLASS = re.compile(r"\[\[:\^(\w+):\]\]")
_CLASS = re.compile(r"\[:(\^?\w+):\]")
_WITH_CLASSES = re.compile(r"\[\^?\]?(?:[^\]\[\\]|\\.|\[:\^?\w+:\])+\]", re.DOTALL)
_SET = re.compile(r"\[(?:\\.|[^\]\\])*\]", re.DOTALL)
_LINE_END = re.compile(r"\n|(?<!\\)(?:\\\\)*\\n")
_LINES = (
    "an expression is matched within one line; it cannot hold a line end. Search for one of the "
    "lines, with `context`."
)


@dataclass(frozen=True, slots=True)
class Expression:
    """A valid expression.

    Attributes:
        text: for ripgrep.
        python: for our own scanner.
        own_only: ripgrep would read it otherwise.
    """

    text: str
    python: str
    own_only: bool


def parse(text: str) -> Expression:
    """Check an expression.

    Raises:
        RefusedError: it is not valid, with the place.
    """
    if not text:
        raise RefusedError("the pattern is empty: it would match every line.")
    if _LINE_END.search(_SET.sub("", text)):
        raise RefusedError(_LINES)
    python = _translate(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            re.compile(python)
            return Expression(text, python, own_only=False)
        except re.error as error:
            raise RefusedError(_wrong(text, error)) from None
        except (FutureWarning, DeprecationWarning):
            pass  # sets within sets, which the two engines read differently
        except (OverflowError, RecursionError) as error:
            raise RefusedError(f"the expression is too much: {error}.") from None
    return Expression(text, python, own_only=True)


def _translate(text: str) -> str:
    """The named classes, and the end of text, as Python spells them."""
    text = _NOT_CLASS.sub(lambda match: f"[^{_inside(match[1])}]", text)
    text = _WITH_CLASSES.sub(
        lambda found: found[0][0] + _CLASS.sub(lambda name: _inside(name[1]), found[0][1:]), text
    )
    return re.sub(r"(?<!\\)((?:\\\\)*)\\z", r"\1\\Z", text)


def _inside(name: str) -> str:
    if name not in _CLASSES:
        raise RefusedError(
            f"the class [:{name}:] is not known; there are {', '.join(_CLASSES)}, also [[:^digit:]]"
        )
    return _CLASSES[name]


def _wrong(text: str, error: re.error) -> str:
    place = "" if error.pos is None else f" (character {error.pos + 1})"
    return (
        f"the expression {text!r} is not valid: {error.msg}{place}. Nothing was searched. To find "
        r"the characters themselves put a backslash before them: \( \[ \{ \* \+ \?"
    )
