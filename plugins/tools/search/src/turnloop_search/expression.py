"""The expression of a search, checked before anything runs: a bad one is never "no matches"."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

from turnloop_search.answers import RefusedError

_CLASSES = {
    "alpha": r"^\W\d_",
    "digit": "0-9",
    "alnum": r"^\W_",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "blank": r" \t",
    "punct": r"!-/:-@\[-`{-~",
    "word": r"\w",
    "xdigit": "0-9A-Fa-f",
}
_ONE_CLASS = re.compile(r"\[\[:(\^?)(\w+):\]\]")
_IN_CLASS = re.compile(r"\[:(\w+):\]")
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
    text = _ONE_CLASS.sub(_one, text)
    text = _IN_CLASS.sub(lambda m: _plain(m[1]) or m[0], text)
    return re.sub(r"(?<!\\)((?:\\\\)*)\\z", r"\1\\Z", text)


def _one(match: re.Match[str]) -> str:
    inside = _CLASSES.get(match[2])
    if inside is None:
        return match[0]
    if not match[1]:
        return f"[{inside}]"
    return f"[{inside[1:]}]" if inside.startswith("^") else f"[^{inside}]"


def _plain(name: str) -> str:
    """A class as a part of a set; negated ones have no such form but for ASCII."""
    inside = _CLASSES.get(name, "")
    return {"alpha": "A-Za-z", "alnum": "A-Za-z0-9"}.get(name, inside)


def _wrong(text: str, error: re.error) -> str:
    place = "" if error.pos is None else f" (character {error.pos + 1})"
    return (
        f"the expression {text!r} is not valid: {error.msg}{place}. Nothing was searched. To find "
        r"the characters themselves put a backslash before them: \( \[ \{ \* \+ \?"
    )
